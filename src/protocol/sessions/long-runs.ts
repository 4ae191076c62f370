import { z } from "zod";
import { LIMITS } from "../limits.ts";
import { MicroUsd } from "../models/money.ts";
import { PrincipalRef } from "../access/principals.ts";
import { CreateSession } from "./sessions.ts";

/** Why a long run has ended. */
export const LongRunEnd = z.enum(["all_pass", "no_progress", "max_sessions", "budget", "failed", "stopped"]);
export type LongRunEnd = z.infer<typeof LongRunEnd>;

/** `waiting`: between two sessions. `paused`: until somebody continues it. */
export const LongRunStatus = z.enum(["working", "waiting", "paused", "ended"]);
export type LongRunStatus = z.infer<typeof LongRunStatus>;

const TemplateId = z.string().min(1).max(100);

/** Sessions one after the other on one task, in one workspace, within one budget. */
export const CreateLongRun = z
  .object({
    name: z.string().min(1).max(200),
    /** What is to be built. */
    task: z.string().min(1).max(LIMITS.longRunTaskChars),
    /** The most that all its sessions may cost together, micro-USD. */
    max_cost_microusd: MicroUsd,
    /** A template for the first session, which writes `feature_list.json`. Absent: the shipped one. */
    initializer: TemplateId.optional(),
    /** A template for the sessions after it. Absent: the shipped one. */
    coder: TemplateId.optional(),
    /** What holds for all its sessions, whatever the templates say: engine, model, workspace, profile … */
    session: CreateSession.optional(),
    /** Absent: 50. */
    max_sessions: z.number().int().min(1).max(LIMITS.longRunSessions).optional(),
    /** Sessions in a row without one more feature that passes, before it ends. Absent: 3. */
    max_idle_sessions: z.number().int().min(1).max(LIMITS.longRunSessions).optional(),
    /** Seconds between two sessions. Absent: 3. */
    pause_s: z.number().int().min(0).max(LIMITS.longRunPauseS).optional(),
  })
  .strict();
export type CreateLongRun = z.infer<typeof CreateLongRun>;

export const FeatureCount = z.object({ passing: z.number().int(), total: z.number().int() });
export type FeatureCount = z.infer<typeof FeatureCount>;

/** One session of a long run, after its end. */
export const LongRunStep = z.object({
  /** From 1. */
  index: z.number().int(),
  session_id: z.string(),
  ended_at: z.string(),
  outcome: z.enum(["completed", "failed", "deleted"]),
  /** Why it failed, for people. Absent: it did not. */
  message: z.string().optional(),
  /** Of `feature_list.json` after it. Absent: there is none that can be read. */
  features: FeatureCount.optional(),
  /** Of the whole long run until then, micro-USD. */
  spent_microusd: z.number().int(),
});
export type LongRunStep = z.infer<typeof LongRunStep>;

export const LongRunView = z.object({
  id: z.string(),
  name: z.string(),
  task: z.string(),
  status: LongRunStatus,
  end: LongRunEnd.optional(),
  /** For people: why it is paused, waits or has ended. Absent: nothing is to be said. */
  message: z.string().optional(),
  created_at: z.string(),
  updated_at: z.string(),
  created_by: PrincipalRef,
  /** Sessions that were started. */
  sessions: z.number().int(),
  max_sessions: z.number().int(),
  /** The session that works now. Absent: none does. */
  session_id: z.string().optional(),
  /** When the next session begins. Absent: it is not due. */
  next_at: z.string().optional(),
  features: FeatureCount.optional(),
  spent_microusd: z.number().int(),
  max_cost_microusd: z.number().int(),
  workspace: z.string().optional(),
});
export type LongRunView = z.infer<typeof LongRunView>;

export const Feature = z.object({ description: z.string(), passes: z.boolean() });
export type Feature = z.infer<typeof Feature>;

/** With what happened so far, the oldest first, and the features as they are now. */
export const LongRunDetail = LongRunView.extend({ steps: z.array(LongRunStep), feature_list: z.array(Feature) });
export type LongRunDetail = z.infer<typeof LongRunDetail>;

export const LongRunList = z.object({ long_runs: z.array(LongRunView) });
export type LongRunList = z.infer<typeof LongRunList>;

/** The two templates that are used where a long run names none. */
export const LongRunTemplates = z.object({ initializer: CreateSession, coder: CreateSession });
export type LongRunTemplates = z.infer<typeof LongRunTemplates>;
