import {
  addUsage,
  defined,
  editedToolItem,
  Failure,
  isToolItem,
  LIMITS,
  NO_USAGE,
  SYSTEM,
  type Approval,
  type Autonomy,
  type ErrorDetail,
  type EventBody,
  type ForkedFrom,
  type Item,
  type PermissionMode,
  type PrincipalRef,
  type Prompt,
  type Status,
  type ToolItem,
  type Usage,
  UNKNOWN_OUTCOME,
} from "../../protocol/index.ts";
import { isFinal, nextInQueue, type GivenAnswer, type OpenTurn, type SessionState } from "./state.ts";

/** All commands of a session, from outside and from its own parts. */
export type SessionCommand =
  | { readonly type: "open" }
  | { readonly type: "fork"; readonly from: ForkedFrom }
  | { readonly type: "prompt"; readonly turn_id: string; readonly prompt: Prompt; readonly by: PrincipalRef }
  /** The first prompt of the queue begins; `prompt` is the content of its `turn.queued`. */
  | { readonly type: "dequeue"; readonly turn_id: string; readonly prompt: Prompt; readonly by: PrincipalRef }
  | { readonly type: "progress"; readonly changes: readonly TurnChange[] }
  | ({
      readonly type: "complete";
      readonly changes: readonly TurnChange[];
      readonly stop_reason: string;
      readonly structured_output?: unknown;
    } & EngineCost)
  | ({
      readonly type: "fail";
      readonly changes: readonly TurnChange[];
      readonly error: ErrorDetail;
      /** Who stopped the turn. Absent: nobody did. */
      readonly by?: PrincipalRef | undefined;
    } & EngineCost)
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "ask"; readonly approval: Approval }
  | { readonly type: "answer"; readonly answer: ApprovalAnswer }
  | { readonly type: "run"; readonly item: ToolItem }
  /** A model request was settled. Micro-USD; `spent` and `reserved` are the session's totals after it. */
  | {
      readonly type: "spend";
      readonly turn_id: string | undefined;
      readonly cost: number;
      /** The part of the cost that is a bound; 0: all of it was measured. */
      readonly bound: number;
      readonly spent: number;
      readonly reserved: number;
      readonly limit: number | undefined;
    }
  /** A person set the session's limit. */
  | { readonly type: "limit"; readonly spent: number; readonly reserved: number; readonly limit: number | undefined }
  | { readonly type: "configure"; readonly change: SettingsChange }
  | { readonly type: "pause" }
  | { readonly type: "unpause" }
  /** Prompts waiting now begin only after `unpause`. */
  | { readonly type: "hold" }
  /** Removes a prompt from the queue before it begins. */
  | { readonly type: "unqueue"; readonly turn_id: string; readonly by: PrincipalRef }
  | { readonly type: "close" }
  /** A restarted server continues what the last one left. */
  | { readonly type: "recover"; readonly resumable: boolean };

/** The settings that changed. If `autonomy` is set, `permission_mode` replaces the mode; absent: no mode. */
export interface SettingsChange {
  readonly model?: string;
  readonly autonomy?: Autonomy;
  readonly permission_mode?: PermissionMode;
  readonly ask_reads?: boolean;
}

/** The turn's cost as the engine's own program reports it; absent: not reported. */
interface EngineCost {
  readonly engine_cost_microusd?: number | undefined;
}

/** What an engine's turn changes. */
export type TurnChange =
  | { readonly type: "item.started" | "item.updated" | "item.completed"; readonly item: Item }
  | { readonly type: "usage"; readonly usage: Usage };

export interface ApprovalAnswer extends GivenAnswer {
  readonly approval_id: string;
  readonly scope?: "once" | "session" | undefined;
  /** With `interrupt`: prompts waiting now begin only after `unpause`. */
  readonly hold_queue?: boolean | undefined;
  readonly granted_rule?: string | undefined;
}

