import { z } from "zod";
import { Approval, Outcome, PlannedChange } from "../sessions/approvals.ts";
import { Prompt, Usage } from "./content.ts";
import { ErrorDetail } from "../errors.ts";
import { ModelPlace } from "../models/failover.ts";
import { LoadedFile, SkippedFile } from "../sessions/instructions.ts";
import { Item } from "./items.ts";
import { Autonomy, PermissionMode } from "../access/policy.ts";
import { PrincipalRef } from "../access/principals.ts";
import { ForkedFrom, Status } from "../sessions/sessions.ts";

const mark = {
  /** The engine's own message behind an event, if there is one. */
  source: z.object({ engine: z.string(), raw: z.unknown().optional() }).optional(),
  /** Written by Sallyport on behalf of something that had already ended. */
  synthetic: z.literal(true).optional(),
};

/** The part of `cost_microusd` that is a bound: the usage was not reported, so the maximum counts. Absent: none. */
const boundPart = { bound_microusd: z.number().int().positive().optional() };

const engineCost = {
  /** The turn's cost as the engine's own program sees it, by its own prices. The meter's `cost_microusd` counts. Absent: unknown. */
  engine_cost_microusd: z.number().int().nonnegative().optional(),
};

/** What happened, without its position in the journal: `decide` returns it and `fold` takes it. */
export const EventBody = z.discriminatedUnion("type", [
  z.object({ ...mark, type: z.literal("thread.started"), thread_id: z.string() }),
  z.object({
    ...mark,
    type: z.literal("turn.queued"),
    turn_id: z.string(),
    prompt: Prompt,
    by: PrincipalRef,
    /** It goes into the open turn; see `turn.steered`. Absent: it begins a turn of its own. */
    now: z.literal(true).optional(),
  }),
  z.object({ ...mark, type: z.literal("turn.started"), turn_id: z.string(), prompt: Prompt, by: PrincipalRef }),
  /** A queued prompt became part of the open turn: `prompt_id` is the id under which it waited. The model reads it from here on. */
  z.object({
    ...mark,
    type: z.literal("turn.steered"),
    turn_id: z.string(),
    prompt_id: z.string(),
    prompt: Prompt,
    by: PrincipalRef,
  }),
  /** A restarted server continues a turn that the last one left open. */
  z.object({ ...mark, type: z.literal("turn.resumed"), turn_id: z.string(), restarts: z.number().int() }),
  z.object({ ...mark, type: z.literal("item.started"), item: Item }),
  z.object({ ...mark, type: z.literal("item.updated"), item: Item }),
  z.object({ ...mark, type: z.literal("item.completed"), item: Item }),
  /** One model call's tokens; the turn's terminal event carries their sum. */
  z.object({ ...mark, type: z.literal("usage.updated"), turn_id: z.string(), usage: Usage }),
  z.object({
    ...mark,
    type: z.literal("turn.completed"),
    turn_id: z.string(),
    usage: Usage,
    cost_microusd: z.number().int(),
    ...boundPart,
    ...engineCost,
    stop_reason: z.string(),
    /** The answer in the form of the session's `output_schema`; absent: it has none, or the turn ended before. */
    structured_output: z.unknown().optional(),
  }),
  z.object({
    ...mark,
    type: z.literal("turn.failed"),
    turn_id: z.string(),
    error: ErrorDetail,
    usage: Usage,
    /** As known when the turn ended: the cost of an interrupted request follows in a `budget.updated`. Absent: nothing. */
    cost_microusd: z.number().int().optional(),
    ...boundPart,
    ...engineCost,
    /** Who stopped it, or removed it from the queue; absent: nobody did. */
    by: PrincipalRef.optional(),
  }),
  z.object({ ...mark, type: z.literal("approval.requested"), approval: Approval }),
  z.object({
    ...mark,
    type: z.literal("approval.resolved"),
    approval_id: z.string(),
    outcome: Outcome,
    by: PrincipalRef,
    feedback: z.string().optional(),
    scope: z.enum(["once", "session"]).optional(),
    updated_input: z.record(z.string(), z.unknown()).optional(),
    interrupt: z.boolean().optional(),
    /** With `updated_input`: the file change that it makes. */
    planned: PlannedChange.optional(),
    /** With `cancelled`: what was shown has changed, so another question about the same call follows. */
    changed: z.literal(true).optional(),
    /** The rule that an approval for the session added. */
    granted_rule: z.string().optional(),
  }),
  /** Somebody gave a question more time. */
  z.object({
    ...mark,
    type: z.literal("approval.extended"),
    approval_id: z.string(),
    expires_at: z.string(),
    by: PrincipalRef,
  }),
  z.object({
    ...mark,
    type: z.literal("session.updated"),
    status: Status,
    forked_from: ForkedFrom.optional(),
    /** The settings that changed. If `autonomy` is set, `permission_mode` replaces the mode; absent: no mode. */
    model: z.string().optional(),
    /** Another provider takes the place of one that fails; `routed_from` is what the session asked for. */
    provider: z.string().optional(),
    routed_from: ModelPlace.optional(),
    autonomy: Autonomy.optional(),
    permission_mode: PermissionMode.optional(),
    ask_reads: z.boolean().optional(),
    paused: z.boolean().optional(),
    /** All queued prompts that wait for `resume`; absent: unchanged. */
    held: z.array(z.string()).optional(),
    /** All queued prompts in the order in which they begin; absent: unchanged. */
    queue: z.array(z.string()).optional(),
    /** All queued prompts that go into the open turn; absent: unchanged. */
    now: z.array(z.string()).optional(),
    /** What a queued prompt says from now on, and who changed it; absent: none was changed. */
    edited: z.object({ turn_id: z.string(), prompt: Prompt, by: PrincipalRef }).optional(),
    /** The revision of the session's change set that nobody has to review any more; absent: unchanged. */
    reviewed: z.string().optional(),
    /** What the engine's own program calls the conversation from now on; absent: unchanged. */
    engine_session_id: z.string().optional(),
    /** What people call it and where they put it; absent: unchanged. An empty title: as the first prompt names it. */
    title: z.string().optional(),
    tags: z.array(z.string()).optional(),
    archived: z.boolean().optional(),
    /** A rule of `grants` that somebody took back; absent: none. */
    revoked_rule: z.string().optional(),
    error: ErrorDetail.optional(),
  }),
  /** The session's spending, after a model request was settled or its limit was changed. */
  z.object({
    ...mark,
    type: z.literal("budget.updated"),
    /** The turn that the request belonged to; absent between turns and when the limit was changed. */
    turn_id: z.string().optional(),
    /** What this request cost; absent when the limit was changed. */
    cost_microusd: z.number().int().optional(),
    ...boundPart,
    reserved_microusd: z.number().int(),
    spent_microusd: z.number().int(),
    limit_microusd: z.number().int().optional(),
  }),
  /** What the workspace says to agents, as it is from this turn on. Only when it changed; never for a workspace that says nothing. */
  z.object({
    ...mark,
    type: z.literal("instructions.loaded"),
    files: z.array(LoadedFile),
    left_out: z.array(SkippedFile),
    /** Equal for equal files. */
    digest: z.string(),
  }),
  z.object({ ...mark, type: z.literal("error"), message: z.string() }),
]);
export type EventBody = z.infer<typeof EventBody>;

/** One line of the journal. `seq` counts 1, 2, 3 … within the session. */
export type JournalEvent = { readonly seq: number; readonly session_id: string; readonly at: string } & EventBody;
export const JournalEvent = z.intersection(
  z.object({ seq: z.number().int().positive(), session_id: z.string(), at: z.string() }),
  EventBody,
);

/**
 * Live-only: more text of an open item (`text`), or more output of a running tool (`output`). Never journaled, never
 * numbered: a completed item is the truth.
 */
export const Delta = z.object({
  type: z.literal("item.delta"),
  session_id: z.string(),
  item_id: z.string(),
  field: z.enum(["text", "output", "input"]),
  delta: z.string(),
});
export type Delta = z.infer<typeof Delta>;

/** The text so far of an item that is open when a watcher arrives: not numbered. */
export type Snapshot = { readonly type: "item.updated"; readonly session_id: string; readonly item: Item };

export type Live = Delta | Snapshot;
export type StreamFrame = JournalEvent | Live;

export function isTerminal(event: EventBody): event is Extract<EventBody, { type: "turn.completed" | "turn.failed" }> {
  return event.type === "turn.completed" || event.type === "turn.failed";
}
