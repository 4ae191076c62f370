import {
  endToolItem,
  NO_USAGE,
  openThread,
  startToolItem,
  threadRows,
  type ContentBlock,
  type EventBody,
  type Item,
  type StreamFrame,
  type ThreadMapping,
  type ThreadRow,
  type ToolCallEnd,
  type ToolItem,
  type Usage,
} from "../../src/protocol/index.ts";

export const THREAD = "5c0d3cff-...";
const BY = { id: "tok_1", name: "someone", role: "admin" } as const;

/** Events as a session journals them, numbered. */
export function journal(...bodies: readonly EventBody[]): readonly StreamFrame[] {
  return bodies.map((body, index) => numbered(index + 1, body));
}

export function numbered(seq: number, body: EventBody): StreamFrame {
  return { seq, session_id: THREAD, at: "2026-01-01T00:00:00.000Z", ...body };
}

/** All rows of a journal and what is live beside it. */
export function rowsOf(mapping: ThreadMapping, frames: readonly StreamFrame[]): readonly ThreadRow[] {
  let state = openThread(mapping);
  return frames.flatMap((frame) => {
    const step = threadRows(state, frame);
    state = step.state;
    return step.rows;
  });
}

export const opened: readonly EventBody[] = [
  { type: "thread.started", thread_id: THREAD },
  { type: "session.updated", status: "ready" },
];

export function begun(text = "do it"): EventBody {
  return { type: "turn.started", turn_id: "turn_1", prompt: { text }, by: BY };
}

export const USAGE: Usage = {
  ...NO_USAGE,
  input_tokens: 10,
  cache_read_tokens: 200,
  cache_write_tokens: 30,
  output_tokens: 7,
  reasoning_tokens: 2,
  model_calls: 2,
};

export function done(usage = USAGE): EventBody {
  return { type: "turn.completed", turn_id: "turn_1", usage, cost_microusd: 42, stop_reason: "end_turn" };
}

export function failed(error: Extract<EventBody, { type: "turn.failed" }>["error"]): EventBody {
  return { type: "turn.failed", turn_id: "turn_1", error, usage: USAGE };
}

type Spoken = Extract<Item, { text: string }>;

/** A text from its start to its end. */
export function said(
  value: string,
  { type = "agent_message", status = "completed", id = `item_${value}`, ...more }: Partial<Omit<Spoken, "text">> = {},
): readonly EventBody[] {
  return [
    { type: "item.started", item: { id, type, status: "in_progress", ...more, text: "" } },
    { type: "item.completed", item: { id, type, status, ...more, text: value } },
  ];
}

export function called(tool: string, tool_use_id: string, input: Record<string, unknown> = {}): ToolItem {
  return startToolItem({ id: `item_${tool_use_id}`, tool, tool_use_id, input });
}

export const text = (value: string): ContentBlock => ({ type: "text", text: value });

/** A tool call from its start to its end; an error unless it completed. */
export function ran(item: ToolItem, output: string, end: Partial<ToolCallEnd> = {}): readonly [EventBody, EventBody] {
  const status = end.status ?? "completed";
  const outcome = { status, output: [text(output)], is_error: status !== "completed", ...end };
  return [
    { type: "item.started", item },
    { type: "item.completed", item: endToolItem(item, outcome) },
  ];
}