/** What follows from a command in a state: events, or the reason for a refusal. Pure. */
export function decide(state: SessionState, command: SessionCommand): readonly EventBody[] | Failure {
  if (isFinal(state.status))
    return new Failure("session_closed", `session ${state.id} is ${state.status}; start or fork another one`);
  switch (command.type) {
    case "open":
      return [{ type: "thread.started", thread_id: state.id }, status("ready")];
    case "fork":
      return [{ type: "session.updated", status: "ready", forked_from: command.from }];
    case "prompt":
      return prompt(state, command);
    case "dequeue":
      return [started(command), status("working")];
    case "progress":
      return state.turn === undefined ? [] : changed(state.turn, command.changes);
    case "complete":
    case "fail":
      return endTurn(state, command);
    case "notice":
      return [{ type: "error", message: command.message }];
    case "ask":
      return ask(state, command.approval);
    case "answer":
      return answer(state, command.answer);
    case "run":
      return [{ type: "item.updated", item: command.item }];
    case "spend":
      return [
        {
          type: "budget.updated",
          ...(command.turn_id === undefined ? {} : { turn_id: command.turn_id }),
          cost_microusd: command.cost,
          ...boundPart(command.bound),
          ...balance(command),
        },
      ];
    case "limit":
      return [{ type: "budget.updated", ...balance(command) }];
    case "configure":
      return configure(state, command.change);
    case "pause":
      return state.paused
        ? []
        : [{ type: "session.updated", status: state.turn === undefined ? "paused" : state.status, paused: true }];
    case "unpause":
      return unpause(state);
    case "hold":
      return hold(state, state.status);
    case "unqueue":
      return unqueue(state, command);
    case "close":
      return close(state);
    case "recover":
      return recover(state, command.resumable);
  }
}

function boundPart(bound: number | undefined): { bound_microusd?: number } {
  return bound === undefined || bound === 0 ? {} : { bound_microusd: bound };
}

function balance({ spent, reserved, limit }: { spent: number; reserved: number; limit: number | undefined }): {
  reserved_microusd: number;
  spent_microusd: number;
  limit_microusd?: number;
} {
  return {
    reserved_microusd: reserved,
    spent_microusd: spent,
    ...(limit === undefined ? {} : { limit_microusd: limit }),
  };
}

/** Only real changes are journaled. */
function configure(state: SessionState, change: SettingsChange): readonly EventBody[] {
  const { settings } = state;
  const { model, autonomy, permission_mode, ask_reads } = change;
  const told: SettingsChange = {
    ...(model === undefined || model === settings.model ? {} : { model }),
    ...(autonomy === undefined || (autonomy === settings.autonomy && permission_mode === settings.permission_mode)
      ? {}
      : { autonomy, ...(permission_mode === undefined ? {} : { permission_mode }) }),
    ...(ask_reads === undefined || ask_reads === (settings.ask_reads ?? false) ? {} : { ask_reads }),
  };
  return Object.keys(told).length === 0 ? [] : [{ type: "session.updated", status: state.status, ...told }];
}

function status(value: Status): EventBody {
  return { type: "session.updated", status: value };
}

/** The status of a session in which nothing has just begun. */
function resting(state: SessionState): Status {
  if (state.turn !== undefined) return state.pending.length > 0 ? "pending_approval" : "working";
  if (state.paused) return "paused";
  if (nextInQueue(state) !== undefined) return "queued";
  return state.turns === 0 ? "ready" : "idle";
}

function started(command: { turn_id: string; prompt: Prompt; by: PrincipalRef }): EventBody {
  return { type: "turn.started", turn_id: command.turn_id, prompt: command.prompt, by: command.by };
}

function prompt(
  state: SessionState,
  command: Extract<SessionCommand, { type: "prompt" }>,
): readonly EventBody[] | Failure {
  // Held prompts do not delay one sent after the stop.
  const waits = state.turn !== undefined || nextInQueue(state) !== undefined || state.paused;
  if (!waits) return [started(command), status("working")];
  if (state.queue.length >= LIMITS.queuedPromptsPerSession) {
    return new Failure(
      "queue_full",
      `${LIMITS.queuedPromptsPerSession} prompts wait already; try again when one has ended`,
    );
  }
  return [{ type: "turn.queued", turn_id: command.turn_id, prompt: command.prompt, by: command.by }];
}

