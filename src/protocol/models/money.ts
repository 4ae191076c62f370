import { z } from "zod";
import { LIMIT_KINDS } from "../access/limit-kinds.ts";
import { ownLogin } from "../access/logins.ts";

/** Micro-USD: a millionth of a dollar, always whole. The only unit of money in here. */
export const MicroUsd = z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER);

/** Tokens of one or many model calls, by what they cost. */
export const TokenCount = z.object({
  /** Neither read from a cache nor written to one. */
  input: z.number().int().nonnegative(),
  /** Reasoning included. */
  output: z.number().int().nonnegative(),
  cache_read: z.number().int().nonnegative(),
  /** Kept for five minutes. */
  cache_write: z.number().int().nonnegative(),
  /** Kept for an hour. */
  cache_write_1h: z.number().int().nonnegative(),
  /** Part of `output`, if the provider reports it. */
  reasoning: z.number().int().nonnegative(),
  /** Searches that the provider ran itself, charged per search. */
  web_searches: z.number().int().nonnegative(),
});
export type TokenCount = z.infer<typeof TokenCount>;

export const NO_TOKENS: TokenCount = {
  input: 0,
  output: 0,
  cache_read: 0,
  cache_write: 0,
  cache_write_1h: 0,
  reasoning: 0,
  web_searches: 0,
};

/** Micro-USD per million tokens. */
const Rates = z.object({
  input: MicroUsd,
  output: MicroUsd,
  /** Absent: as `input`. */
  cache_read: MicroUsd.optional(),
  /** Kept for five minutes. Absent: as `input`. */
  cache_write: MicroUsd.optional(),
  /** Kept for an hour. Absent: as `cache_write`. */
  cache_write_1h: MicroUsd.optional(),
});
export type Rates = z.infer<typeof Rates>;

/** What a model costs, as set in `sallyport.yaml` for a model or a glob of models. */
export const Price = Rates.extend({
  /** Prices of the whole request once its input is longer than `above` tokens; the highest matching tier counts. */
  tiers: z
    .array(Rates.extend({ above: z.number().int().positive() }).strict())
    .max(10)
    .optional(),
  /** The price of batch requests, in percent of these prices. Absent: 100. */
  batch_percent: z.number().int().min(0).max(100).optional(),
  /** Micro-USD for one search that the provider runs itself. Absent: such a search is refused. */
  web_search: MicroUsd.optional(),
  /** The most tokens of a request and its answer together. Absent: unknown, so the request's own bytes are the bound. */
  context_tokens: z.number().int().positive().optional(),
  /** The most tokens of one answer. Absent: a request must set `max_tokens` itself. */
  output_tokens: z.number().int().positive().optional(),
  /** The most tokens of one picture. Absent: `imageTokens` of the limits. */
  image_tokens: z.number().int().positive().optional(),
}).strict();
export type Price = z.infer<typeof Price>;

/** The price of a model and its source. */
export const PricedModel = z.object({
  provider: z.string(),
  model: z.string(),
  price: Price,
  /** `settings`: an override in sallyport.yaml; `free`: a free provider; `shipped`: the table of this version; `owner`: of a tunnel. */
  from: z.enum(["settings", "free", "shipped", "owner"]),
});
export type PricedModel = z.infer<typeof PricedModel>;

/** Which limit it was that a request would have passed. */
export const LimitKind = z.enum(Object.keys(LIMIT_KINDS) as (keyof typeof LIMIT_KINDS)[]);
export type LimitKind = z.infer<typeof LimitKind>;

/** Why a request does not fit, in figures. */
export const Shortage = z.object({
  kind: LimitKind,
  limit_microusd: MicroUsd,
  spent_microusd: MicroUsd,
  reserved_microusd: MicroUsd,
  /** The most that the request may cost. */
  asked_microusd: MicroUsd,
});
export type Shortage = z.infer<typeof Shortage>;

export const USAGE_GROUPS = ["day", "agent", "model", "provider", "session", "engine", "turn", "key"] as const;
export const UsageGroup = z.enum(USAGE_GROUPS);
export type UsageGroup = z.infer<typeof UsageGroup>;

/** Usage: one line per value of the grouping. */
export const UsageLine = z.object({
  /** `2026-11-15`, UTC. Each of these is present when it is grouped by. */
  day: z.string().optional(),
  agent: z.string().optional(),
  model: z.string().optional(),
  provider: z.string().optional(),
  session: z.string().optional(),
  engine: z.string().optional(),
  turn: z.string().optional(),
  /** Empty: the requests of sessions. */
  key: z.string().optional(),
  requests: z.number().int(),
  tokens: TokenCount,
  cost_microusd: MicroUsd,
  /** The part of `cost_microusd` that is a bound, because the usage was not reported: a broken stream, a dead server. */
  bound_microusd: MicroUsd,
  /** Only in lines of a provider. */
  ...ownLogin,
});
export type UsageLine = z.infer<typeof UsageLine>;

/** One account's state. */
export const BudgetLine = z.object({
  kind: LimitKind,
  /** The id of a session, turn or principal; empty for everybody's. */
  of: z.string(),
  spent_microusd: MicroUsd,
  reserved_microusd: MicroUsd,
  /** Absent: no limit. */
  limit_microusd: MicroUsd.optional(),
  remaining_microusd: MicroUsd.optional(),
});
export type BudgetLine = z.infer<typeof BudgetLine>;
