import type { StreamFrame } from "../../journal/events.ts";
import { RICH_START, richRows, type RichState } from "./rich.ts";
import type { CodexItem, CodexRow, RichItem, RichRow, RichUsage } from "./rows.ts";

export interface CodexState {
  readonly mapping: "codex";
  readonly rich: RichState;
  /** The ids of this turn's open items, by their id in `rich`: Codex numbers all items in one sequence. */
  readonly ids: ReadonlyMap<string, string>;
  readonly next: number;
}

export interface CodexStep {
  readonly state: CodexState;
  readonly rows: readonly CodexRow[];
}

export const CODEX_START: CodexState = { mapping: "codex", rich: RICH_START, ids: new Map(), next: 0 };

/** A frame as `codex exec --json` prints it: texts come whole, and only todo lists are updated. Pure. */
export function codexRows(state: CodexState, frame: StreamFrame): CodexStep {
  const { state: rich, rows } = richRows(state.rich, frame);
  let after: CodexState = frame.type === "turn.started" ? { ...CODEX_START, rich } : { ...state, rich };
  const told: CodexRow[] = [];
  for (const row of rows) {
    const step = translated(after, row);
    after = step.state;
    told.push(...step.rows);
  }
  return { state: after, rows: told };
}

function translated(state: CodexState, row: RichRow): CodexStep {
  switch (row.type) {
    case "turn.started":
      return { state, rows: [{ type: "turn.started" }] };
    case "turn.completed":
      return { state, rows: [{ type: "turn.completed", usage: codexUsage(row.usage) }] };
    case "turn.failed":
      return { state, rows: [{ type: "turn.failed", error: { message: row.error.message } }] };
    case "item.started":
      return isText(row.item) || row.item.type === "error" ? { state, rows: [] } : numbered(state, row);
    case "item.updated":
      return row.item.type === "todo_list" ? numbered(state, row) : { state, rows: [] };
    case "item.completed":
      return isUnsaid(row.item) ? { state, rows: [] } : numbered(state, row);
    case "approval.requested": {
      const item_id = state.ids.get(row.approval.item_id) ?? row.approval.item_id;
      return { state, rows: [{ ...row, approval: { ...row.approval, item_id } }] };
    }
    case "thread.started":
    case "approval.resolved":
    case "thread.session":
    case "thread.resumed":
    case "error":
      return { state, rows: [row] };
  }
}

type ItemRow = Extract<RichRow, { item: RichItem }>;

function isText(item: RichItem): item is Extract<RichItem, { text: string }> {
  return item.type === "agent_message" || item.type === "reasoning";
}

/** Codex prints no empty text, none that is said again, and nothing that a sub-agent says to its agent. */
function isUnsaid(item: RichItem): boolean {
  return isText(item) && (item.text.trim() === "" || item.status === "superseded" || item.parent_id !== undefined);
}

function numbered(state: CodexState, { type, item }: ItemRow): CodexStep {
  const known = state.ids.get(item.id);
  const id = known ?? `item_${state.next}`;
  const ids = new Map(state.ids);
  if (type === "item.completed") ids.delete(item.id);
  else ids.set(item.id, id);
  const next = known === undefined ? state.next + 1 : state.next;
  return { state: { ...state, ids, next }, rows: [{ type, item: codexItem(id, item) }] };
}

/** The order of the fields is Codex's, here and below. */
function codexUsage(usage: RichUsage): RichUsage {
  const { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens, reasoning_output_tokens } = usage;
  return { input_tokens, cached_input_tokens, cache_write_input_tokens, output_tokens, reasoning_output_tokens };
}

function codexItem(id: string, item: RichItem): CodexItem {
  switch (item.type) {
    case "agent_message":
    case "reasoning":
      return { id, type: item.type, text: item.text };
    case "command_execution":
      return {
        id,
        type: item.type,
        command: item.command,
        aggregated_output: item.aggregated_output,
        exit_code: item.exit_code ?? null,
        status: item.status === "timed_out" ? "declined" : item.status,
      };
    case "file_change":
      return { id, type: item.type, changes: item.changes, status: item.status };
    case "mcp_tool_call":
      return {
        id,
        type: item.type,
        server: item.server,
        tool: item.tool,
        arguments: item.arguments,
        result: item.result === undefined ? null : { content: item.result.content, structured_content: null },
        error: item.error ?? null,
        status: item.status,
      };
    case "web_search":
      return { id, type: item.type, query: item.query };
    case "todo_list":
      return { id, type: item.type, items: item.items };
    case "error":
      return { id, type: item.type, message: item.message };
  }
}
