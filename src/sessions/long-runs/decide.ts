import { z } from "zod";
import {
  CreateLongRun,
  FeatureCount,
  LIMITS,
  LongRunEnd,
  LongRunStep,
  PrincipalRef,
  type FeatureCount as Count,
} from "../../protocol/index.ts";

/** What never changes about a long run. */
export const LongRunPlan = z.object({
  id: z.string(),
  request: CreateLongRun,
  created_at: z.string(),
  created_by: PrincipalRef,
  /** It acts with this token, as long as the token is valid. */
  token_id: z.string(),
  /** Of the templates that it names, by id, when it was made. Absent: it is of an older version. */
  template_hashes: z.record(z.string(), z.string()).optional(),
});
export type LongRunPlan = z.infer<typeof LongRunPlan>;

/** Where it is. Each change is a version of its document; versions with `step` are its history. */
export const LongRunState = z.object({
  at: z.string(),
  /** Sessions that were started. */
  sessions: z.number().int(),
  /** The first session: all others draw on its budget. Absent: none was started. */
  first_id: z.string().optional(),
  workspace: z.string().optional(),
  /** The session that works. Absent: none does. */
  session_id: z.string().optional(),
  /** The step that this change ended. Absent: it ended none. */
  step: LongRunStep.optional(),
  /** The most features that have passed so far, and since how many sessions there was not one more. */
  best: z.number().int(),
  idle: z.number().int(),
  failures: z.number().int(),
  features: FeatureCount.optional(),
  /** When the next session begins, milliseconds since the epoch. */
  next_at: z.number(),
  paused: z.boolean(),
  end: LongRunEnd.optional(),
  message: z.string().optional(),
});
export type LongRunState = z.infer<typeof LongRunState>;

const DEFAULTS = { max_sessions: 50, max_idle_sessions: 3, pause_s: 3 } as const;

export function limitsOf({
  max_sessions,
  max_idle_sessions,
  pause_s,
}: CreateLongRun): Readonly<Record<keyof typeof DEFAULTS, number>> {
  return {
    max_sessions: max_sessions ?? DEFAULTS.max_sessions,
    max_idle_sessions: max_idle_sessions ?? DEFAULTS.max_idle_sessions,
    pause_s: pause_s ?? DEFAULTS.pause_s,
  };
}

export function newRun(now: number): LongRunState {
  const at = new Date(now).toISOString();
  return { at, sessions: 0, best: 0, idle: 0, failures: 0, next_at: now, paused: false };
}

/** A session began. It is stored in the same commit as the session itself. */
export function begun(
  state: LongRunState,
  { id, workspace, at }: { readonly id: string; readonly workspace: string; readonly at: string },
): LongRunState {
  const { step: _step, message: _message, ...rest } = state;
  return { ...rest, at, session_id: id, first_id: state.first_id ?? id, workspace, sessions: state.sessions + 1 };
}

interface Ended {
  readonly outcome: LongRunStep["outcome"];
  readonly message?: string | undefined;
  readonly features: Count | undefined;
  readonly spent: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The turn failed because there was no money left. */
  readonly isOutOfMoney: boolean;
  /** A person ended the turn: nothing begins before somebody continues. */
  readonly isInterrupted: boolean;
}

/** What follows from the end of a session. */
export function ended(plan: LongRunPlan, state: LongRunState, end: Ended): LongRunState {
  const { session_id = "", message: _before, ...rest } = state;
  const { outcome, message, features, spent, now } = end;
  const at = new Date(now).toISOString();
  const passing = features?.passing ?? 0;
  const step: LongRunStep = {
    index: state.sessions,
    session_id,
    ended_at: at,
    outcome,
    spent_microusd: spent,
    ...(message === undefined ? {} : { message }),
    ...(features === undefined ? {} : { features }),
  };
  // The first session plans: it cannot make progress.
  const isBetter = passing > state.best || state.sessions === 1;
  const next: LongRunState = {
    ...rest,
    at,
    step,
    best: Math.max(state.best, passing),
    idle: isBetter ? 0 : state.idle + 1,
    failures: outcome === "completed" || isBetter || end.isInterrupted ? 0 : state.failures + 1,
    next_at: now + limitsOf(plan.request).pause_s * 1_000,
    ...(features === undefined ? {} : { features }),
  };
  const why = endOf(plan, next, end);
  if (why !== undefined) return { ...next, ...why };
  if (!end.isInterrupted) return next;
  return { ...next, paused: true, message: "Somebody stopped its session. Continue it when it may go on." };
}

function endOf(
  { request }: LongRunPlan,
  state: LongRunState,
  { features, spent, isOutOfMoney }: Ended,
): Pick<LongRunState, "end" | "message"> | undefined {
  const { max_sessions, max_idle_sessions } = limitsOf(request);
  if (features !== undefined && features.total > 0 && features.passing === features.total)
    return { end: "all_pass", message: `All ${features.total} features pass.` };
  if (isOutOfMoney || spent >= request.max_cost_microusd)
    return { end: "budget", message: "Its budget does not pay for another request." };
  if (state.sessions >= max_sessions) return { end: "max_sessions", message: `It had its ${max_sessions} sessions.` };
  if (state.failures >= LIMITS.longRunFailures)
    return { end: "failed", message: `${LIMITS.longRunFailures} sessions failed in a row.` };
  if (state.idle >= max_idle_sessions)
    return { end: "no_progress", message: `No further feature passes since ${state.idle} sessions.` };
  return undefined;
}
