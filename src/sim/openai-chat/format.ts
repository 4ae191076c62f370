import { callId, partsOf, tally } from "../content.ts";
import { usageOf } from "../openai/usage.ts";
import { CREATED, errorFields } from "../openai/vendor.ts";
import type { ReadRequest, Fields, Format, Moment, ReplyPart, ModelReply, StopReason } from "../wire.ts";
import { readRequest, type ChatRequest } from "./request.ts";

const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  tool_use: "tool_calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "content_filter",
};

export function readChat(body: unknown): ReadRequest {
  const request = readRequest(body);
  return { request, format: (reply) => new ChatFormat(reply, request) };
}

/** `POST /v1/chat/completions`. Thoughts go into `reasoning_content`, as servers of open models send them. */
class ChatFormat implements Format {
  readonly #request: ChatRequest;
  readonly #reply: ModelReply;
  /** Tool calls that were begun. */
  #calls = 0;

  constructor(reply: ModelReply, request: ChatRequest) {
    this.#request = request;
    this.#reply = reply;
  }

  encode(moment: Moment): string {
    switch (moment.at) {
      case "begin":
        return this.#delta({ role: "assistant", content: this.#callsOnly() ? null : "", refusal: null });
      case "open":
        return this.#open(moment.part, moment.index);
      case "piece":
        return this.#piece(moment.part, moment.text);
      case "close":
        return "";
      case "end":
        return this.#end();
      case "fail":
        return line(JSON.stringify({ error: errorFields(moment.error) }));
      case "garble":
        return line('{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"cont');
    }
  }

  whole(): Fields {
    const parts = partsOf(this.#reply, this.#request);
    const calls = parts
      .map((part, index) => (part.type === "call" ? this.#call(part, index, part.text) : undefined))
      .filter((call) => call !== undefined);
    const words = (type: ReplyPart["type"]): string =>
      parts.map((part) => (part.type === type ? part.text : "")).join("");
    const thoughts = words("thought");
    const message = {
      role: "assistant",
      content: this.#callsOnly() ? null : words("text"),
      refusal: null,
      ...(thoughts === "" ? {} : { reasoning_content: thoughts }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    return {
      ...this.#head("chat.completion"),
      choices: [{ index: 0, message, logprobs: null, finish_reason: FINISH_REASONS[this.#reply.stopReason] }],
      usage: this.#usage(),
    };
  }

  #callsOnly(): boolean {
    const { acts } = this.#reply;
    return acts.some((act) => act.do === "tool") && !acts.some((act) => act.do === "say" || act.do === "tokens");
  }

  #open(part: ReplyPart, index: number): string {
    if (part.type !== "call") return "";
    this.#calls += 1;
    return this.#delta({ tool_calls: [{ index: this.#calls - 1, ...this.#call(part, index, "") }] });
  }

  #piece(part: ReplyPart, text: string): string {
    switch (part.type) {
      case "text":
        return this.#delta({ content: text });
      case "thought":
        return this.#delta({ reasoning_content: text });
      case "call": {
        const piece = part.freeform ? { custom: { input: text } } : { function: { arguments: text } };
        return this.#delta({ tool_calls: [{ index: this.#calls - 1, ...piece }] });
      }
    }
  }

  #call(part: Extract<ReplyPart, { type: "call" }>, index: number, text: string): Fields {
    const id = callId("call_", this.#request, index);
    return part.freeform
      ? { id, type: "custom", custom: { name: part.name, input: text } }
      : { id, type: "function", function: { name: part.name, arguments: text } };
  }

  #end(): string {
    const last = this.#delta({}, FINISH_REASONS[this.#reply.stopReason]);
    const usage = this.#request.includeUsage
      ? line(JSON.stringify({ ...this.#head("chat.completion.chunk"), choices: [], usage: this.#usage() }))
      : "";
    return last + usage + line("[DONE]");
  }

  #delta(delta: Fields, finishReason: string | null = null): string {
    return line(
      JSON.stringify({
        ...this.#head("chat.completion.chunk"),
        choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
        ...(this.#request.includeUsage ? { usage: null } : {}),
      }),
    );
  }

  #head(object: string): Fields {
    return {
      id: `chatcmpl-${this.#request.digest.slice(0, 24)}`,
      object,
      created: CREATED,
      model: this.#request.model,
      service_tier: "default",
      system_fingerprint: null,
    };
  }

  #usage(): Fields {
    const { input, inputDetails, output, outputDetails, total } = usageOf(tally(this.#reply, this.#request));
    return {
      prompt_tokens: input,
      completion_tokens: output,
      total_tokens: total,
      prompt_tokens_details: inputDetails,
      completion_tokens_details: outputDetails,
    };
  }
}

function line(data: string): string {
  return `data: ${data}\n\n`;
}
