import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { MicroUsd } from "../models/money.ts";
import { RateLimit } from "./policy.ts";
import { PrincipalRef } from "./principals.ts";

/** The path below which programs with an API key find the models. */
export const MODEL_PATH = "/model";

/** What an API key may do at most, fixed when it is made. The limits of its principal hold too. */
export const KeyBounds = z
  .object({
    /** The provider that all its requests go to. */
    provider: z.string().min(1).max(100),
    /** Globs. Absent: all that the policy allows. */
    models: z.array(z.string().min(1).max(LIMITS.modelNameChars)).min(1).max(LIMITS.apiKeyModels).optional(),
    /** Model requests and tokens in a minute. Absent: no limit of its own. */
    rate: RateLimit.optional(),
    /** Money, micro-USD: ever, and in one day (UTC). Absent: no limit of its own. */
    max_cost_microusd: MicroUsd.optional(),
    max_cost_microusd_per_day: MicroUsd.optional(),
  })
  .strict();
export type KeyBounds = z.infer<typeof KeyBounds>;

export const CreateKey = KeyBounds.partial({ provider: true })
  .extend({
    name: z.string().min(1).max(200).default("key"),
    /** Seconds. Absent: until it is deleted, or its token ends. */
    expires_in_s: z.number().int().min(1).max(LIMITS.tokenLifeS).optional(),
    /** A token that the caller made: the key is for its principal and ends with it. Absent: the caller's own token. */
    token_id: z.string().min(1).max(100).optional(),
  })
  .strict();
/** As callers write it. */
export type CreateKey = z.input<typeof CreateKey>;

export const KeyView = z.object({
  id: z.string(),
  name: z.string(),
  /** Whose requests these are: its limits hold, and its usage counts. */
  principal: PrincipalRef,
  /** The token that it ends with. */
  token_id: z.string(),
  created_at: z.string(),
  /** Absent: it does not expire. */
  expires_at: z.string().optional(),
  /** To the minute. Absent: never. */
  last_used_at: z.string().optional(),
  bounds: KeyBounds,
  /** What it has cost so far, and what is reserved for running requests. */
  spent_microusd: MicroUsd,
  reserved_microusd: MicroUsd,
});
export type KeyView = z.infer<typeof KeyView>;

export const KeyList = z.object({ keys: z.array(KeyView), next: z.string().optional() });
export type KeyList = z.infer<typeof KeyList>;

/** The only answer that ever contains the key itself. */
export const KeyCreated = KeyView.extend({
  key: z.string(),
  /** For ANTHROPIC_BASE_URL. OpenAI's clients want it with `/v1`. */
  base_url: z.string(),
});
export type KeyCreated = z.infer<typeof KeyCreated>;