function changed(turn: OpenTurn, changes: readonly TurnChange[]): EventBody[] {
  return changes.map((change) =>
    change.type === "usage"
      ? { type: "usage.updated", turn_id: turn.id, usage: change.usage }
      : { type: change.type, item: withApprovedInput(turn.items[change.item.id], change.item) },
  );
}

/** The engine does not know that a person changed the input, or that nobody was asked, so the ended item is corrected here. */
function withApprovedInput(known: Item | undefined, item: Item): Item {
  if (known === undefined || !isToolItem(known) || !isToolItem(item)) return item;
  // A call that was asked about after all may have been refused then.
  const unasked = item.status === "declined" || item.status === "timed_out" ? undefined : known.unasked;
  const { approved_input: _engine, ...rest } = { ...item, ...defined({ unasked }) };
  return known.approved_input === undefined ? rest : editedToolItem(rest, known.approved_input);
}

export type EndTurnCommand = Extract<SessionCommand, { type: "complete" | "fail" }>;

function endTurn(state: SessionState, command: EndTurnCommand): readonly EventBody[] {
  const turn = state.turn;
  if (turn === undefined) return [];
  const items = { ...turn.items };
  let usage = turn.usage;
  for (const change of command.changes) {
    if (change.type === "usage") usage = addUsage(usage, change.usage);
    else if (change.type === "item.completed") delete items[change.item.id];
    else items[change.item.id] = change.item;
  }
  const after: Status = state.paused ? "paused" : nextInQueue(state) === undefined ? "idle" : "queued";
  const { engine_cost_microusd } = command;
  const told = engine_cost_microusd === undefined ? {} : { engine_cost_microusd };
  return [
    ...changed(turn, command.changes),
    ...Object.values(items).map(interrupted),
    ...cancelled(state),
    command.type === "complete"
      ? {
          type: "turn.completed",
          turn_id: turn.id,
          usage,
          cost_microusd: turn.cost_microusd,
          ...boundPart(turn.bound_microusd),
          ...told,
          stop_reason: command.stop_reason,
          ...(command.structured_output === undefined ? {} : { structured_output: command.structured_output }),
        }
      : {
          type: "turn.failed",
          turn_id: turn.id,
          error: command.error,
          usage,
          ...(turn.cost_microusd === 0 ? {} : { cost_microusd: turn.cost_microusd }),
          ...boundPart(turn.bound_microusd),
          ...told,
          ...(command.by === undefined ? {} : { by: command.by }),
        },
    status(after),
  ];
}

/** Records who stopped a turn. A turn that fails by itself at the same moment was stopped by nobody. */
export function withStopper(command: EndTurnCommand, by: PrincipalRef | undefined): EndTurnCommand {
  return command.type === "fail" && command.error.code === "aborted" ? { ...command, by } : command;
}

/** An item that nobody else will end. */
function interrupted(item: Item): EventBody {
  const ended = isToolItem(item)
    ? {
        ...item,
        status: "interrupted" as const,
        is_error: true,
        output: [{ type: "text" as const, text: UNKNOWN_OUTCOME }],
      }
    : { ...item, status: "interrupted" as const };
  return { type: "item.completed", item: ended, synthetic: true };
}

function cancelled(state: SessionState): readonly EventBody[] {
  return state.pending.map((approval_id) => ({
    type: "approval.resolved",
    approval_id,
    outcome: "cancelled",
    by: SYSTEM,
    synthetic: true,
  }));
}

function ask(state: SessionState, approval: Approval): readonly EventBody[] | Failure {
  if (state.turn === undefined) return new Failure("conflict", "the turn that asks has ended");
  if (state.pending.length >= LIMITS.pendingApprovalsPerSession) {
    return new Failure("limit_reached", `${LIMITS.pendingApprovalsPerSession} questions wait already in this session`);
  }
  const asked: EventBody = { type: "approval.requested", approval };
  return state.status === "pending_approval" ? [asked] : [asked, status("pending_approval")];
}

