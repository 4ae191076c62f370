import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { MicroUsd } from "./money.ts";

/** Micro-USD per million tokens. */
const ModelRates = z.object({
  input: MicroUsd,
  output: MicroUsd,
  cache_read: MicroUsd.optional(),
  cache_write: MicroUsd.optional(),
});

/** A model that sessions can ask, or why they cannot. */
export const ModelView = z.object({
  provider: z.string(),
  model: z.string(),
  /** For people, where the provider has another one. */
  name: z.string().optional(),
  /** What sessions of this provider get that name none. Absent: no. */
  is_default: z.literal(true).optional(),
  /** The most tokens of a request and its answer together. Absent: unknown. */
  context_tokens: z.number().int().positive().optional(),
  /** The most tokens of one answer. Absent: unknown. */
  output_tokens: z.number().int().positive().optional(),
  /** What is counted with. Absent: it has no price here. */
  price: ModelRates.optional(),
  /** Where the price is from. Absent: it has none. */
  price_from: z.enum(["settings", "free", "shipped", "owner"]).optional(),
  /** What its provider says that it costs, where we have no price. */
  told_price: ModelRates.optional(),
  /** Why no session can have it now. Absent: it can be chosen. */
  refusal: z.string().optional(),
});
export type ModelView = z.infer<typeof ModelView>;

/** Where the models of one provider come from. */
const ModelSource = z.object({
  provider: z.string(),
  /** `provider`: its own list. `prices`: the table of prices, as its list could not be read. */
  from: z.enum(["provider", "prices"]),
  /** Why its own list could not be read. */
  message: z.string().optional(),
});

export const ModelList = z.object({
  models: z.array(ModelView),
  sources: z.array(ModelSource),
  /** There are more: search for less. */
  truncated: z.boolean(),
});
export type ModelList = z.infer<typeof ModelList>;

/** Which models are asked for. Absent: all. */
export const ModelQuery = z.object({
  provider: z.string().min(1).max(64).optional(),
  /** Words that provider, model or name must contain. */
  search: z.string().max(LIMITS.searchChars).optional(),
  /** Whose rules say what is refused. Absent: the default profile. */
  profile: z.string().min(1).max(100).optional(),
});
export type ModelQuery = z.infer<typeof ModelQuery>;
