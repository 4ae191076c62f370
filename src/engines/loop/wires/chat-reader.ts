import type { ToolDefinition } from "../../../tools/toolbox.ts";
import { fields, list, words } from "./fields.ts";
import { calledTool, usageOf } from "./openai.ts";
import type { MessagePart, StreamReader, WireFields } from "./wire.ts";

/** How thoughts go back, which is their signature: in the field in which they came, or as the details that came with them. */
type ChatThought = { readonly field: string } | { readonly details: readonly unknown[] };

/** Undefined: it is not what was written here. */
export function readThought(signature: string): ChatThought | undefined {
  try {
    const { field, details } = fields(JSON.parse(signature));
    if (Array.isArray(details)) return { details };
    return typeof field === "string" ? { field } : undefined;
  } catch {
    return undefined;
  }
}

/** The event of this name stands for the line `[DONE]`. */
export const DONE = "[DONE]";

const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ["stop", "end_turn"],
  ["length", "max_tokens"],
  ["tool_calls", "tool_use"],
  ["function_call", "tool_use"],
  ["content_filter", "refusal"],
]);

/** The names under which servers send thoughts. */
const THOUGHT_FIELDS = ["reasoning_content", "reasoning"] as const;

interface ChatCall {
  readonly index: unknown;
  readonly id: string;
  name: string;
  input: string;
}

type ChatBlock = { readonly type: "text" | "thought"; readonly id: string };

/** Reads the chunks of a streamed chat completion. Nothing in them says that a block ends: another one begins, or all do. */
export class ChatReader implements StreamReader {
  readonly #calls: ChatCall[] = [];
  readonly #details: Record<string, unknown>[] = [];
  #field = "reasoning_content";
  #block: ChatBlock | undefined;
  #blocks = 0;
  #finishReason: string | undefined;
  #refused = false;
  #usage: unknown;
  readonly #tools: readonly ToolDefinition[];

  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools;
  }

  read(event: WireFields): readonly MessagePart[] {
    if (event["type"] === DONE) return this.#finish();
    if (event["error"] !== undefined && event["error"] !== null) return [{ type: "error", error: event["error"] }];
    if (event["usage"] !== undefined && event["usage"] !== null) this.#usage = event["usage"];
    const [choice] = list(event["choices"]);
    if (choice === undefined) return [];
    const parts = this.#delta(fields(choice["delta"]));
    const reason = words(choice["finish_reason"]);
    if (reason !== "") this.#finishReason = reason;
    return parts;
  }

  /** Some servers just end; the message is whole where they said why. */
  end(): readonly MessagePart[] {
    return this.#finishReason === undefined ? [] : this.#finish();
  }

  #delta(delta: WireFields): readonly MessagePart[] {
    const field = THOUGHT_FIELDS.find((name) => words(delta[name]) !== "");
    if (field !== undefined) this.#field = field;
    for (const detail of list(delta["reasoning_details"])) this.#addDetail(detail);
    for (const call of list(delta["tool_calls"])) this.#addCall(call);
    const refusal = words(delta["refusal"]);
    this.#refused ||= refusal !== "";
    return [
      ...this.#say("thought", field === undefined ? "" : words(delta[field])),
      ...this.#say("text", words(delta["content"]) + refusal),
    ];
  }

  #say(type: ChatBlock["type"], text: string): readonly MessagePart[] {
    if (text === "") return [];
    const ended = this.#block?.type === type ? [] : this.#endBlock();
    this.#block ??= this.#open(type);
    return [...ended, { type, id: this.#block.id, text }];
  }

  #open(type: ChatBlock["type"]): ChatBlock {
    this.#blocks += 1;
    return { type, id: String(this.#blocks) };
  }

  #endBlock(): readonly MessagePart[] {
    const block = this.#block;
    this.#block = undefined;
    if (block === undefined) return [];
    const end: MessagePart = { type: "end", id: block.id };
    if (block.type === "text") return [end];
    const thought: ChatThought =
      this.#details.length > 0 ? { details: this.#details.splice(0) } : { field: this.#field };
    return [{ type: "thought", id: block.id, text: "", signature: JSON.stringify(thought) }, end];
  }

  /** Pieces of one detail have the same type and index. */
  #addDetail(piece: WireFields): void {
    const known = this.#details.find((one) => one["type"] === piece["type"] && one["index"] === piece["index"]);
    if (known === undefined) {
      this.#details.push({ ...piece });
      return;
    }
    for (const [name, value] of Object.entries(piece)) {
      const grows = ["text", "summary", "data"].includes(name) && typeof value === "string";
      if (grows) known[name] = words(known[name]) + value;
      else if (value !== null) known[name] = value;
    }
  }

  /** A piece belongs to the call with its index. Some servers have no index, or 0 for all: there a new id begins a new call. */
  #addCall(piece: WireFields): void {
    const { index } = piece;
    const id = words(piece["id"]);
    const called = fields(piece["function"]);
    const name = words(called["name"]);
    const input = inputOf(called["arguments"]);
    const known = this.#calls.findLast((call) => call.index === index);
    const isNew = known === undefined || (id !== "" && name !== "" && known.id !== "" && known.id !== id);
    if (isNew) this.#calls.push({ index, id, name, input });
    else {
      if (known.name === "") known.name = name;
      known.input += input;
    }
  }

  #finish(): readonly MessagePart[] {
    const thought = this.#details.length > 0 && this.#block?.type !== "thought";
    const ended = this.#endBlock();
    if (thought) this.#block = this.#open("thought");
    const reason = this.#finishReason;
    const stop = reason === undefined ? undefined : (STOP_REASONS.get(reason) ?? reason);
    return [
      ...ended,
      // Details without a word are a thought all the same.
      ...this.#endBlock(),
      ...this.#calls.map(({ id, name, input }): MessagePart => {
        return {
          type: "call",
          tool_use_id: id,
          tool: calledTool(name, this.#tools),
          input: input === "" ? "{}" : input,
        };
      }),
      { type: "finish", stop_reason: this.#refused ? "refusal" : stop, usage: usageOf(this.#usage, "chat") },
    ];
  }
}

function inputOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}
