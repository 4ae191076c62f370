import type { Delta, StreamFrame } from "../../journal/events.ts";
import type { Item, ToolItem } from "../../journal/items.ts";
import { isToolItem } from "../../journal/tool-items.ts";
import { LIMITS } from "../../limits.ts";
import { failureOf, usageOf } from "./failure.ts";
import { answerRow, questionRow, sessionRows } from "./questions.ts";
import { spokenRow, textSoFar, todoRow, toolRow, type GrowingItem, type TodoRow } from "./rich-items.ts";
import type { RichRow, RichUsage } from "./rows.ts";
import { summarize } from "./summary.ts";
import type { Usage } from "../../journal/content.ts";

type CommandItem = Extract<ToolItem, { type: "command_execution" }>;

/** An open item whose text is sent while it grows. */
interface GrowingRow {
  readonly item: GrowingItem | CommandItem;
  /** The id of its rows; absent: no row yet. */
  readonly row: string | undefined;
  readonly text: string;
  /** The length of the text in its last row. */
  readonly told: number;
  /** It exceeded the limit for live text; the item's end has all of it, or a summary. */
  readonly full: boolean;
}

export interface RichState {
  readonly mapping: "rich";
  /** The number of the next item that has no id of its own. */
  readonly next: number;
  /** By the item's id in the journal. */
  readonly open: ReadonlyMap<string, GrowingRow>;
  /** The rows of the sub-agents that are at work, by their item's id. */
  readonly parents: ReadonlyMap<string, string>;
  /** The todo list of the turn and those of its sub-agents, by `parent_id` (empty for the turn's own). */
  readonly todos: ReadonlyMap<string, TodoRow>;
}

export interface RichStep {
  readonly state: RichState;
  readonly rows: readonly RichRow[];
}

export const RICH_START: RichState = {
  mapping: "rich",
  next: 0,
  open: new Map(),
  parents: new Map(),
  todos: new Map(),
};

/** A frame with an item kind for each kind of tool, growing text, questions and cost. Pure. */
export function richRows(state: RichState, frame: StreamFrame): RichStep {
  switch (frame.type) {
    case "turn.started":
      return {
        state: RICH_START,
        rows: [
          { type: "thread.started", thread_id: frame.session_id },
          { type: "turn.started", turn_id: frame.turn_id, prompt: summarize(frame.prompt.text) },
        ],
      };
    case "item.started":
      return started(state, frame.item);
    case "item.delta":
      return grown(state, frame);
    case "item.updated":
      return "seq" in frame ? updated(state, frame.item) : caughtUp(state, frame.item);
    case "item.completed":
      return ended(state, frame.item);
    case "approval.requested":
      return told(state, questionRow(frame.approval));
    case "approval.resolved":
      return told(state, answerRow(frame));
    case "turn.completed":
      return turnEnded(state, {
        type: "turn.completed",
        usage: richUsage(frame.usage),
        cost_microusd: frame.cost_microusd,
        ...boundOf(frame),
        stop_reason: frame.stop_reason,
      });
    case "turn.failed": {
      const { message, before } = failureOf(frame.error);
      return turnEnded(state, ...before, {
        type: "turn.failed",
        error: { message, code: frame.error.code },
        usage: richUsage(frame.usage),
        cost_microusd: frame.cost_microusd ?? 0,
        ...boundOf(frame),
      });
    }
    case "error":
      return told(state, { type: "error", message: frame.message });
    case "approval.extended":
    case "thread.started":
    case "turn.queued":
    case "turn.steered":
    case "turn.resumed":
    case "usage.updated":
    case "budget.updated":
    case "instructions.loaded":
      return told(state);
    case "session.updated":
      return told(state, ...sessionRows(frame));
  }
}

function told(state: RichState, ...rows: readonly RichRow[]): RichStep {
  return { state, rows };
}

function parentOf(state: RichState, { parent_id }: Item): { readonly parent_id?: string } {
  return parent_id === undefined ? {} : { parent_id: state.parents.get(parent_id) ?? parent_id };
}

function started(state: RichState, item: Item): RichStep {
  if (!isToolItem(item)) return told(isGrowing(item) ? opened(state, unheard(item)) : state);
  // A list is sent when it takes effect: with the call's end.
  if (item.type === "todo_list") return told(state);
  const row: RichRow = { type: "item.started", item: toolRow(item, parentOf(state, item)) };
  if (isGrowing(item)) return told(opened(state, unheard(item)), row);
  if (item.type !== "subagent") return told(state, row);
  return told({ ...state, parents: new Map(state.parents).set(item.id, item.tool_use_id) }, row);
}

function opened(state: RichState, open: GrowingRow): RichState {
  return { ...state, open: new Map(state.open).set(open.item.id, open) };
}

