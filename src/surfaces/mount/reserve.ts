import {
  Failure,
  LIMITS,
  type BudgetLine,
  type ClaudeBudget,
  type ClaudeMountUsage,
  type Profile,
  type SessionSettings,
  type SessionView,
  type Status,
} from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";
import { profileOfMount, type MountContext } from "./context.ts";

const OPEN: readonly Status[] = ["creating", "ready", "queued", "working", "pending_approval", "paused", "idle"];
/** The metadata key for the session whose budget it draws on. */
export const PARENT_NOTE = "parent_session_id";

/** A principal's sessions that have not ended, the newest first within each status. */
async function openSessions(gateway: Gateway, caller: Caller): Promise<readonly SessionView[]> {
  const pages = await Promise.all(
    OPEN.map((status) => gateway.sessions.list(caller, { status, limit: LIMITS.pageSizeMax })),
  );
  return pages.flatMap(({ sessions }) => sessions).filter(({ created_by }) => created_by.id === caller.id);
}

/** What open sessions may still spend: each was promised its limit. Those that draw on another's budget are already part of it. */
function held(sessions: readonly SessionView[]): number {
  const ids = new Set(sessions.map(({ id }) => id));
  let sum = 0;
  for (const { limit_microusd, cost_microusd, forked_from, settings } of sessions) {
    const parent = forked_from?.session_id ?? settings.metadata?.[PARENT_NOTE];
    if (typeof parent === "string" && ids.has(parent)) continue;
    if (limit_microusd !== undefined) sum += Math.max(0, limit_microusd - cost_microusd);
  }
  return sum;
}

/** Refuses a session whose limit does not fit into what its principal has left after the promises to its other sessions. */
export async function checkReserve(
  gateway: Gateway,
  caller: Caller,
  {
    settings,
    profile,
    parent,
    asked,
  }: {
    readonly settings: SessionSettings;
    readonly profile: Profile;
    /** Absent: it draws on nobody's budget. */
    readonly parent: string | undefined;
    /** The limit in the request itself. Absent: it came from elsewhere, such as the session that it continues. */
    readonly asked: number | undefined;
  },
): Promise<void> {
  const { max_cost_microusd: wanted } = settings;
  await checkNumber(gateway, caller, profile);
  if (wanted === undefined) return;
  if (parent !== undefined) {
    const { remaining_microusd } = await gateway.usage.session(caller, parent);
    // Without a limit of its own it gets what is left: each request also counts on the parent's limit.
    const least = asked ?? 1;
    if (remaining_microusd !== undefined && least > remaining_microusd)
      throw exceeded(asked ?? wanted, remaining_microusd, `session ${parent} has left`);
    return;
  }
  const { max_cost_microusd_per_day, max_cost_microusd_per_agent } = profile;
  if (max_cost_microusd_per_day === undefined && max_cost_microusd_per_agent === undefined) return;
  const [budgets, sessions] = await Promise.all([budgetsOf(gateway, caller), openSessions(gateway, caller)]);
  const promised = held(sessions);
  for (const [kind, limit, words] of [
    ["agent_day", max_cost_microusd_per_day, "you have left today"],
    ["agent", max_cost_microusd_per_agent, "you have left"],
  ] as const) {
    if (limit === undefined) continue;
    const left = Math.max(0, limit - spentOf(budgets, kind) - promised);
    if (wanted > left) throw exceeded(wanted, left, words);
  }
}

/** The gateway counts if the policy has a number; the default mount's own is only known here. */
async function checkNumber(gateway: Gateway, caller: Caller, { max_concurrent }: Profile): Promise<void> {
  if (max_concurrent === undefined) return;
  const open = (await openSessions(gateway, caller)).length;
  if (open < max_concurrent) return;
  throw new Failure(
    "limit_reached",
    `max concurrent sessions exceeded: ${max_concurrent} of yours are open; close one first`,
  );
}

function exceeded(wanted: number, left: number, words: string): Failure {
  return new Failure(
    "budget_exceeded",
    `budget exceeded: max_cost_usd ${wanted} is more than ${words} (${left} micro-USD beside open sessions); ask for less, or stop a session`,
  );
}

async function budgetsOf(gateway: Gateway, caller: Caller): Promise<readonly BudgetLine[]> {
  return (await gateway.usage.report(caller, { by: ["engine"], limit: 1 })).budgets;
}

function spentOf(budgets: readonly BudgetLine[], kind: BudgetLine["kind"]): number {
  return budgets.find((line) => line.kind === kind)?.spent_microusd ?? 0;
}

/** The newest open turn and this day, for the caller alone. Micro-USD. */
export async function usageOfMount(context: MountContext, caller: Caller): Promise<ClaudeMountUsage> {
  const { gateway } = context;
  const { profile } = profileOfMount(context, caller);
  const [budgets, sessions] = await Promise.all([budgetsOf(gateway, caller), openSessions(gateway, caller)]);
  const [newest] = sessions
    .filter(({ turn_id }) => turn_id !== undefined)
    .toSorted((left, right) => right.updated_at.localeCompare(left.updated_at));
  const turn =
    newest === undefined
      ? undefined
      : (await gateway.usage.session(caller, newest.id)).budgets.find(({ kind }) => kind === "turn");
  const inFlight = budgets.find(({ kind }) => kind === "agent_day")?.reserved_microusd ?? 0;
  return {
    tick: budgetOf(profile.max_cost_microusd_per_tick, turn?.spent_microusd ?? 0, turn?.reserved_microusd ?? 0),
    day: budgetOf(profile.max_cost_microusd_per_day, spentOf(budgets, "agent_day"), Math.max(inFlight, held(sessions))),
  };
}

function budgetOf(limit: number | undefined, spent: number, reserved: number): ClaudeBudget {
  return {
    reserved_usd: reserved,
    spent_usd: spent,
    limit_usd: limit ?? null,
    remaining_usd: limit === undefined ? null : Math.max(0, limit - spent - reserved),
  };
}
