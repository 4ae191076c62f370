import { callId, partsOf, tally } from "../content.ts";
import { signatureOf } from "../signature.ts";
import type { ReadRequest, Fields, Format, SimRequest, Moment, ReplyPart, ModelReply, TokenTally } from "../wire.ts";
import { readRequest } from "./request.ts";
import type { HeldThreads } from "./threads.ts";
import { errorType } from "./vendor.ts";

export function readMessages(body: unknown, threads: HeldThreads): ReadRequest {
  const whole = threads.expand(body);
  const request = readRequest(whole);
  return {
    request,
    format: (reply) => new MessagesFormat(reply, request),
    answered: (answer) => threads.keep(whole, answer),
  };
}

/** `POST /v1/messages`. */
class MessagesFormat implements Format {
  readonly #request: SimRequest;
  readonly #reply: ModelReply;
  /** Remaining characters of the open thought: it is signed with its last word. */
  #unthought = 0;

  constructor(reply: ModelReply, request: SimRequest) {
    this.#request = request;
    this.#reply = reply;
  }

  encode(moment: Moment): string {
    switch (moment.at) {
      case "begin":
        return event("message_start", { message: this.#message([], null, this.#firstUsage()) });
      case "open":
        return this.#open(moment.part, moment.index);
      case "piece":
        return this.#piece(moment.part, moment.index, moment.text);
      case "close":
        return event("content_block_stop", { index: moment.index });
      case "end":
        return (
          event("message_delta", {
            delta: { stop_reason: this.#reply.stopReason, stop_sequence: stopSequence(this.#reply) },
            usage: usageOf(tally(this.#reply, this.#request)),
          }) + event("message_stop", {})
        );
      case "fail": {
        const { status, type, message } = moment.error;
        return event("error", { error: { type: type ?? errorType(status), message } });
      }
      case "garble":
        return 'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_del\n\n';
    }
  }

  whole(): Fields {
    const content = partsOf(this.#reply, this.#request).map((part, index) => this.#block(part, index));
    const usage = { ...usageOf(tally(this.#reply, this.#request)), service_tier: "standard" };
    return this.#message(content, this.#reply.stopReason, usage);
  }

  #message(content: readonly Fields[], stopReason: string | null, usage: Fields): Fields {
    return {
      id: `msg_${this.#request.digest.slice(0, 24)}`,
      type: "message",
      role: "assistant",
      model: this.#request.model,
      content,
      stop_reason: stopReason,
      stop_sequence: stopReason === null ? null : stopSequence(this.#reply),
      usage,
    };
  }

  #firstUsage(): Fields {
    const { output_tokens: _, output_tokens_details: __, ...input } = usageOf(tally(this.#reply, this.#request));
    return { ...input, output_tokens: 1, service_tier: "standard" };
  }

  #open(part: ReplyPart, index: number): string {
    this.#unthought = part.text.length;
    const empty = part.type === "call" ? { ...part, input: {} } : { ...part, text: "" };
    const start = event("content_block_start", {
      index,
      content_block: { ...this.#block(empty, index), ...(part.type === "thought" ? { signature: "" } : {}) },
    });
    const ping = index === 0 ? event("ping", {}) : "";
    return start + ping + (part.type === "call" ? delta(index, { type: "input_json_delta", partial_json: "" }) : "");
  }

  #piece(part: ReplyPart, index: number, text: string): string {
    switch (part.type) {
      case "text":
        return delta(index, { type: "text_delta", text });
      case "call":
        return delta(index, { type: "input_json_delta", partial_json: text });
      case "thought": {
        this.#unthought -= text.length;
        const signed = this.#unthought === 0;
        const words = delta(index, { type: "thinking_delta", thinking: text });
        return signed ? words + delta(index, { type: "signature_delta", signature: signatureOf(part.text) }) : words;
      }
    }
  }

  #block(part: ReplyPart, index: number): Fields {
    switch (part.type) {
      case "text":
        return { type: "text", text: part.text };
      case "thought":
        return { type: "thinking", thinking: part.text, signature: signatureOf(part.text) };
      case "call":
        return { type: "tool_use", id: callId("toolu_", this.#request, index), name: part.name, input: part.input };
    }
  }
}

function event(type: string, fields: Fields): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

function delta(index: number, fields: Fields): string {
  return event("content_block_delta", { index, delta: fields });
}

function stopSequence(reply: ModelReply): string | null {
  return reply.stopReason === "stop_sequence" ? "STOP" : null;
}

function usageOf(tokens: TokenTally): Fields {
  return {
    input_tokens: tokens.input,
    cache_creation_input_tokens: tokens.cacheWrite,
    cache_read_input_tokens: tokens.cacheRead,
    output_tokens: tokens.output,
    ...(tokens.thinking > 0 ? { output_tokens_details: { thinking_tokens: tokens.thinking } } : {}),
  };
}
