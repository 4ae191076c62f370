import { z } from "zod";

/** Which sessions are deleted automatically. Empty: none. */
export const RetentionSettings = z
  .object({
    /** Days since the session last changed. */
    max_age_days: z.number().positive().max(36_500).optional(),
    /** The largest size of the database; the oldest sessions go first. */
    max_bytes: z.number().int().positive().optional(),
    /** Keeps every session that nobody has closed. */
    keep_open: z.boolean().optional(),
  })
  .strict();
export type RetentionSettings = z.infer<typeof RetentionSettings>;

export const PruneRequest = RetentionSettings.extend({
  /** Deletes nothing, and reports what would be deleted. */
  dry_run: z.boolean().optional(),
}).refine(
  ({ max_age_days, max_bytes }) => max_age_days !== undefined || max_bytes !== undefined,
  "say max_age_days, max_bytes or both",
);
export type PruneRequest = z.infer<typeof PruneRequest>;

export const PruneReport = z.object({
  dry_run: z.boolean(),
  /** Ids, the longest unchanged first; at most 1,000 of them. */
  sessions: z.array(z.string()),
  /** How many were deleted, or would be. */
  count: z.number().int(),
  /** The current size of the database. */
  used_bytes: z.number().int(),
});
export type PruneReport = z.infer<typeof PruneReport>;
