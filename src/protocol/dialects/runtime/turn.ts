import { toolApprovalRequest } from "../terminal.ts";
import type { Usage } from "../../journal/content.ts";
import type { StreamFrame } from "../../journal/events.ts";
import type { Item, ToolItem } from "../../journal/items.ts";
import { isToolItem } from "../../journal/tool-items.ts";
import { LIMITS } from "../../limits.ts";
import { outputText } from "../../text/output-text.ts";
import { runtimeError, type RuntimeFinal, type RuntimeMessage } from "./messages.ts";
import { shownToolName } from "./tools.ts";

/** One message of the assistant. `sent` is the part already sent as chunks. */
interface Saying {
  readonly id: string;
  readonly message_id?: string | undefined;
  readonly sent: string;
}

/** How far a turn has been reported. */
export interface RuntimeTurn {
  /** The client's name of the session. */
  readonly sessionId: string;
  readonly turn_id: string;
  /** When it began, milliseconds since the epoch; absent: it waits. */
  readonly begun?: number | undefined;
  readonly sayings: readonly Saying[];
  /** Questions that wait for an answer, the oldest first. */
  readonly asked: readonly string[];
  readonly ended: boolean;
}

interface RuntimeUpdate {
  readonly turn: RuntimeTurn;
  readonly messages: readonly RuntimeMessage[];
}

export function newRuntimeTurn(sessionId: string, turn_id: string): RuntimeTurn {
  return { sessionId, turn_id, sayings: [], asked: [], ended: false };
}

/** What a frame of the session's stream means to the client that owns this turn. Frames of other turns yield nothing. */
export function followRuntimeTurn(turn: RuntimeTurn, frame: StreamFrame): RuntimeUpdate {
  const silent: RuntimeUpdate = { turn, messages: [] };
  if (turn.ended) return silent;
  switch (frame.type) {
    case "turn.started":
      return frame.turn_id === turn.turn_id ? { turn: { ...turn, begun: Date.parse(frame.at) }, messages: [] } : silent;
    case "turn.steered":
      // The answer to it is the rest of the turn that it went into.
      if (frame.prompt_id !== turn.turn_id) return silent;
      return { turn: { ...turn, turn_id: frame.turn_id, begun: Date.parse(frame.at) }, messages: [] };
    case "turn.completed":
      if (frame.turn_id !== turn.turn_id) return silent;
      return { turn: { ...turn, ended: true }, messages: [finalOf(turn, frame)] };
    case "turn.failed": {
      if (frame.turn_id !== turn.turn_id) return silent;
      const { code, message } = frame.error;
      const stopped = code === "aborted" || code === "rejected_and_stopped";
      return {
        turn: { ...turn, ended: true },
        messages: [
          stopped
            ? { type: "aborted", sessionId: turn.sessionId, ...(code === "aborted" ? {} : { note: message }) }
            : runtimeError(turn.sessionId, frame.error),
        ],
      };
    }
    case "item.started":
    case "item.updated":
    case "item.completed":
    case "item.delta":
    case "approval.requested":
    case "approval.resolved":
      return turn.begun === undefined ? silent : during(turn, frame);
    case "approval.extended":
    case "thread.started":
    case "turn.queued":
    case "turn.resumed":
    case "usage.updated":
    case "session.updated":
    case "budget.updated":
    case "instructions.loaded":
    case "error":
      return silent;
  }
}

type DuringTurn = Extract<
  StreamFrame,
  {
    type:
      | "item.started"
      | "item.updated"
      | "item.completed"
      | "item.delta"
      | "approval.requested"
      | "approval.resolved";
  }
>;

function during(turn: RuntimeTurn, frame: DuringTurn): RuntimeUpdate {
  const { sessionId, asked } = turn;
  switch (frame.type) {
    case "item.delta":
      return frame.field === "text" ? more(turn, frame.item_id, frame.delta) : { turn, messages: [] };
    case "item.started":
      if (isToolItem(frame.item)) return { turn, messages: [toolUse(sessionId, frame.item)] };
      return shown(begin(turn, frame.item), frame.item);
    case "item.updated":
      return isToolItem(frame.item) ? { turn, messages: [] } : shown(begin(turn, frame.item), frame.item);
    case "item.completed":
      if (isToolItem(frame.item)) return { turn, messages: [toolUse(sessionId, frame.item)] };
      if (frame.item.status === "superseded") return withdrawn(turn, frame.item.id);
      return shown(begin(turn, frame.item), frame.item);
    case "approval.requested": {
      const { id, tool, input } = frame.approval;
      const request = {
        ...toolApprovalRequest(frame.approval),
        sessionId,
        requestId: id,
        toolName: shownToolName(tool),
      };
      return {
        turn: { ...turn, asked: [...asked, id] },
        messages: [{ ...request, input, type: "approval_request" }],
      };
    }
    case "approval.resolved": {
      const { approval_id, outcome } = frame;
      if (!asked.includes(approval_id)) return { turn, messages: [] };
      return {
        turn: { ...turn, asked: asked.filter((id) => id !== approval_id) },
        messages: [{ type: "approval_resolved", sessionId, requestId: approval_id, status: outcome }],
      };
    }
  }
}

