import {
  addUsage,
  defined,
  editedToolItem,
  Failure,
  isToolItem,
  LIMITS,
  NO_USAGE,
  REVIEW_TOOL,
  SYSTEM,
  type Approval,
  type ErrorDetail,
  type EventBody,
  type Item,
  type LabelSession,
  type PrincipalRef,
  type Prompt,
  type Status,
  UNKNOWN_OUTCOME,
} from "../../protocol/index.ts";
import type { ApprovalAnswer, SessionCommand, SettingsChange, TurnChange } from "./commands.ts";
import { imported } from "./decide-import.ts";
import { hold, requeued, resting } from "./decide-queue.ts";
import { endsWithTurn, isFinal, nextInQueue, type OpenTurn, type SessionState } from "./state.ts";

/** What follows from a command in a state: events, or the reason for a refusal. Pure. */
export function decide(state: SessionState, command: SessionCommand): readonly EventBody[] | Failure {
  if (isFinal(state.status) && command.type !== "label")
    return new Failure("session_closed", `session ${state.id} is ${state.status}; start or fork another one`);
  switch (command.type) {
    case "open":
      return [{ type: "thread.started", thread_id: state.id }, status("ready")];
    case "fork":
      return [{ type: "session.updated", status: "ready", forked_from: command.from }];
    case "import":
      return imported(state, command);
    case "prompt":
      return prompt(state, command);
    case "dequeue":
      return [...withdrawn(state, WORKS_ON), started(command), status("working")];
    case "progress":
      return state.turn === undefined ? [] : changed(state.turn, command.changes);
    case "complete":
    case "fail":
      return endTurn(state, command);
    case "notice":
      return [{ type: "error", message: command.message }];
    case "instruct":
      return instructed(state, command);
    case "ask":
      return ask(state, command.approval);
    case "answer":
      return answer(state, command.answer);
    case "label":
    case "extend":
    case "revoke":
      return tidy(state, command);
    case "reviewed":
      return reviewed(state, command);
    case "run":
      return [{ type: "item.updated", item: command.item }];
    case "spend":
      return [spent(command)];
    case "limit":
      return [{ type: "budget.updated", ...balance(command) }];
    case "configure":
      return configure(state, command.change);
    case "identify":
      return identify(state, command.engine_session_id);
    case "pause":
    case "unpause":
      return command.type === "pause" ? pause(state) : unpause(state);
    case "unqueue":
      return unqueue(state, command);
    case "hold":
    case "edit":
    case "reorder":
    case "send_now":
    case "steer":
      return requeued(state, command);
    case "close":
      return close(state);
    case "recover":
      return recover(state, command.resumable);
  }
}

function pause({ paused, turn, status: before }: SessionState): readonly EventBody[] {
  if (paused) return [];
  return [{ type: "session.updated", status: turn === undefined ? "paused" : before, paused: true }];
}

