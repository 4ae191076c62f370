import type { ToolDefinition } from "../../../tools/toolbox.ts";
import { count, fields, list, text, words } from "./fields.ts";
import { calledTool, usageOf } from "./openai.ts";
import type { MessagePart, StreamReader, WireFields } from "./wire.ts";

/** Why a response is not complete, by our names. */
const STOP_REASONS: ReadonlyMap<string, string> = new Map([
  ["max_output_tokens", "max_tokens"],
  ["content_filter", "refusal"],
]);

/** Reads the events of a Responses stream. Each output item is complete with its `output_item.done`. */
export class ResponsesReader implements StreamReader {
  /** Blocks of which text was streamed. */
  readonly #begun = new Set<string>();
  /** The part of a summary that streams, by item. */
  readonly #parts = new Map<number, number>();
  readonly #tools: readonly ToolDefinition[];
  #hasCalls = false;
  #refused = false;

  constructor(tools: readonly ToolDefinition[]) {
    this.#tools = tools;
  }

  read(event: WireFields): readonly MessagePart[] {
    switch (event["type"]) {
      case "response.output_text.delta":
        return this.#words(event);
      case "response.refusal.delta":
        this.#refused = true;
        return this.#words(event);
      case "response.reasoning_summary_text.delta":
        return this.#thought(event, count(event["summary_index"]));
      case "response.reasoning_text.delta":
        return this.#thought(event, count(event["content_index"]));
      case "response.output_item.done":
        return this.#item(count(event["output_index"]), fields(event["item"]));
      case "response.completed":
        return [this.#finish(fields(event["response"]), this.#stopReason())];
      case "response.incomplete": {
        const response = fields(event["response"]);
        const reason = words(fields(response["incomplete_details"])["reason"]);
        return [this.#finish(response, STOP_REASONS.get(reason) ?? reason)];
      }
      case "response.failed":
      case "response.cancelled":
        return [{ type: "error", error: fields(event["response"])["error"] ?? { message: "the response failed" } }];
      case "error":
        return [{ type: "error", error: event["error"] ?? { message: event["message"], code: event["code"] } }];
      default:
        return [];
    }
  }

  end(): readonly MessagePart[] {
    return [];
  }

  #words(event: WireFields): readonly MessagePart[] {
    const id = `${count(event["output_index"])}.${count(event["content_index"])}`;
    this.#begun.add(id);
    return [{ type: "text", id, text: text(event, "delta") }];
  }

  /** The parts of a summary are paragraphs of one thought. */
  #thought(event: WireFields, part: number): readonly MessagePart[] {
    const at = count(event["output_index"]);
    const id = String(at);
    const isNext = this.#begun.has(id) && this.#parts.get(at) !== part;
    this.#begun.add(id);
    this.#parts.set(at, part);
    return [{ type: "thought", id, text: `${isNext ? "\n\n" : ""}${text(event, "delta")}` }];
  }

  #item(at: number, item: WireFields): readonly MessagePart[] {
    switch (item["type"]) {
      case "message":
        return list(item["content"]).flatMap((part, index) => this.#said(`${at}.${index}`, part));
      case "reasoning":
        return this.#reasoned(String(at), item);
      case "function_call": {
        this.#hasCalls = true;
        const input = words(item["arguments"]);
        return [
          {
            type: "call",
            tool_use_id: words(item["call_id"]),
            tool: calledTool(text(item, "name"), this.#tools),
            input: input || "{}",
          },
        ];
      }
      default:
        return [];
    }
  }

  #said(id: string, part: WireFields): readonly MessagePart[] {
    const isRefusal = part["type"] === "refusal";
    this.#refused ||= isRefusal;
    const whole = words(part[isRefusal ? "refusal" : "text"]);
    const late: readonly MessagePart[] = this.#begun.has(id) || whole === "" ? [] : [{ type: "text", id, text: whole }];
    return [...late, { type: "end", id }];
  }

  #reasoned(id: string, item: WireFields): readonly MessagePart[] {
    const summary = list(item["summary"]).length > 0 ? item["summary"] : item["content"];
    const whole = list(summary)
      .map((part) => words(part["text"]))
      .join("\n\n");
    const signature = words(item["encrypted_content"]);
    const late = this.#begun.has(id) ? "" : whole;
    return [
      { type: "thought", id, text: late, ...(signature === "" ? {} : { signature }) },
      { type: "end", id },
    ];
  }

  #stopReason(): string {
    if (this.#refused) return "refusal";
    return this.#hasCalls ? "tool_use" : "end_turn";
  }

  #finish(response: WireFields, stop_reason: string): MessagePart {
    return { type: "finish", stop_reason, usage: usageOf(response["usage"], "responses") };
  }
}
