import { z } from "zod";

/** Which sessions are deleted by themselves. Nothing of it set: none are. */
export const RetentionSettings = z
  .object({
    /** Days since the session last changed. */
    max_age_days: z.number().positive().max(36_500).optional(),
    /** The most that the database may take; the oldest sessions go first. */
    max_bytes: z.number().int().positive().optional(),
    /** Keeps every session that nobody has closed. */
    keep_open: z.boolean().optional(),
  })
  .strict();
export type RetentionSettings = z.infer<typeof RetentionSettings>;

export const PruneRequest = RetentionSettings.extend({
  /** Deletes nothing, and says what would go. */
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
  /** How many went, or would go. */
  count: z.number().int(),
  /** What the database takes now. */
  used_bytes: z.number().int(),
});
export type PruneReport = z.infer<typeof PruneReport>;
