import { ACCOUNTS, dayOf, type SpendingLimit } from "../../ledger/index.ts";
import type { KeyRow } from "../../store/index.ts";
import { least, principalLimits, type LimitContext } from "./limits.ts";

/**
 * Every limit that a model request of an API key must keep now, the nearest first. The policy treats a key like one session
 * that lasts as long as the key. Nobody can be asked while a program waits, so the amount above which a person is asked is a limit.
 */
export function keySpendingLimits(
  context: Pick<LimitContext, "policy" | "profile" | "limits" | "now">,
  { id, bounds, owner, token }: Pick<KeyRow, "id" | "bounds" | "owner" | "token">,
): readonly SpendingLimit[] {
  const { profile, now } = context;
  const policy = least(profile.max_cost_microusd, profile.approval_threshold_microusd);
  return [
    // One request is to a key what a turn is to a session; nothing is counted on it.
    { kind: "turn", account: "", limit: profile.max_cost_microusd_per_tick },
    { kind: "key_day", account: ACCOUNTS.keyDay(id, dayOf(now)), limit: bounds.max_cost_microusd_per_day },
    { kind: "key", account: ACCOUNTS.key(id), limit: least(bounds.max_cost_microusd, policy) },
    ...principalLimits(context, { agent: owner.id, token }),
  ];
}
