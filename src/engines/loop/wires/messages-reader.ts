import type { Usage } from "../../../protocol/index.ts";
import { count, fields, position, text } from "./fields.ts";
import type { MessagePart, StreamReader, WireFields } from "./wire.ts";

type OpenBlock =
  | { readonly type: "spoken"; readonly id: string }
  | { readonly type: "call"; readonly id: string; readonly name: string; input: string };

/** Reads the events of a Messages stream. Unknown events and blocks are passed over. */
export class MessageReader implements StreamReader {
  readonly #blocks = new Map<number, OpenBlock>();
  #usage: WireFields = {};
  #stop: string | undefined;

  read(event: WireFields): readonly MessagePart[] {
    switch (event["type"]) {
      case "message_start":
        this.#addUsage(fields(fields(event["message"])["usage"]));
        return [];
      case "content_block_start":
        return this.#start(position(event, "index"), fields(event["content_block"]));
      case "content_block_delta":
        return this.#delta(this.#blocks.get(position(event, "index")), fields(event["delta"]));
      case "content_block_stop":
        return this.#end(position(event, "index"));
      case "message_delta": {
        const stop = fields(event["delta"])["stop_reason"];
        if (typeof stop === "string") this.#stop = stop;
        this.#addUsage(fields(event["usage"]));
        return [];
      }
      case "message_stop":
        return [{ type: "finish", stop_reason: this.#stop, usage: this.#totals() }];
      case "error":
        return [{ type: "error", error: event["error"] }];
      default:
        return [];
    }
  }

  end(): readonly MessagePart[] {
    return [];
  }

  #start(at: number, block: WireFields): readonly MessagePart[] {
    const id = String(at);
    switch (block["type"]) {
      case "text":
        this.#blocks.set(at, { type: "spoken", id });
        return block["text"] === undefined ? [] : [{ type: "text", id, text: text(block, "text") }];
      case "thinking":
        this.#blocks.set(at, { type: "spoken", id });
        return [];
      case "redacted_thinking":
        this.#blocks.set(at, { type: "spoken", id });
        return [{ type: "thought", id, text: "", redacted: text(block, "data") }];
      case "tool_use": {
        const input = fields(block["input"]);
        const given = Object.keys(input).length > 0 ? JSON.stringify(input) : "";
        this.#blocks.set(at, { type: "call", id: text(block, "id"), name: text(block, "name"), input: given });
        return [];
      }
      default:
        return [];
    }
  }

  #delta(block: OpenBlock | undefined, delta: WireFields): readonly MessagePart[] {
    if (block === undefined) return [];
    const { id } = block;
    switch (delta["type"]) {
      case "text_delta":
        return [{ type: "text", id, text: text(delta, "text") }];
      case "thinking_delta":
        return [{ type: "thought", id, text: text(delta, "thinking") }];
      case "signature_delta":
        return [{ type: "thought", id, text: "", signature: text(delta, "signature") }];
      case "input_json_delta":
        if (block.type === "call") block.input += text(delta, "partial_json");
        return [];
      default:
        return [];
    }
  }

  #end(at: number): readonly MessagePart[] {
    const block = this.#blocks.get(at);
    this.#blocks.delete(at);
    if (block?.type !== "call") return block === undefined ? [] : [{ type: "end", id: block.id }];
    const { id, name, input } = block;
    return [{ type: "call", tool_use_id: id, tool: name, input: input === "" ? "{}" : input }];
  }

  #addUsage(usage: WireFields): void {
    const known = Object.entries(usage).filter(([, value]) => value !== null);
    this.#usage = { ...this.#usage, ...Object.fromEntries(known) };
  }

  #totals(): Usage {
    return {
      input_tokens: count(this.#usage["input_tokens"]),
      output_tokens: count(this.#usage["output_tokens"]),
      cache_read_tokens: count(this.#usage["cache_read_input_tokens"]),
      cache_write_tokens: count(this.#usage["cache_creation_input_tokens"]),
      reasoning_tokens: count(fields(this.#usage["output_tokens_details"])["thinking_tokens"]),
      model_calls: 1,
    };
  }
}
