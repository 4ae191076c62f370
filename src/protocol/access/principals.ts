import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { MicroUsd } from "../models/money.ts";
import { Autonomy, RateLimit } from "./policy.ts";

/** `visitor`: somebody on a product's web page. `issuer`: that product's server, which makes visitors' tokens and nothing else. */
export const Role = z.enum(["admin", "operator", "agent", "viewer", "visitor", "issuer"]);
export type Role = z.infer<typeof Role>;

/** Who did something, as journaled. `system` is Sallyport itself (recovery after a restart, an expiry). */
export const PrincipalRef = z.object({
  id: z.string(),
  name: z.string(),
  role: z.union([Role, z.literal("system")]),
});
export type PrincipalRef = z.infer<typeof PrincipalRef>;

export const SYSTEM: PrincipalRef = { id: "system", name: "sallyport", role: "system" };

/** An origin as browsers send it: scheme, host and port, nothing else. */
export const WebOrigin = z
  .string()
  .max(300)
  .refine(
    (text) => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text,
    "must be an origin as browsers send it, such as https://shop.example.org, without a path",
  );

const ToolPattern = z
  .string()
  .max(200)
  .regex(/^[A-Za-z*][\w*-]*$/, "must be a tool's name, such as Read or mcp__shop__*");

const Folder = z
  .string()
  .max(LIMITS.pathChars)
  .refine((path) => path.startsWith("/") && !path.includes("\0"), "must be an absolute path");

/**
 * What a token may do at most, fixed when it is made. It also holds for the token's sessions after the token is gone. Money, rates
 * and sessions of tokens derived from it count on it too. Absent: only role and policy limit it.
 */
export const TokenBounds = z
  .object({
    /** The profile of all its sessions. Absent: what the policy gives the role. */
    profile: z.string().min(1).max(100).optional(),
    max_autonomy: Autonomy.optional(),
    /** The only tools of its sessions; globs. */
    tools: z.array(ToolPattern).min(1).max(LIMITS.tokenTools).optional(),
    /** The only web origins that it works from. */
    origins: z.array(WebOrigin).min(1).max(LIMITS.tokenOrigins).optional(),
    /** Its sessions work below one of these. Absolute. */
    workspace_roots: z.array(Folder).min(1).max(LIMITS.tokenRoots).optional(),
    /** The system prompt of all its sessions. */
    system_prompt: z.string().max(200_000).optional(),
    /** Money, micro-USD: ever, in one day (UTC), and in one session. */
    max_cost_microusd: MicroUsd.optional(),
    max_cost_microusd_per_day: MicroUsd.optional(),
    max_cost_microusd_per_session: MicroUsd.optional(),
    /** Sessions that have not ended. */
    max_concurrent: z.number().int().min(1).max(100_000).optional(),
    /** Requests and socket messages to this server in a minute. */
    requests_per_minute: z.number().int().min(1).max(1_000_000).optional(),
    /** Model requests and tokens in a minute. */
    model_rate: RateLimit.optional(),
  })
  .strict();
export type TokenBounds = z.infer<typeof TokenBounds>;

/** A token from which another was derived, with its bounds. */
export const TokenParent = z.object({ id: z.string(), bounds: TokenBounds });
export type TokenParent = z.infer<typeof TokenParent>;

export const CreateToken = TokenBounds.extend({
  role: Role,
  name: z.string().min(1).max(200),
  /** Seconds. Absent: a visitor's token lives an hour, any other until it is deleted. */
  expires_in_s: z.number().int().min(1).max(LIMITS.tokenLifeS).optional(),
  /** Of a visitor's token: the visitor's id in the product. The same subject is the same visitor again, with its sessions and spending. */
  subject: z.string().min(1).max(LIMITS.tokenSubjectChars).optional(),
}).strict();
export type CreateToken = z.infer<typeof CreateToken>;

export const TokenView = z.object({
  id: z.string(),
  /** The principal that the token speaks for; the same as `id` unless it was made for a `subject`. */
  principal_id: z.string(),
  name: z.string(),
  role: Role,
  created_at: z.string(),
  /** Absent: it does not expire. */
  expires_at: z.string().optional(),
  /** To the minute. Absent: never. */
  last_used_at: z.string().optional(),
  /** The token that it was derived from, and whose limits hold for it too. Absent: an admin made it. */
  made_with: z.string().optional(),
  bounds: TokenBounds,
});
export type TokenView = z.infer<typeof TokenView>;

export const TokenList = z.object({ tokens: z.array(TokenView), next: z.string().optional() });
export type TokenList = z.infer<typeof TokenList>;

/** The only answer that ever contains the token itself. */
export const TokenCreated = TokenView.extend({ token: z.string() });
export type TokenCreated = z.infer<typeof TokenCreated>;
