import { isServerQuestion } from "../../sessions/approval-words.ts";
import type { StreamFrame } from "../../journal/events.ts";
import type { Item, ToolItem } from "../../journal/items.ts";
import { isToolItem } from "../../journal/tool-items.ts";
import { LIMITS } from "../../limits.ts";
import { outputText } from "../../text/output-text.ts";
import { failureOf, usageOf } from "./failure.ts";
import { answerRow, questionRow, sessionRows } from "./questions.ts";
import type { CompatItem, CompatRow } from "./rows.ts";
import { summarize } from "./summary.ts";

type AgentMessage = Extract<Item, { type: "agent_message" }>;

export interface CompatState {
  readonly mapping: "compat";
  /** The number of the next item without an id of its own. */
  readonly next: number;
  /** Text that waits for more of the same message; absent: none. */
  readonly held: { readonly text: string; readonly message_id: string | undefined } | undefined;
}

export interface CompatStep {
  readonly state: CompatState;
  readonly rows: readonly CompatRow[];
}

export const COMPAT_START: CompatState = { mapping: "compat", next: 0, held: undefined };

/** A frame in document 002's own words: every tool is a `command_execution`, and text comes whole. Pure. */
export function compatRows(state: CompatState, frame: StreamFrame): CompatStep {
  switch (frame.type) {
    case "turn.started":
      return {
        state: COMPAT_START,
        rows: [{ type: "thread.started", thread_id: frame.session_id }, { type: "turn.started" }],
      };
    case "item.started":
      return isToolItem(frame.item)
        ? told(state, { type: "item.started", item: command(frame.item, { aggregated_output: "" }) })
        : silent(state);
    case "item.completed":
      return ended(state, frame.item);
    case "turn.completed":
      return told(state, { type: "turn.completed", usage: usageOf(frame.usage) });
    case "turn.failed": {
      const { message, before } = failureOf(frame.error);
      return told(state, ...before, { type: "turn.failed", error: { message } });
    }
    case "approval.requested": {
      const { tool, reason, id } = frame.approval;
      const question = questionRow(frame.approval);
      if (!isServerQuestion(tool)) return told(state, question);
      // No item shows that something waits: a client that knows only the document is told in the document's words.
      const notice: CompatRow = { type: "error", message: `${reason} It waits for an answer in the inbox (${id}).` };
      return told(state, notice, question);
    }
    case "approval.resolved":
      return told(state, answerRow(frame));
    case "session.updated": {
      const rows = sessionRows(frame);
      return rows.length === 0 ? silent(state) : told(state, ...rows);
    }
    case "error":
      return told(state, { type: "error", message: frame.message });
    case "approval.extended":
    case "thread.started":
    case "turn.queued":
    case "turn.steered":
    case "turn.resumed":
    case "item.updated":
    case "usage.updated":
    case "budget.updated":
    case "instructions.loaded":
    case "item.delta":
      return silent(state);
  }
}

function silent(state: CompatState): CompatStep {
  return { state, rows: [] };
}

/** Rows after the text that was waiting. */
function told(state: CompatState, ...rows: readonly CompatRow[]): CompatStep {
  if (state.held === undefined) return { state, rows };
  const item: CompatItem = { id: `item_${state.next}`, type: "agent_message", text: state.held.text };
  return {
    state: { ...state, next: state.next + 1, held: undefined },
    rows: [{ type: "item.completed", item }, ...rows],
  };
}

function ended(state: CompatState, item: Item): CompatStep {
  if (isToolItem(item)) return told(state, { type: "item.completed", item: result(item) });
  switch (item.type) {
    case "agent_message":
      return isSaid(item) ? hold(state, item) : silent(state);
    case "reasoning": {
      if (!isSaid(item)) return silent(state);
      const { state: after, rows } = told(state);
      const row: CompatRow = {
        type: "item.completed",
        item: { id: `item_${after.next}`, type: "reasoning", text: item.text },
      };
      return { state: { ...after, next: after.next + 1 }, rows: [...rows, row] };
    }
    case "error":
      return told(state, { type: "error", message: item.message });
    case "compaction":
      return silent(state);
  }
}

/** A sub-agent talks to its agent, not to the reader: its last text is the result of its call. */
function isSaid({ status, text, parent_id }: Extract<Item, { text: string }>): boolean {
  return status !== "superseded" && text.trim() !== "" && parent_id === undefined;
}

/** Blocks of one message are parts of one text; messages are paragraphs. */
function hold(state: CompatState, { text, message_id }: AgentMessage): CompatStep {
  const { held } = state;
  if (held === undefined) return silent({ ...state, held: { text, message_id } });
  if (held.text.length + text.length > LIMITS.bridgeTextChars) {
    const { state: after, rows } = told(state);
    return { state: { ...after, held: { text, message_id } }, rows };
  }
  const joint = message_id !== undefined && message_id === held.message_id ? "" : "\n\n";
  return silent({ ...state, held: { text: `${held.text}${joint}${text}`, message_id } });
}

type CommandExecution = Extract<CompatItem, { type: "command_execution" }>;

/** The order of the fields is the document's. */
function command(item: ToolItem, end: { aggregated_output: string; exit_code?: 0 | 1 }): CommandExecution {
  return {
    id: item.tool_use_id,
    type: "command_execution",
    command: item.tool,
    ...end,
    status: end.exit_code === undefined ? "in_progress" : end.exit_code === 0 ? "completed" : "failed",
  };
}

function result(item: ToolItem): CommandExecution {
  const text = summarize(outputText(item.output ?? []));
  return item.status === "completed" && item.is_error !== true
    ? command(item, { aggregated_output: text, exit_code: 0 })
    : command(item, { aggregated_output: text === "" ? item.status : text, exit_code: 1 });
}
