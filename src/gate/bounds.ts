import { AUTONOMY_ORDER, globMatches, type Role, type TokenBounds } from "../protocol/index.ts";
import { ROLE_CAN, type Capability, type Scope } from "./roles.ts";
import { isInside } from "./shell/paths.ts";

const SCOPES: readonly Scope[] = ["no", "own", "all"];

/** Whether `role` may do nothing that `most` may not do. */
export function roleWithin(role: Role, most: Role): boolean {
  return (Object.keys(ROLE_CAN[role]) as Capability[]).every(
    (capability) => SCOPES.indexOf(ROLE_CAN[role][capability]) <= SCOPES.indexOf(ROLE_CAN[most][capability]),
  );
}

/** Limits on where and how often a token works, not on what it may do. */
const WHERE: ReadonlySet<string> = new Set<keyof TokenBounds>(["origins", "requests_per_minute"]);

/** Whether a token may do less than its role. */
export function isBounded(bounds: TokenBounds): boolean {
  return Object.keys(bounds).some((field) => !WHERE.has(field));
}

type Within = (given: TokenBounds, most: TokenBounds) => boolean;
type Figure =
  | "max_cost_microusd"
  | "max_cost_microusd_per_day"
  | "max_cost_microusd_per_session"
  | "max_concurrent"
  | "requests_per_minute";

const atMost =
  (field: Figure): Within =>
  (given, most) =>
    (given[field] ?? Infinity) <= (most[field] ?? Infinity);

/** Whether every wanted entry is covered by an allowed one. Absent means everything, which only "everything" covers. */
function covered(
  given: readonly string[] | undefined,
  most: readonly string[] | undefined,
  covers: (outer: string, inner: string) => boolean,
): boolean {
  if (most === undefined) return true;
  return given !== undefined && given.every((inner) => most.some((outer) => covers(outer, inner)));
}

/** For each bound: whether one token's bound is no wider than another's. */
const WITHIN: Readonly<Record<keyof TokenBounds, Within>> = {
  profile: (given, most) => most.profile === undefined || given.profile === most.profile,
  max_autonomy: (given, most) =>
    AUTONOMY_ORDER.indexOf(given.max_autonomy ?? "full") <= AUTONOMY_ORDER.indexOf(most.max_autonomy ?? "full"),
  // A pattern is itself a text that a wider pattern can match.
  tools: (given, most) => covered(given.tools, most.tools, globMatches),
  origins: (given, most) => covered(given.origins, most.origins, (outer, inner) => outer === inner),
  workspace_roots: (given, most) => covered(given.workspace_roots, most.workspace_roots, isInside),
  system_prompt: (given, most) => most.system_prompt === undefined || given.system_prompt === most.system_prompt,
  max_cost_microusd: atMost("max_cost_microusd"),
  max_cost_microusd_per_day: atMost("max_cost_microusd_per_day"),
  max_cost_microusd_per_session: atMost("max_cost_microusd_per_session"),
  max_concurrent: atMost("max_concurrent"),
  requests_per_minute: atMost("requests_per_minute"),
  model_rate: ({ model_rate: given = {} }, { model_rate: most = {} }) =>
    (given.requests_per_minute ?? Infinity) <= (most.requests_per_minute ?? Infinity) &&
    (given.tokens_per_minute ?? Infinity) <= (most.tokens_per_minute ?? Infinity),
};

/** The first bound in which a token exceeds another; absent: none. */
export function firstExcess(bounds: TokenBounds, most: TokenBounds): keyof TokenBounds | undefined {
  return (Object.keys(most) as (keyof TokenBounds)[]).find((field) => !WITHIN[field](bounds, most));
}
