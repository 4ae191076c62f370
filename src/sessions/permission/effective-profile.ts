import {
  defined,
  Failure,
  type Policy,
  type PrincipalRef,
  type Profile,
  type RateLimit,
} from "../../protocol/index.ts";
import { least } from "../budget/limits.ts";
import { profileOf } from "./profile.ts";
import type { TokenScope } from "../access/token-scope.ts";

/** What a session's rules depend on. */
export interface ProfiledSession {
  readonly settings: { readonly profile: string };
  readonly created_by: Pick<PrincipalRef, "role">;
  readonly token: TokenScope;
}

/**
 * The rules that hold for a session: those of its profile, plus those of its principal. The latter come from the token and the
 * default profile: limits of money, rates and sessions, and denials. Admins, who write the policy, get none from the default profile.
 */
export function effectiveProfile(policy: Policy, { settings, created_by, token }: ProfiledSession): Profile {
  const profile = profileOf(policy, settings.profile);
  const isFree = created_by.role === "admin" || created_by.role === "system";
  const own = isFree ? {} : profileOf(policy, policy.default_profile);
  const { bounds } = token;
  const deny = own === profile ? profile.deny : [...(profile.deny ?? []), ...(own.deny ?? [])];
  const daily = least(profile.max_cost_microusd_per_day, own.max_cost_microusd_per_day);
  const perAgent = least(profile.max_cost_microusd_per_agent, own.max_cost_microusd_per_agent);
  return {
    ...profile,
    ...defined({
      deny,
      max_cost_microusd: least(profile.max_cost_microusd, bounds.max_cost_microusd_per_session),
      max_cost_microusd_per_day: least(daily, bounds.max_cost_microusd_per_day),
      max_cost_microusd_per_agent: least(perAgent, bounds.max_cost_microusd),
      max_concurrent: least(least(profile.max_concurrent, own.max_concurrent), bounds.max_concurrent),
      agent_rate: leastRate(leastRate(profile.agent_rate, own.agent_rate), bounds.model_rate),
    }),
  };
}

/** The same; undefined: the profile is gone from the policy, and nothing is allowed. */
export function presentProfile(policy: Policy, session: ProfiledSession): Profile | undefined {
  try {
    return effectiveProfile(policy, session);
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** The smaller of each figure. The same object if only one sets anything. */
export function leastRate(left: RateLimit | undefined, right: RateLimit | undefined): RateLimit | undefined {
  if (left === undefined || right === undefined || left === right) return left ?? right;
  const requests_per_minute = least(left.requests_per_minute, right.requests_per_minute);
  const tokens_per_minute = least(left.tokens_per_minute, right.tokens_per_minute);
  return defined({ requests_per_minute, tokens_per_minute });
}
