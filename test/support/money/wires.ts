import type { Used } from "./bill.ts";
import type { Api, PlannedRequest } from "./plan.ts";

/** How much of its usage an answer tells. */
export type Telling = "all" | "half" | "nothing";

/** The body of a request as a vendor's program would send it. `metadata` says which one of the script it is. */
export function bodyOf(request: Omit<PlannedRequest, "used" | "fates" | "leaving">): string {
  const { id, api, model, stream, cache, contentBytes, maxTokens, answers } = request;
  // The first word says which one it is where nothing else does: in a question how many tokens it has.
  const text = `${id} ${"word ".repeat(Math.ceil(contentBytes / 5))}`.slice(0, contentBytes);
  switch (api) {
    case "messages": {
      const ttl = cache === "1h" ? { ttl: "1h" } : {};
      const mark = cache === "none" ? {} : { cache_control: { type: "ephemeral", ...ttl } };
      const content = [{ type: "text", text, ...mark }];
      const messages = [{ role: "user", content }];
      return JSON.stringify({ model, max_tokens: maxTokens, stream, metadata: { user_id: id }, messages });
    }
    case "chat":
      return JSON.stringify({
        model,
        max_completion_tokens: maxTokens,
        n: answers,
        stream,
        metadata: { user_id: id },
        messages: [{ role: "user", content: text }],
      });
    case "responses":
      return JSON.stringify({ model, max_output_tokens: maxTokens, stream, metadata: { user_id: id }, input: text });
  }
}

export const PATHS: Readonly<Record<Api, string>> = {
  messages: "/v1/messages",
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
};

export const COUNT_PATH = "/v1/messages/count_tokens";

/** An answer in the words of its wire, in pieces: what comes before the text, the text, what comes after it. */
export interface Answer {
  readonly head: string;
  readonly pieces: readonly string[];
  readonly tail: string;
}

export function answerOf(request: PlannedRequest, telling: Telling): Answer {
  const whole = JSON.stringify(WHOLE[request.api](request, telling));
  if (request.stream) return STREAMS[request.api](request, telling);
  // Not streamed: the same bytes, cut into as many pieces.
  const size = Math.ceil(whole.length / (request.pieces + 1));
  const cuts = Array.from({ length: request.pieces }, (_, index) => whole.slice(index * size, (index + 1) * size));
  return { head: "", pieces: cuts, tail: whole.slice(request.pieces * size) };
}

const WHOLE: Readonly<Record<Api, (request: PlannedRequest, telling: Telling) => object>> = {
  messages: ({ id, model, used }, telling) => ({
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text: "words" }],
    stop_reason: "end_turn",
    ...(telling === "nothing" ? {} : { usage: anthropicUsage(used, telling) }),
  }),
  chat: ({ id, model, used }, telling) => ({
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    model,
    choices: [{ index: 0, message: { role: "assistant", content: "words" }, finish_reason: "stop" }],
    ...(telling === "nothing" ? {} : { usage: chatUsage(used, telling) }),
  }),
  responses: (request, telling) => responseOf(request, telling),
};

const STREAMS: Readonly<Record<Api, (request: PlannedRequest, telling: Telling) => Answer>> = {
  messages: (request, telling) => {
    const { id, model, pieces, used } = request;
    const message = { id: `msg_${id}`, type: "message", role: "assistant", model, content: [], stop_reason: null };
    const start = telling === "nothing" ? {} : { usage: { ...anthropicUsage(used, "all"), output_tokens: 1 } };
    const end = telling === "all" ? { usage: { output_tokens: used.output } } : {};
    return {
      head:
        named({ type: "message_start", message: { ...message, ...start } }) +
        named({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } }),
      pieces: Array.from({ length: pieces }, (_, index) =>
        named({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: `piece ${index} ` } }),
      ),
      tail:
        named({ type: "content_block_stop", index: 0 }) +
        named({ type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, ...end }) +
        named({ type: "message_stop" }),
    };
  },
  chat: ({ id, model, pieces, used }, telling) => {
    const chunk = (more: object): string =>
      data({ id: `chatcmpl-${id}`, object: "chat.completion.chunk", model, ...more });
    return {
      head: chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] }),
      pieces: Array.from({ length: pieces }, (_, index) =>
        chunk({ choices: [{ index: 0, delta: { content: `piece ${index} ` } }] }),
      ),
      tail:
        chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }) +
        (telling === "nothing" ? "" : chunk({ choices: [], usage: chatUsage(used, telling) })) +
        "data: [DONE]\n\n",
    };
  },
  responses: (request, telling) => {
    const created = { ...responseOf(request, "nothing"), status: "in_progress", output: [] };
    return {
      head: named({ type: "response.created", response: created }),
      pieces: Array.from({ length: request.pieces }, (_, index) =>
        named({ type: "response.output_text.delta", output_index: 0, content_index: 0, delta: `piece ${index} ` }),
      ),
      tail: named({ type: "response.completed", response: responseOf(request, telling) }),
    };
  },
};

/** How each wire says in its stream that something went wrong. */
export const ERROR_EVENTS: Readonly<Record<Api, string>> = {
  messages: named({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }),
  chat: data({ error: { message: "The server had an error", type: "server_error" } }),
  responses: named({ type: "error", code: "server_error", message: "The server had an error" }),
};

function named(event: { readonly type: string; readonly [name: string]: unknown }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function data(event: object): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}

function responseOf({ id, model, used }: PlannedRequest, telling: Telling): object {
  const inputs = used.input + used.cacheRead;
  const usage = {
    input_tokens: inputs,
    input_tokens_details: { cached_tokens: used.cacheRead },
    ...(telling === "half"
      ? {}
      : {
          output_tokens: used.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: inputs + used.output,
        }),
  };
  return {
    id: `resp_${id}`,
    object: "response",
    status: "completed",
    model,
    output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "words" }] }],
    ...(telling === "nothing" ? {} : { usage }),
  };
}

function anthropicUsage(used: Used, telling: Telling): object {
  return {
    input_tokens: used.input,
    cache_read_input_tokens: used.cacheRead,
    cache_creation_input_tokens: used.cacheWrite + used.cacheWrite1h,
    cache_creation: { ephemeral_5m_input_tokens: used.cacheWrite, ephemeral_1h_input_tokens: used.cacheWrite1h },
    ...(telling === "half" ? {} : { output_tokens: used.output }),
  };
}

function chatUsage(used: Used, telling: Telling): object {
  const inputs = used.input + used.cacheRead;
  return {
    prompt_tokens: inputs,
    prompt_tokens_details: { cached_tokens: used.cacheRead },
    ...(telling === "half" ? {} : { completion_tokens: used.output, total_tokens: inputs + used.output }),
  };
}
