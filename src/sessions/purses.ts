import { ACCOUNTS, dayOf, type Purse } from "../ledger/index.ts";
import type { LimitKind, Policy, Profile } from "../protocol/index.ts";
import type { LimitBook } from "./limit-book.ts";
import type { SessionState } from "./state.ts";

/** A session that this one draws on, as it was made. */
export interface Parent {
  readonly id: string;
  /** Micro-USD; absent: no limit of its own. */
  readonly limit?: number | undefined;
}

export interface PurseContext {
  readonly state: SessionState;
  readonly policy: Policy;
  readonly profile: Profile;
  readonly parents: readonly Parent[];
  readonly limits: LimitBook;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Every limit that a model request of this session must keep now, the nearest first. */
export function pursesOf(context: PurseContext): readonly Purse[] {
  const { state, policy, profile, parents, now } = context;
  const agent = state.created_by.id;
  const purses: Purse[] = [];
  const add = (kind: LimitKind, account: string, limit: number | undefined): void => {
    // What was set for a session holds for its children too.
    const set = context.limits.get(kind === "parent" ? "session" : kind, account);
    purses.push({ kind, account, limit: set ?? limit });
  };
  if (state.turn !== undefined) {
    const account = ACCOUNTS.turn(state.turn.id);
    add("turn", account, least(profile.max_cost_usd_per_tick, state.turn.max_cost_usd));
    add("threshold", account, profile.approval_threshold_usd);
  }
  add("session", ACCOUNTS.session(state.id), sessionLimit(state.settings.max_cost_usd, profile));
  for (const parent of parents) add("parent", ACCOUNTS.session(parent.id), sessionLimit(parent.limit, profile));
  const day = dayOf(now);
  add("agent_day", ACCOUNTS.agentDay(agent, day), profile.max_cost_usd_per_day);
  add("agent", ACCOUNTS.agent(agent), profile.max_cost_usd_per_agent);
  add("day", ACCOUNTS.day(day), policy.budget?.per_day_usd);
  add("total", ACCOUNTS.total, policy.budget?.total_usd);
  return purses;
}

function sessionLimit(own: number | undefined, profile: Profile): number | undefined {
  return least(own, profile.max_cost_usd);
}

/** The smaller of two limits, either of which may be absent. */
export function least(left: number | undefined, right: number | undefined): number | undefined {
  if (left === undefined) return right;
  return right === undefined ? left : Math.min(left, right);
}