function answer(state: SessionState, given: ApprovalAnswer): readonly EventBody[] | Failure {
  if (!state.pending.includes(given.approval_id))
    return new Failure("already_answered", "this approval was answered already");
  if (given.granted_rule !== undefined && state.grants.length >= LIMITS.grantsPerSession) {
    return new Failure(
      "limit_reached",
      `${LIMITS.grantsPerSession} rules are granted already in this session; approve once`,
    );
  }
  const left = state.pending.filter((id) => id !== given.approval_id);
  const { feedback, scope, updated_input, interrupt, planned, changed, granted_rule } = given;
  return [
    {
      type: "approval.resolved",
      approval_id: given.approval_id,
      outcome: given.outcome,
      by: given.by,
      ...defined({ feedback, scope, updated_input, interrupt, planned, changed }),
      ...(granted_rule === undefined || state.grants.includes(granted_rule) ? {} : { granted_rule }),
    },
    ...(left.length === 0 && state.turn !== undefined ? [status("working")] : []),
    ...(given.hold_queue === true ? hold(state, left.length === 0 ? "working" : state.status) : []),
  ];
}

/** Somebody stopped the turn: queued prompts must not begin by themselves. */
function hold(state: SessionState, status: Status): readonly EventBody[] {
  if (nextInQueue(state) === undefined) return [];
  return [{ type: "session.updated", status, held: state.queue.map(({ turn_id }) => turn_id) }];
}

function unpause(state: SessionState): readonly EventBody[] {
  const queue = state.queue.map(({ held: _before, ...queued }) => queued);
  const isHeld = state.queue.some(({ held }) => held === true);
  if (!state.paused && !isHeld) return [];
  return [
    {
      type: "session.updated",
      status: resting({ ...state, paused: false, queue }),
      ...(state.paused ? { paused: false } : {}),
      ...(isHeld ? { held: [] } : {}),
    },
  ];
}

function unqueue(
  state: SessionState,
  command: Extract<SessionCommand, { type: "unqueue" }>,
): readonly EventBody[] | Failure {
  const { turn_id, by } = command;
  const queue = state.queue.filter((queued) => queued.turn_id !== turn_id);
  if (queue.length === state.queue.length)
    return new Failure("not_found", "this prompt does not wait any more; it began or was removed");
  const after = resting({ ...state, queue });
  return [
    {
      type: "turn.failed",
      turn_id,
      error: { code: "aborted", message: "removed from the queue before it began" },
      usage: NO_USAGE,
      by,
    },
    ...(after === state.status ? [] : [status(after)]),
  ];
}

function close(state: SessionState): readonly EventBody[] | Failure {
  if (state.turn !== undefined) return new Failure("conflict", "a turn is open");
  return [
    ...state.queue.map((queued): EventBody => ({
      type: "turn.failed",
      turn_id: queued.turn_id,
      error: { code: "session_closed", message: "the session was closed before this prompt began" },
      usage: NO_USAGE,
    })),
    status("complete"),
  ];
}

function recover(state: SessionState, resumable: boolean): readonly EventBody[] {
  const turn = state.turn;
  if (turn === undefined) return [];
  const waiting = state.pending.length > 0;
  const restarts = turn.restarts + (waiting ? 0 : 1);
  if (!resumable || restarts > LIMITS.turnRestarts) {
    const error: ErrorDetail = resumable
      ? {
          code: "restart_limit",
          message: `the server stopped ${restarts} times during this turn; send the prompt again`,
        }
      : { code: "engine_failed", message: "the server stopped during this turn; send the prompt again" };
    return endTurn(state, { type: "fail", changes: [], error }).map((event) =>
      Object.assign({}, event, { synthetic: true as const }),
    );
  }
  return [
    ...Object.values(turn.items)
      .filter((item) => !isToolItem(item))
      .map((item): EventBody => ({ type: "item.completed", item: { ...item, status: "superseded" }, synthetic: true })),
    { type: "turn.resumed", turn_id: turn.id, restarts, synthetic: true },
  ];
}