function spent(command: Extract<SessionCommand, { type: "spend" }>): EventBody {
  return {
    type: "budget.updated",
    ...(command.turn_id === undefined ? {} : { turn_id: command.turn_id }),
    cost_microusd: command.cost,
    ...boundPart(command.bound),
    ...balance(command),
  };
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

/** Only what differs from the last time is journaled. */
function instructed(
  { instructions_digest = "" }: SessionState,
  { files, left_out, digest }: Extract<SessionCommand, { type: "instruct" }>,
): readonly EventBody[] {
  if (digest === instructions_digest) return [];
  return [{ type: "instructions.loaded", files: [...files], left_out: [...left_out], digest }];
}

function identify(state: SessionState, engine_session_id: string): readonly EventBody[] {
  const isKnown = state.engine_session_id === engine_session_id;
  return isKnown ? [] : [{ type: "session.updated", status: state.status, engine_session_id }];
}

/** Only real changes are journaled. */
function configure(state: SessionState, change: SettingsChange): readonly EventBody[] {
  const { settings } = state;
  const { model, provider, routed_from, autonomy, permission_mode, ask_reads } = change;
  const told: SettingsChange = {
    ...(model === undefined || model === settings.model ? {} : { model }),
    ...(provider === undefined || provider === settings.provider ? {} : defined({ provider, routed_from })),
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

function started(command: { turn_id: string; prompt: Prompt; by: PrincipalRef }): EventBody {
  return { type: "turn.started", turn_id: command.turn_id, prompt: command.prompt, by: command.by };
}

function prompt(
  state: SessionState,
  command: Extract<SessionCommand, { type: "prompt" }>,
): readonly EventBody[] | Failure {
  if (endsWithTurn(state) && (state.turn !== undefined || state.queue.length > 0))
    return new Failure("conflict", `session ${state.id} is a job, which has one prompt; start another one`);
  if (state.settings.job !== undefined && state.turns + state.queue.length >= LIMITS.interactiveCommands)
    return new Failure(
      "limit_reached",
      `session ${state.id} has had its ${LIMITS.interactiveCommands} commands; start another one`,
    );
  // Held prompts do not delay one sent after the stop.
  const waits = state.turn !== undefined || nextInQueue(state) !== undefined || state.paused;
  if (!waits) return [...withdrawn(state, WORKS_ON), started(command), status("working")];
  if (state.queue.length >= LIMITS.queuedPromptsPerSession) {
    return new Failure(
      "queue_full",
      `${LIMITS.queuedPromptsPerSession} prompts wait already; try again when one has ended`,
    );
  }
  const { turn_id, prompt, by, now = false } = command;
  const isForOpenTurn = now && state.turn !== undefined;
  return [{ type: "turn.queued", turn_id, prompt, by, ...(isForOpenTurn ? { now: true as const } : {}) }];
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
  const after = afterTurn(state);
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

/** The status after a turn has ended. A job ends with its turn. */
function afterTurn(state: SessionState): Status {
  if (endsWithTurn(state)) return "complete";
  if (state.paused) return "paused";
  return nextInQueue(state) === undefined ? "idle" : "queued";
}

/** Records who stopped a turn. If the turn fails by itself at the same moment, nobody stopped it. */
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

const WORKS_ON = "The session goes on. Its changes are asked about again when it has ended its turn.";
const CHANGED_MEANWHILE =
  "The changes are no longer those that were shown. Another question shows them as they are now.";
const SESSION_ENDS = "The session was closed. Its changes can still be decided on: open them at the session.";

/** Ends the review that waits, if there is one. */
function withdrawn({ review }: SessionState, feedback: string): readonly EventBody[] {
  if (review === undefined) return [];
  const { approval_id } = review;
  return [{ type: "approval.resolved", approval_id, outcome: "cancelled", by: SYSTEM, feedback }];
}

/** Only between turns: what is shown must not change meanwhile. */
function askForReview(state: SessionState, approval: Approval): readonly EventBody[] | Failure {
  if (state.turn !== undefined || (nextInQueue(state) !== undefined && !state.paused))
    return new Failure("conflict", "the session goes on before its changes can be reviewed");
  return [...withdrawn(state, CHANGED_MEANWHILE), { type: "approval.requested", approval }];
}

function reviewed(
  state: SessionState,
  { revision, why }: Extract<SessionCommand, { type: "reviewed" }>,
): readonly EventBody[] {
  if (state.turn !== undefined) return [];
  return [...withdrawn(state, why), { type: "session.updated", status: state.status, reviewed: revision }];
}

function ask(state: SessionState, approval: Approval): readonly EventBody[] | Failure {
  if (approval.tool === REVIEW_TOOL) return askForReview(state, approval);
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
    ...(given.hold_queue === true ? hold({ ...state, pending: left }) : []),
  ];
}

/** What people do besides prompts and answers. */
function tidy(
  state: SessionState,
  command: Extract<SessionCommand, { type: "label" | "extend" | "revoke" }>,
): readonly EventBody[] | Failure {
  if (command.type === "label") return label(state, command.label);
  return command.type === "extend" ? extend(state, command) : revoke(state, command.rule);
}

/** Only real changes are journaled. */
function label(state: SessionState, { title, tags, archived }: LabelSession): readonly EventBody[] {
  const changes = defined({
    title: title === undefined || title === state.title ? undefined : title === "" ? (state.prompt_title ?? "") : title,
    tags: tags === undefined || tags.join(",") === (state.tags ?? []).join(",") ? undefined : tags,
    archived: archived === (state.archived ?? false) ? undefined : archived,
  });
  return Object.keys(changes).length === 0 ? [] : [{ type: "session.updated", status: state.status, ...changes }];
}

function extend(
  state: SessionState,
  { approval_id, expires_at, by }: Extract<SessionCommand, { type: "extend" }>,
): readonly EventBody[] | Failure {
  return state.pending.includes(approval_id)
    ? [{ type: "approval.extended", approval_id, expires_at, by }]
    : new Failure("already_answered", "this approval was answered already");
}

function revoke(state: SessionState, rule: string): readonly EventBody[] | Failure {
  return state.grants.includes(rule)
    ? [{ type: "session.updated", status: state.status, revoked_rule: rule }]
    : new Failure("not_found", "this rule is not granted in this session");
}

/** Somebody stopped the turn: queued prompts must not begin by themselves. */
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
    ...withdrawn(state, SESSION_ENDS),
    status("complete"),
  ];
}

function recover(state: SessionState, resumable: boolean): readonly EventBody[] {
  const turn = state.turn;
  // An earlier version let a session whose queue was held between two turns stay `queued`.
  if (turn === undefined) return state.status === "queued" && nextInQueue(state) === undefined ? [status("idle")] : [];
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
