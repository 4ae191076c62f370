import {
  endToolItem,
  NOT_RUN,
  startToolItem,
  UNKNOWN_OUTCOME,
  type IdPrefix,
  type Item,
  type ToolCallEnd,
  type ToolItem,
} from "../../protocol/index.ts";
import type { ToolResult } from "../../tools/tool.ts";
import type { EngineEvent, Verdict } from "../engine.ts";
import { asApproved } from "../loop/tool-phase.ts";
import { keyOf } from "../vendor/fields.ts";
import type { OpenCodeEvent } from "./wire.ts";

type UnfinishedItem = Extract<Item, { text: string }>;
type ItemEnd = Exclude<Item["status"], "in_progress">;
type Of<Type extends OpenCodeEvent["type"]> = Extract<OpenCodeEvent, { type: Type }>;

/** A text or a thought while it is written. */
interface UnfinishedWords {
  readonly kind: "text" | "thinking";
  readonly message: string;
  /** Absent until there is a word. */
  item?: UnfinishedItem;
  text: string;
}

interface StartedCall {
  item: ToolItem;
  readonly message: string;
  /** Of its input. */
  readonly key: string;
  /** Milliseconds; set when it was allowed. */
  began?: number;
  /** Our tools' server was asked to run it. */
  claimed: boolean;
}

/** The last message of the model in a turn. */
export type LastMessage = Pick<Of<"message">, "id" | "completed" | "finish" | "error">;

export interface OpenCodeTranslatorOptions {
  readonly session: string;
  readonly newId: (prefix: IdPrefix) => string;
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number;
  /** The session's name for a tool that the model called. */
  readonly toolName: (called: string) => string;
}

/** Translates OpenCode's events of one turn into ours, and nothing else. */
export class OpenCodeTranslator {
  readonly #options: OpenCodeTranslatorOptions;
  readonly #words = new Map<string, UnfinishedWords>();
  /** Parts and calls that have ended: what is said of them again says nothing new. */
  readonly #over = new Set<string>();
  readonly #calls = new Map<string, StartedCall>();
  /** Our ids of messages by OpenCode's. */
  readonly #messages = new Map<string, string>();
  readonly #summaries = new Set<string>();
  readonly #counted = new Set<string>();
  #after = "";
  /** The last prompt that was sent. */
  #prompt = "";
  #last: LastMessage | undefined;
  #window = 0;
  #deadStreams = 0;

  constructor(options: OpenCodeTranslatorOptions) {
    this.#options = options;
  }

