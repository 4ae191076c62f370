import { ACCOUNTS, dayOf, type SpendingLimit } from "../../ledger/index.ts";
import {
  limitFacts,
  mountProfileName,
  settableKind,
  type LimitKind,
  type Policy,
  type Profile,
  type Shortage,
} from "../../protocol/index.ts";
import type { SetLimits } from "./set-limits.ts";
import type { SessionState } from "../core/state.ts";
import type { TokenScope } from "../access/token-scope.ts";

/** A session whose budget this one draws on, as it was created. */
export interface Parent {
  readonly id: string;
  /** Micro-USD; absent: no limit of its own. */
  readonly limit?: number | undefined;
}

export interface LimitContext {
  readonly state: SessionState;
  readonly policy: Policy;
  readonly profile: Profile;
  readonly parents: readonly Parent[];
  readonly limits: SetLimits;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A limit, and what the policy says about it; absent: nothing. */
export interface PolicyLimit extends SpendingLimit {
  readonly policy?: number | undefined;
}

const MOUNT_PROFILES = mountProfileName("");

/** Every limit that a model request of this session must keep now, the nearest first. */
export function spendingLimitsOf(context: LimitContext): readonly PolicyLimit[] {
  const { state, profile, parents } = context;
  const spendingLimits: PolicyLimit[] = [];
  const add = (kind: LimitKind, account: string, said: number | undefined, own?: number): void => {
    spendingLimits.push({ kind, account, policy: said, limit: limitNow(context.limits, { kind, account, said, own }) });
  };
  if (state.turn !== undefined) {
    const account = ACCOUNTS.turn(state.turn.id);
    add("turn", account, profile.max_cost_microusd_per_tick, state.turn.max_cost_microusd);
    // At a mount, the whole session's spending needs an approval, as in document 003.
    const counted = state.settings.profile.startsWith(MOUNT_PROFILES) ? ACCOUNTS.session(state.id) : account;
    add("threshold", counted, profile.approval_threshold_microusd);
  }
  add("session", ACCOUNTS.session(state.id), profile.max_cost_microusd, state.settings.max_cost_microusd);
  for (const parent of parents) add("parent", ACCOUNTS.session(parent.id), profile.max_cost_microusd, parent.limit);
  return [...spendingLimits, ...principalLimits(context, { agent: state.created_by.id, token: state.token })];
}

/** Every limit that all model requests of a principal must keep now, the nearest first. */
export function principalLimits(
  context: Pick<LimitContext, "policy" | "profile" | "limits" | "now">,
  { agent, token }: { readonly agent: string; readonly token: TokenScope },
): readonly PolicyLimit[] {
  const day = dayOf(context.now);
  const { agents, everybody } = policyLimits(context, agent, day);
  // A token's spending also counts for the tokens with which it was made.
  const parents = token.parents.flatMap(({ id, bounds }): readonly SpendingLimit[] => [
    ...(bounds.max_cost_microusd_per_day === undefined
      ? []
      : [{ kind: "agent_day" as const, account: ACCOUNTS.agentDay(id, day), limit: bounds.max_cost_microusd_per_day }]),
    ...(bounds.max_cost_microusd === undefined
      ? []
      : [{ kind: "agent" as const, account: ACCOUNTS.agent(id), limit: bounds.max_cost_microusd }]),
  ]);
  return [...agents, ...parents, ...everybody].map(({ kind, account, limit: said }) => ({
    kind,
    account,
    policy: said,
    limit: limitNow(context.limits, { kind, account, said, own: undefined }),
  }));
}

/** The policy's limits for a principal, and for everybody together. */
export function policyLimits(
  { profile, policy }: Pick<LimitContext, "profile" | "policy">,
  agent: string,
  day: string,
): Readonly<Record<"agents" | "everybody", readonly SpendingLimit[]>> {
  return {
    agents: [
      { kind: "agent_day", account: ACCOUNTS.agentDay(agent, day), limit: profile.max_cost_microusd_per_day },
      { kind: "agent", account: ACCOUNTS.agent(agent), limit: profile.max_cost_microusd_per_agent },
    ],
    everybody: [
      { kind: "day", account: ACCOUNTS.day(day), limit: policy.budget?.per_day_microusd },
      { kind: "total", account: ACCOUNTS.total, limit: policy.budget?.total_microusd },
    ],
  };
}

/**
 * The limit that was too small; `changed`: it was raised meanwhile, or none of several parents has that limit any more. Undefined: it
 * cannot be raised, because it is the price of the request itself, or there is no such limit.
 */
export function spendingLimitOf(
  spendingLimits: readonly PolicyLimit[],
  { kind, limit_microusd }: Pick<Shortage, "kind" | "limit_microusd">,
): PolicyLimit | "changed" | undefined {
  const alike = spendingLimits.filter((spendingLimit) => spendingLimit.kind === kind);
  const same = alike.find(({ limit }) => limit === limit_microusd);
  const [first] = alike;
  if (same !== undefined || first === undefined) return same;
  const isRaised = kind !== "threshold" && (first.limit ?? Infinity) > limit_microusd;
  return kind === "parent" || isRaised ? "changed" : first;
}

/** The limit in force. What a person set counts until the policy changes: the later change wins. */
export function limitNow(
  limits: SetLimits,
  place: {
    readonly kind: LimitKind;
    readonly account: string;
    readonly said: number | undefined;
    readonly own: number | undefined;
  },
): number | undefined {
  const { kind, account, said, own } = place;
  const set = limits.get(settableKind(kind), account);
  if (set === undefined) return least(own, said);
  if (set.policy === said) return set.limit;
  return limitFacts(kind).set_by === "caller" ? least(set.limit, said) : said;
}

/** The smaller of two limits, either of which may be absent. */
export function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : Math.min(left, right);
}
