import type { Usage } from "../../journal/content.ts";
import { Failure } from "../../errors.ts";
import type { StreamFrame } from "../../journal/events.ts";
import type { Item, ToolItem } from "../../journal/items.ts";
import { isToolItem } from "../../journal/tool-items.ts";
import { LIMITS } from "../../limits.ts";
import { outputText } from "../../text/output-text.ts";
import { withoutHalf } from "./output.ts";
import type { ClaudeChunk, ClaudeUsage, MountFrame, ToolChunk } from "./types.ts";

/** A position between two chunks: everything up to the event `seq`, and `given` characters of the message that was open then. */
export interface ChunkCursor {
  readonly seq: number;
  readonly given: number;
}

/** `12` or `12.34`. */
export function parseChunkCursor(text: string): ChunkCursor {
  const [, seq, given] = /^(\d{1,15})(?:\.(\d{1,10}))?$/.exec(text) ?? [];
  if (seq === undefined)
    throw new Failure("cursor_invalid", "this is not a place in an output; give an id of its watch");
  return { seq: Number(seq), given: Number(given ?? 0) };
}

interface OpenMessage {
  readonly item_id: string;
  text: string;
  given: number;
  /** Set once it has ended; it waits for those before it. */
  ended: string | undefined;
}

/**
 * A session's frames as document 003's chunks. Text comes in the order of the messages; calls come as they begin and end. Everything up to the
 * cursor is processed silently.
 */
export class ChunkStream {
  readonly #after: ChunkCursor;
  #seq = 0;
  #messages: OpenMessage[] = [];
  /** Calls that run, by item. */
  readonly #tools = new Map<string, string>();

  constructor(after: ChunkCursor) {
    this.#after = after;
  }

  /** The chunks of a batch. Deltas of one message in one batch become one chunk. */
  next(batch: readonly StreamFrame[]): readonly MountFrame[] {
    const frames: MountFrame[] = [];
    for (const frame of batch) {
      const seq = "seq" in frame ? frame.seq : undefined;
      // Open text must be sent before an event moves the cursor.
      if (seq !== undefined) this.#tellOpen(frame.session_id, frames);
      const silent = seq !== undefined && seq <= this.#after.seq;
      const chunk = this.#take(frame);
      if (seq !== undefined) this.#seq = seq;
      if (seq === this.#after.seq && this.#messages[0] !== undefined) this.#messages[0].given = this.#after.given;
      if (chunk !== undefined && !silent) frames.push({ id: this.#cursor(), chunk });
    }
    const [last] = batch;
    if (last !== undefined) this.#tellOpen(last.session_id, frames);
    return frames;
  }

  #cursor(): string {
    const given = this.#messages[0]?.given ?? 0;
    return given === 0 ? String(this.#seq) : `${this.#seq}.${given}`;
  }

  #tellOpen(session_id: string, frames: MountFrame[]): void {
    const [first] = this.#messages;
    if (first === undefined || this.#seq < this.#after.seq) return;
    const text = withoutHalf(first.text);
    if (text.length <= first.given) return;
    const delta = text.slice(first.given);
    first.given = text.length;
    frames.push({ id: this.#cursor(), chunk: { session_id, chunk_type: "text", delta } });
  }

  #take(frame: StreamFrame): ClaudeChunk | undefined {
    const { session_id } = frame;
    switch (frame.type) {
      case "item.started":
        return this.#begin(session_id, frame.item);
      case "item.updated":
        this.#grow(frame.item);
        return undefined;
      case "item.delta": {
        if (frame.field === "text") this.#append(frame.item_id, frame.delta);
        const name = this.#tools.get(frame.item_id);
        if (frame.field !== "output" || name === undefined) return undefined;
        return { session_id, chunk_type: "tool_output", tool: { name, result: frame.delta } };
      }
      case "item.completed":
        return this.#complete(session_id, frame.item);
      case "turn.completed":
        return { session_id, chunk_type: "done", usage: claudeUsage(frame.usage) };
      case "turn.failed":
        return { session_id, chunk_type: "error", delta: frame.error.message, usage: claudeUsage(frame.usage) };
      case "error":
        return { session_id, chunk_type: "error", delta: frame.message };
      case "approval.extended":
      case "thread.started":
      case "turn.queued":
      case "turn.steered":
      case "turn.started":
      case "turn.resumed":
      case "usage.updated":
      case "approval.requested":
      case "approval.resolved":
      case "session.updated":
      case "budget.updated":
      case "instructions.loaded":
        return undefined;
    }
  }

  #begin(session_id: string, item: Item): ClaudeChunk | undefined {
    if (item.parent_id !== undefined) return undefined;
    if (item.type === "agent_message")
      this.#messages.push({ item_id: item.id, text: item.text, given: 0, ended: undefined });
    if (!isToolItem(item)) return undefined;
    this.#tools.set(item.id, item.tool);
    return { session_id, chunk_type: "tool_start", tool: { name: item.tool, params: item.input } };
  }

  /** Only the end of a very long text is kept: its beginning is only in the completed item. */
  #grow(item: Item): void {
    if (item.type !== "agent_message" || item.text.length >= LIMITS.toolOutputChars) return;
    const message = this.#messages.find(({ item_id }) => item_id === item.id);
    if (message !== undefined && item.text.length > message.text.length) message.text = item.text;
  }

  #append(item_id: string, delta: string): void {
    const message = this.#messages.find((known) => known.item_id === item_id);
    if (message !== undefined && message.ended === undefined) message.text += delta;
  }

  #complete(session_id: string, item: Item): ClaudeChunk | undefined {
    if (isToolItem(item)) {
      if (!this.#tools.delete(item.id)) return undefined;
      return { session_id, chunk_type: "tool_done", tool: toolDone(item) };
    }
    const message = this.#messages.find(({ item_id }) => item_id === item.id);
    if (message === undefined || item.type !== "agent_message") return undefined;
    // A message that is requested again: what was sent of it stays, nothing is added.
    message.ended = item.status === "superseded" ? "" : item.text;
    let delta = "";
    for (let first = this.#messages[0]; first?.ended !== undefined; first = this.#messages[0]) {
      delta += first.ended.slice(first.given);
      this.#messages.shift();
    }
    return delta === "" ? undefined : { session_id, chunk_type: "text", delta };
  }
}

function toolDone(item: ToolItem): ToolChunk {
  const result = outputText(item.output ?? []);
  const failed = item.is_error === true || item.status !== "completed";
  return {
    name: item.tool,
    params: item.approved_input ?? item.input,
    result,
    ...(failed ? { error: result === "" ? item.status : result } : {}),
  };
}

export function claudeUsage(
  usage: Pick<Usage, "input_tokens" | "output_tokens" | "cache_read_tokens" | "cache_write_tokens">,
): ClaudeUsage {
  const { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
  const total_tokens = input_tokens + output_tokens + cache_read_tokens + cache_write_tokens;
  return { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, total_tokens };
}
