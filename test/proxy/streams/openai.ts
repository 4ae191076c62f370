import { NO_TOKENS } from "../../../src/protocol/index.ts";
import { DECEIT, named, plain, tokens, type RecordedStream } from "./stream.ts";

function chatChunk(part: object, rest: object = {}): string {
  return plain({
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_800_000_000,
    model: "gpt-5-nano",
    ...part,
    ...rest,
  });
}
const choice = (part: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta: part, logprobs: null, finish_reason }],
});
const DONE = "data: [DONE]\n\n";

const CHAT_USAGE = {
  prompt_tokens: 1_100,
  completion_tokens: 90,
  total_tokens: 1_190,
  prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 64, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
};
const CHAT_TOKENS = tokens({ input: 76, cache_read: 1_024, output: 90, reasoning: 64 });
const CHAT_BODY =
  chatChunk(choice({ role: "assistant", content: "", refusal: null }), { usage: null }) +
  chatChunk(choice({ content: "Grüße 世界 👋" }), { usage: null }) +
  chatChunk(choice({ content: DECEIT }), { usage: null }) +
  chatChunk(choice({}, "stop"), { usage: null });
const CHAT_USAGE_CHUNK = chatChunk({ choices: [] }, { usage: CHAT_USAGE });

const CHAT_BARE_USAGE = plain({ usage: { prompt_tokens: 9, completion_tokens: 4 } });

const CHAT_TOOLS =
  chatChunk(
    choice({
      role: "assistant",
      content: null,
      tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "read", arguments: "" } }],
    }),
    { usage: null },
  ) +
  chatChunk(choice({ tool_calls: [{ index: 0, function: { arguments: '{"usage":{"a":' } }] }), { usage: null }) +
  chatChunk(choice({ tool_calls: [{ index: 0, function: { arguments: "1}}" } }] }), { usage: null }) +
  chatChunk(choice({}, "tool_calls"), { usage: null }) +
  chatChunk({ choices: [] }, { usage: { prompt_tokens: 300, completion_tokens: 20, total_tokens: 320 } }) +
  DONE;

/** Reasoning beside the output, usage in every event. */
const CHAT_GROWING =
  chatChunk(choice({ role: "assistant", reasoning_content: "hm" }), {
    usage: { prompt_tokens: 50, completion_tokens: 1, total_tokens: 52 },
  }) +
  chatChunk(choice({ content: "yes" }), { usage: { prompt_tokens: 50, completion_tokens: 2, total_tokens: 80 } }) +
  chatChunk(choice({}, "stop"), {
    usage: {
      prompt_tokens: 50,
      completion_tokens: 3,
      total_tokens: 153,
      completion_tokens_details: { reasoning_tokens: 100 },
    },
  }) +
  DONE;

const responses = (list: readonly (readonly [type: string, rest: object])[]): string =>
  list.map(([type, rest], index) => named(type, { type, sequence_number: index, ...rest })).join("");

const response = (status: string, rest: object = {}): object => ({
  response: { id: "resp_1", object: "response", status, model: "gpt-5-nano", output: [], usage: null, ...rest },
});
const RESPONSE_USAGE = {
  input_tokens: 5_000,
  input_tokens_details: { cached_tokens: 4_096 },
  output_tokens: 700,
  output_tokens_details: { reasoning_tokens: 512 },
  total_tokens: 5_700,
};
const RESPONSE_TOKENS = tokens({ input: 904, cache_read: 4_096, output: 700, reasoning: 512 });
const RESPONSE_EVENTS: readonly (readonly [string, object])[] = [
  ["response.created", response("in_progress")],
  ["response.in_progress", response("in_progress")],
  ["response.output_item.added", { output_index: 0, item: { id: "rs_1", type: "reasoning", summary: [] } }],
  ["response.reasoning_summary_text.delta", { item_id: "rs_1", output_index: 0, delta: "**Thinking** “error”" }],
  [
    "response.output_item.done",
    { output_index: 0, item: { id: "rs_1", type: "reasoning", encrypted_content: "gAAAA==" } },
  ],
  ["response.web_search_call.searching", { output_index: 1, item_id: "ws_1" }],
  ["response.output_item.added", { output_index: 2, item: { id: "msg_1", type: "message", content: [] } }],
  [
    "response.content_part.added",
    { item_id: "msg_1", output_index: 2, content_index: 0, part: { type: "output_text", text: "" } },
  ],
  ["response.output_text.delta", { item_id: "msg_1", output_index: 2, content_index: 0, delta: DECEIT }],
  [
    "response.output_text.annotation.added",
    { item_id: "msg_1", annotation: { type: "url_citation", url: "https://example.org" } },
  ],
  ["response.output_text.done", { item_id: "msg_1", output_index: 2, content_index: 0, text: DECEIT }],
  [
    "response.function_call_arguments.delta",
    { item_id: "fc_1", output_index: 3, delta: '{"type":"response.completed"}' },
  ],
  [
    "response.function_call_arguments.done",
    { item_id: "fc_1", output_index: 3, arguments: '{"type":"response.completed"}' },
  ],
  ["response.custom_tool_call_input.delta", { item_id: "ct_1", output_index: 4, delta: "*** Begin Patch" }],
  ["response.image_generation_call.partial_image", { item_id: "ig_1", partial_image_b64: "aGVsbG8=" }],
  ["response.refusal.delta", { item_id: "msg_1", delta: "no" }],
];