function grown(state: RichState, { item_id, field, delta }: Delta): RichStep {
  const open = state.open.get(item_id);
  if (open === undefined || open.full || field === "input") return told(state);
  const bound = open.item.type === "command_execution" ? LIMITS.bridgeOutputBytes : LIMITS.bridgeTextChars;
  if (open.text.length + delta.length > bound) return told(opened(state, { ...open, full: true }));
  const longer = { ...open, text: open.text + delta };
  // A row holds the whole text: proportional growth keeps the total of all rows within a few times its length.
  const enough = Math.max(LIMITS.bridgeUpdateChars, open.told / 4);
  return longer.text.length - open.told < enough ? told(opened(state, longer)) : tell(state, longer);
}

/** For a watcher that arrives late or reconnects: everything so far. */
function caughtUp(state: RichState, item: Item): RichStep {
  if (!isGrowing(item)) return told(state);
  const open = state.open.get(item.id) ?? unheard(item);
  const text = textSoFar(item);
  return text.length <= open.told ? told(opened(state, open)) : tell(state, { ...open, text });
}

function isGrowing(item: Item): item is GrowingRow["item"] {
  return "text" in item || item.type === "command_execution";
}

function unheard(item: GrowingRow["item"]): GrowingRow {
  return { item, row: "text" in item ? undefined : item.tool_use_id, text: "", told: 0, full: false };
}

function tell(state: RichState, open: GrowingRow): RichStep {
  const { item, text } = open;
  const parent = parentOf(state, item);
  const heard = { ...open, told: text.length };
  if (item.type === "command_execution")
    return told(opened(state, heard), { type: "item.updated", item: toolRow(item, parent, text) });
  const row = open.row ?? `item_${state.next}`;
  const next = open.row === undefined ? state.next + 1 : state.next;
  return told(opened({ ...state, next }, { ...heard, row }), {
    type: open.row === undefined ? "item.started" : "item.updated",
    item: spokenRow(item, { id: row, text }, parent),
  });
}

/** Journaled when a call may run: worth a row only if a person changed it. */
function updated(state: RichState, item: Item): RichStep {
  if (!isToolItem(item) || item.approved_input === undefined || item.type === "todo_list") return told(state);
  const open = state.open.get(item.id);
  const row: RichRow = { type: "item.updated", item: toolRow(item, parentOf(state, item)) };
  return item.type === "command_execution" && open !== undefined
    ? told(opened(state, { ...open, item }), row)
    : told(state, row);
}

function ended(state: RichState, item: Item): RichStep {
  const row = state.open.get(item.id)?.row;
  const after = { ...state, open: without(state.open, item.id) };
  if (!isToolItem(item)) return "text" in item ? spoken(after, item, row) : notice(after, item);
  if (item.type === "todo_list" && item.status === "completed") return listed(after, item);
  return told(
    { ...after, parents: without(state.parents, item.id) },
    { type: "item.completed", item: toolRow(item, parentOf(state, item)) },
  );
}

function without<Value>(map: ReadonlyMap<string, Value>, key: string): ReadonlyMap<string, Value> {
  if (!map.has(key)) return map;
  const left = new Map(map);
  left.delete(key);
  return left;
}

function spoken(state: RichState, item: GrowingItem, row: string | undefined): RichStep {
  // It was never sent, and there is nothing to send.
  if (row === undefined && (item.status === "superseded" || item.text.trim() === "")) return told(state);
  const id = row ?? `item_${state.next}`;
  return told(row === undefined ? { ...state, next: state.next + 1 } : state, {
    type: "item.completed",
    item: spokenRow(item, { id, text: item.text }, parentOf(state, item)),
  });
}

function notice(state: RichState, item: Extract<Item, { type: "error" | "compaction" }>): RichStep {
  const message =
    item.type === "error"
      ? item.message
      : `The conversation became long (${item.tokens_before} tokens): a summary replaces its older part.`;
  return told(
    { ...state, next: state.next + 1 },
    {
      type: "item.completed",
      item: { id: `item_${state.next}`, type: "error", message, ...parentOf(state, item) },
    },
  );
}

/** One list per turn: started with the first call, updated by later ones, completed with the turn. */
function listed(state: RichState, item: Extract<ToolItem, { type: "todo_list" }>): RichStep {
  const key = item.parent_id ?? "";
  const known = state.todos.get(key);
  const row = todoRow(known?.id ?? `item_${state.next}`, item.items, parentOf(state, item));
  const next = known === undefined ? state.next + 1 : state.next;
  return told(
    { ...state, next, todos: new Map(state.todos).set(key, row) },
    { type: known === undefined ? "item.started" : "item.updated", item: row },
  );
}

function turnEnded(state: RichState, ...rows: readonly RichRow[]): RichStep {
  const lists = [...state.todos.values()].map((item): RichRow => ({ type: "item.completed", item }));
  return told({ ...state, todos: new Map() }, ...lists, ...rows);
}

function richUsage(usage: Usage): RichUsage {
  return {
    ...usageOf(usage),
    cache_write_input_tokens: usage.cache_write_tokens,
    reasoning_output_tokens: usage.reasoning_tokens,
  };
}

function boundOf({ bound_microusd }: { readonly bound_microusd?: number | undefined }): { bound_microusd?: number } {
  return bound_microusd === undefined ? {} : { bound_microusd };
}