  /** A prompt was sent. Messages before it belong to earlier turns. */
  prompted(id: string): void {
    if (this.#after === "") this.#after = id;
    this.#prompt = id;
    this.#last = undefined;
  }

  get last(): LastMessage | undefined {
    return this.#last;
  }

  /** Answers of the model, complete or not. */
  get answers(): number {
    return this.#messages.size;
  }

  /** Number of answers that were cut off. */
  get deadStreams(): number {
    return this.#deadStreams;
  }

  /** Calls that have not ended. */
  get openCalls(): number {
    return this.#calls.size;
  }

  take(event: OpenCodeEvent): readonly EngineEvent[] {
    if (!("session" in event) || event.session !== this.#options.session) return [];
    switch (event.type) {
      case "message":
        return this.#message(event);
      case "words":
        return this.#isOurs(event.message) ? this.#spoken(event) : [];
      case "delta":
        return this.#isOurs(event.message) ? this.#delta(event) : [];
      case "call":
        return this.#isOurs(event.message) ? this.#call(event) : [];
      case "usage":
        return this.#isOurs(event.message) ? this.#usage(event) : [];
      case "retry":
        return this.#drop();
      case "idle":
      case "failed":
      case "permission":
        return [];
    }
  }

  /** The oldest call of the model with this tool and the key of this input that nobody has run yet; undefined: there is none so far. */
  claim(tool: string, key: string): ToolItem | undefined {
    for (const call of this.#calls.values()) {
      if (call.claimed || call.item.tool !== tool || call.key !== key) continue;
      call.claimed = true;
      return call.item;
    }
    return undefined;
  }

  /** A call of the model by its id; undefined: it is not here yet, or has ended. */
  open(tool_use_id: string): ToolItem | undefined {
    return this.#calls.get(tool_use_id)?.item;
  }

  /** A call was decided on. */
  decided(tool_use_id: string, verdict: Verdict): readonly EngineEvent[] {
    const call = this.#calls.get(tool_use_id);
    if (call === undefined) return [];
    if (verdict.effect === "deny") return this.#end(tool_use_id, call, refusedEnd(verdict));
    call.item = asApproved(call.item, verdict.input);
    call.began = this.#options.now();
    return [];
  }

  /** One of our tools has ended. `stopping`: the turn is being ended. */
  ran(
    tool_use_id: string,
    { content, is_error, changed: _changed, refusal: _refusal, ...details }: ToolResult,
    { stopping }: { readonly stopping: boolean },
  ): readonly EngineEvent[] {
    const call = this.#calls.get(tool_use_id);
    if (call === undefined) return [];
    const failed = stopping ? "interrupted" : "failed";
    const duration_ms = Math.max(0, Math.round(this.#options.now() - (call.began ?? this.#options.now())));
    return this.#end(tool_use_id, call, {
      status: is_error ? failed : "completed",
      output: content,
      is_error,
      ...details,
      duration_ms,
    });
  }

  /** The item was completed by somebody else. */
  forget(tool_use_id: string): void {
    this.#calls.delete(tool_use_id);
    this.#over.add(tool_use_id);
  }

  /** Ends all that is open. */
  close(status: ItemEnd): readonly EngineEvent[] {
    const events = [...this.#words.keys()].flatMap((part) => this.#seal(part, status));
    for (const [id, call] of [...this.#calls].toReversed()) events.push(...this.#end(id, call, abandonedEnd(call)));
    return events;
  }

  #isOurs(message: string): boolean {
    return this.#messages.has(message);
  }

  #message(event: Of<"message">): readonly EngineEvent[] {
    if (event.role !== "assistant" || this.#after === "" || event.id <= this.#after) return [];
    if (!this.#messages.has(event.id)) this.#messages.set(event.id, this.#options.newId("msg"));
    if (event.summary) {
      this.#summaries.add(event.id);
      return event.completed ? this.#compacted(event.id) : [];
    }
    // What is said late of the message before a prompt does not answer it.
    if (event.id > this.#prompt) this.#last = event;
    return [];
  }

  #spoken({ message, part, kind, text, done, signature }: Of<"words">): readonly EngineEvent[] {
    if (this.#over.has(part)) return [];
    const words = this.#words.get(part) ?? { kind, message, text: "" };
    this.#words.set(part, words);
    if (!done) return [];
    const started = text === "" ? [] : this.#start(words);
    words.text = text;
    if (this.#summaries.has(message)) return [];
    return [...started, ...this.#seal(part, "completed", signature)];
  }

  #delta({ part, text }: Of<"delta">): readonly EngineEvent[] {
    const words = this.#words.get(part);
    if (words === undefined || text === "") return [];
    words.text += text;
    const started = this.#start(words);
    if (words.item === undefined) return [];
    return [...started, { type: "item.delta", item_id: words.item.id, field: "text", delta: text }];
  }

  /** A summary is told as a whole. */
  #start(words: UnfinishedWords): readonly EngineEvent[] {
    if (words.item !== undefined || this.#summaries.has(words.message)) return [];
    const item: UnfinishedItem = {
      id: this.#options.newId("item"),
      type: words.kind === "text" ? "agent_message" : "reasoning",
      status: "in_progress",
      message_id: this.#messages.get(words.message) ?? "",
      text: "",
    };
    words.item = item;
    return [{ type: "item.started", item }];
  }

  #seal(part: string, status: ItemEnd, signature?: string): readonly EngineEvent[] {
    const words = this.#words.get(part);
    this.#words.delete(part);
    this.#over.add(part);
    if (words?.item === undefined) return [];
    const ended = { ...words.item, status, text: words.text };
    const isSigned = ended.type === "reasoning" && signature !== undefined && status === "completed";
    return [{ type: "item.completed", item: isSigned ? { ...ended, signature } : ended }];
  }

  /** Drops the text of an answer that was cut off: it is requested again. */
  #drop(): readonly EngineEvent[] {
    const events = [...this.#words.keys()].flatMap((part) => this.#seal(part, "superseded"));
    if (events.length > 0) this.#deadStreams += 1;
    return events;
  }

  #call({ message, id, tool, state }: Of<"call">): readonly EngineEvent[] {
    if (state.status === "pending" || this.#over.has(id)) return [];
    const started: EngineEvent[] = [];
    let call = this.#calls.get(id);
    if (call === undefined) {
      const item = startToolItem({
        id: this.#options.newId("item"),
        tool: this.#options.toolName(tool),
        tool_use_id: id,
        input: state.input,
        message_id: this.#messages.get(message),
      });
      call = { item, message, key: keyOf(state.input), claimed: false };
      this.#calls.set(id, call);
      started.push({ type: "item.started", item });
    }
    // What our tools run ends with their results.
    if (state.status === "running" || call.claimed) return started;
    const is_error = state.status === "error";
    const output = [{ type: "text" as const, text: state.output }];
    return [...started, ...this.#end(id, call, { status: is_error ? "failed" : "completed", output, is_error })];
  }

  #usage({ part, usage }: Of<"usage">): readonly EngineEvent[] {
    if (this.#counted.has(part)) return [];
    this.#counted.add(part);
    this.#window = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens + usage.output_tokens;
    return [{ type: "usage", usage }];
  }

  #compacted(message: string): readonly EngineEvent[] {
    if (this.#over.has(message)) return [];
    this.#over.add(message);
    const summary = [...this.#words.values()]
      .filter((words) => words.message === message && words.kind === "text")
      .map(({ text }) => text)
      .join("\n");
    for (const [part, words] of this.#words) if (words.message === message) this.#seal(part, "completed");
    const item: Item = {
      id: this.#options.newId("item"),
      type: "compaction",
      status: "in_progress",
      summary: "",
      tokens_before: this.#window,
    };
    return [
      { type: "item.started", item },
      { type: "item.completed", item: { ...item, status: "completed", summary } },
    ];
  }

  #end(id: string, call: StartedCall, end: ToolCallEnd): readonly EngineEvent[] {
    this.#calls.delete(id);
    this.#over.add(id);
    return [{ type: "item.completed", item: endToolItem(call.item, end) }];
  }
}

function refusedEnd({ status, message }: Extract<Verdict, { effect: "deny" }>): ToolCallEnd {
  return { status, output: [{ type: "text", text: message }], is_error: true };
}

function abandonedEnd({ began }: StartedCall): ToolCallEnd {
  const text = began === undefined ? NOT_RUN : UNKNOWN_OUTCOME;
  return { status: "interrupted", output: [{ type: "text", text }], is_error: true };
}