const SEARCHED = {
  usage: RESPONSE_USAGE,
  output: [
    { type: "web_search_call", id: "ws_1", status: "completed" },
    { type: "web_search_call", id: "ws_2", status: "completed" },
    { type: "message", content: [{ type: "output_text", text: DECEIT }] },
  ],
};

export const OPENAI_STREAMS: readonly RecordedStream[] = [
  { name: "chat with usage asked for", route: "chat", text: CHAT_BODY + CHAT_USAGE_CHUNK + DONE, tokens: CHAT_TOKENS },
  {
    name: "chat with usage that nobody asked for",
    route: "chat",
    text: CHAT_BODY + CHAT_USAGE_CHUNK + DONE,
    tokens: CHAT_TOKENS,
    hidden: CHAT_USAGE_CHUNK,
  },
  {
    name: "the same with other line ends",
    route: "chat",
    text: (CHAT_BODY + CHAT_USAGE_CHUNK + DONE).replaceAll("\n", "\r\n"),
    tokens: CHAT_TOKENS,
    hidden: CHAT_USAGE_CHUNK.replaceAll("\n", "\r\n"),
  },
  { name: "chat with tools", route: "chat", text: CHAT_TOOLS, tokens: tokens({ input: 300, output: 20 }) },
  {
    name: "chat whose usage grows",
    route: "chat",
    text: CHAT_GROWING,
    tokens: tokens({ input: 50, output: 103, reasoning: 100 }),
  },
  { name: "chat without usage", route: "chat", text: CHAT_BODY + DONE, tokens: NO_TOKENS, partial: true },
  {
    name: "chat with an error in the middle",
    route: "chat",
    text: ": PROCESSING\n\n" + CHAT_BODY + plain({ error: { code: 502, message: "upstream" } }),
    tokens: NO_TOKENS,
    end: "provider_error",
    partial: true,
  },
  {
    name: "chat with an error before anything",
    route: "chat",
    text: ": PROCESSING\n\n" + plain({ error: { code: 502, message: "upstream" } }),
    tokens: NO_TOKENS,
    end: "provider_error",
    partial: true,
    released: true,
  },
  {
    name: "responses, completed",
    route: "responses",
    text: responses([...RESPONSE_EVENTS, ["response.completed", response("completed", SEARCHED)]]),
    tokens: { ...RESPONSE_TOKENS, web_searches: 2 },
  },
  {
    name: "responses, incomplete",
    route: "responses",
    text: responses([...RESPONSE_EVENTS, ["response.incomplete", response("incomplete", { usage: RESPONSE_USAGE })]]),
    tokens: RESPONSE_TOKENS,
  },
  {
    name: "responses, failed",
    route: "responses",
    text: responses([
      ...RESPONSE_EVENTS,
      ["response.failed", response("failed", { error: { code: "server_error", message: "x" } })],
    ]),
    tokens: NO_TOKENS,
    end: "provider_error",
    partial: true,
  },
  {
    name: "responses without names",
    route: "responses",
    text: responses([
      ...RESPONSE_EVENTS,
      ["response.completed", response("completed", { usage: RESPONSE_USAGE })],
    ]).replaceAll(/^event: .*\n/gm, ""),
    tokens: RESPONSE_TOKENS,
  },
  {
    name: "responses, error before anything",
    route: "responses",
    text: responses([["error", { code: "rate_limit_exceeded", message: "slow down", param: null }]]),
    tokens: NO_TOKENS,
    end: "provider_error",
    partial: true,
    released: true,
  },
  {
    name: "chat with nothing but usage at the end",
    route: "chat",
    text: CHAT_BODY + CHAT_BARE_USAGE + DONE,
    tokens: tokens({ input: 9, output: 4 }),
  },
  {
    name: "responses, error without a beginning",
    route: "responses",
    text: responses([
      ["response.output_text.delta", { delta: "x" }],
      ["error", { code: "server_error", message: "x" }],
    ]),
    tokens: NO_TOKENS,
    end: "provider_error",
    partial: true,
  },
];
