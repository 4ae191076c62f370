import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { ownLogin } from "../access/logins.ts";
import { BudgetLine, MicroUsd, TokenCount, UsageGroup, UsageLine } from "./money.ts";

/** A day of the calendar, UTC. */
const Day = z.iso.date("must be a day such as 2026-11-15");

/** A usage query, as in an address. */
export const UsageQuery = z
  .object({
    /** Groups separated by commas; the lines are ordered by them, in this order. */
    by: z
      .string()
      .max(100)
      .default("day")
      .transform((text) => text.split(",").map((group) => group.trim()))
      .pipe(
        z.array(UsageGroup).refine((groups) => new Set(groups).size === groups.length, "names the same group twice"),
      ),
    /** Both inclusive; absent: from the first day, to the last one. */
    from: Day.optional(),
    to: Day.optional(),
    session: z.string().min(1).max(100).optional(),
    /** A principal's id. */
    agent: z.string().min(1).max(100).optional(),
    /** An API key's id. */
    key: z.string().min(1).max(100).optional(),
    limit: z.coerce.number().int().min(1).max(LIMITS.usageLines).optional(),
    /** Absent: what the `Accept` header asks for. */
    format: z.enum(["json", "csv"]).optional(),
  })
  .refine(({ from, to }) => from === undefined || to === undefined || from <= to, {
    path: ["from"],
    message: "must not be after `to`",
  });
export type UsageQuery = z.infer<typeof UsageQuery>;

export const UsageReport = z.object({
  lines: z.array(UsageLine),
  /** Of the whole query, including lines that were cut. */
  total: UsageLine,
  /** The current accounts, whatever days were requested. */
  budgets: z.array(BudgetLine),
  /** There are more lines than `limit`. */
  truncated: z.literal(true).optional(),
});
export type UsageReport = z.infer<typeof UsageReport>;

/** One session's usage. The flat fields have document 003's names; all money is micro-USD. */
export const SessionUsage = z.object({
  session_id: z.string(),
  requests: z.number().int(),
  tokens: TokenCount,
  /** Of its own requests; forks and sub-sessions have their own lines. */
  cost_microusd: MicroUsd,
  /** The part of the cost that is a bound. */
  bound_microusd: MicroUsd,
  ...ownLogin,
  /** Reserved for running requests, including those of its forks. */
  reserved_microusd: MicroUsd,
  /** Absent: no limit of its own. */
  limit_microusd: MicroUsd.optional(),
  /** What is left of it; forks draw on it too. */
  remaining_microusd: MicroUsd.optional(),
  /** By provider and model. */
  models: z.array(UsageLine),
  /** Every account that its next request will count on. */
  budgets: z.array(BudgetLine),
  input_tokens: z.number().int(),
  output_tokens: z.number().int(),
  cache_read_tokens: z.number().int(),
  cache_write_tokens: z.number().int(),
  total_tokens: z.number().int(),
});
export type SessionUsage = z.infer<typeof SessionUsage>;