/** A message of the assistant itself becomes part of the answer; a sub-agent's text does not. */
function begin(turn: RuntimeTurn, item: Item): RuntimeTurn {
  if (item.type !== "agent_message" || item.parent_id !== undefined) return turn;
  if (turn.sayings.some(({ id }) => id === item.id)) return turn;
  return { ...turn, sayings: [...turn.sayings, { id: item.id, message_id: item.message_id, sent: "" }] };
}

/** More text of a message that is open. */
function more(turn: RuntimeTurn, item_id: string, delta: string): RuntimeUpdate {
  const at = turn.sayings.findIndex(({ id }) => id === item_id);
  const saying = turn.sayings[at];
  if (saying === undefined || delta === "") return { turn, messages: [] };
  const content = saying.sent === "" ? gap(turn.sayings, at) + delta : delta;
  const sayings = turn.sayings.with(at, { ...saying, sent: saying.sent + delta });
  return { turn: { ...turn, sayings }, messages: [{ type: "chunk", sessionId: turn.sessionId, content }] };
}

/** The whole text of a message so far: sends what is new. */
function shown(turn: RuntimeTurn, item: Item): RuntimeUpdate {
  const at = turn.sayings.findIndex(({ id }) => id === item.id);
  const saying = turn.sayings[at];
  if (item.type !== "agent_message" || saying === undefined) return { turn, messages: [] };
  const { text } = item;
  if (text.startsWith(saying.sent)) return more(turn, item.id, text.slice(saying.sent.length));
  // A snapshot may be older than the last chunk.
  if (item.status === "in_progress" && saying.sent.startsWith(text)) return { turn, messages: [] };
  const { sessionId } = turn;
  const content = contentOf(turn.sayings.toSpliced(at, 1));
  const anew = more({ ...turn, sayings: turn.sayings.with(at, { ...saying, sent: "" }) }, item.id, text);
  return { turn: anew.turn, messages: [{ type: "revision_start", sessionId, content }, ...anew.messages] };
}

/** A message that was cut off and will be repeated. */
function withdrawn(turn: RuntimeTurn, item_id: string): RuntimeUpdate {
  const { sessionId } = turn;
  const gone = turn.sayings.find(({ id }) => id === item_id);
  if (gone === undefined) return { turn, messages: [] };
  const sayings = turn.sayings.filter(({ id }) => id !== item_id);
  return {
    turn: { ...turn, sayings },
    messages: gone.sent === "" ? [] : [{ type: "revision_start", sessionId, content: contentOf(sayings) }],
  };
}

/** The separator between a message and the last non-empty one before it. */
function gap(sayings: readonly Saying[], at: number): string {
  const before = sayings.slice(0, at).findLast(({ sent }) => sent !== "");
  if (before === undefined) return "";
  const together = before.message_id !== undefined && before.message_id === sayings[at]?.message_id;
  return together ? "" : "\n\n";
}

function contentOf(sayings: readonly Saying[]): string {
  return sayings.map(({ sent }, at) => (sent === "" ? "" : gap(sayings, at) + sent)).join("");
}

function toolUse(sessionId: string, item: ToolItem): RuntimeMessage {
  const { tool, input, approved_input, tool_use_id, status } = item;
  const named = {
    type: "tool_use" as const,
    sessionId,
    tool: shownToolName(tool),
    input: approved_input ?? input,
    ...(approved_input === undefined ? {} : { askedInput: input }),
  };
  if (status === "in_progress") return { ...named, status: "running", tool_use_id };
  if (status === "completed") return { ...named, status: "completed", tool_use_id };
  const error = outputText(item.output ?? []).slice(0, LIMITS.feedbackChars);
  return { ...named, status: "failed", tool_use_id, error };
}

function finalOf(
  turn: RuntimeTurn,
  ended: {
    readonly usage: Usage;
    readonly cost_microusd: number;
    readonly bound_microusd?: number | undefined;
    readonly at: string;
  },
): RuntimeFinal {
  const { usage, cost_microusd, bound_microusd, at } = ended;
  const cost = cost_microusd / 1_000_000;
  return {
    type: "final",
    sessionId: turn.sessionId,
    content: contentOf(turn.sayings),
    usage: {
      input_tokens: usage.input_tokens,
      output_tokens: usage.output_tokens,
      cache_read_input_tokens: usage.cache_read_tokens,
      cache_creation_input_tokens: usage.cache_write_tokens,
    },
    cost_usd: cost,
    ...(bound_microusd === undefined ? {} : { bound_usd: bound_microusd / 1_000_000 }),
    num_turns: usage.model_calls,
    metrics: {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cacheReadTokens: usage.cache_read_tokens,
      cacheCreationTokens: usage.cache_write_tokens,
      costUsd: cost,
      numTurns: usage.model_calls,
      durationMs: turn.begun === undefined ? null : Math.max(0, Date.parse(at) - turn.begun),
      durationApiMs: null,
    },
  };
}
