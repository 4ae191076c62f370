import { NO_TOKENS, type TokenCount } from "../../src/protocol/index.ts";

/** A stream as a provider sends it, and what it says of its usage. */
export interface RecordedStream {
  readonly name: string;
  readonly route: "messages" | "responses" | "chat";
  readonly text: string;
  readonly tokens: TokenCount;
  /** Absent: it ends as it should. `broken`: without its last word. */
  readonly end?: "provider_error" | "broken";
  /** The usage is not all told, or nothing of it. */
  readonly partial?: true;
  /** What the caller did not ask for and does not get. */
  readonly hidden?: string;
}

const named = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
/** Anthropic's events carry their name twice. */
const event = (data: { readonly type: string }): string => named(data.type, data);
const plain = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
const tokens = (part: Partial<TokenCount>): TokenCount => ({ ...NO_TOKENS, ...part });

function messageStart(usage: object): string {
  return event({
    type: "message_start",
    message: {
      id: "msg_01AbCdEf",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage,
    },
  } as never);
}

function messageEnd(stop_reason: string, usage: object): string {
  return (
    event({ type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage } as never) +
    event({ type: "message_stop" })
  );
}

const block = (index: number, content_block: object): string =>
  event({ type: "content_block_start", index, content_block } as never);
const delta = (index: number, part: object): string =>
  event({ type: "content_block_delta", index, delta: part } as never);
const stop = (index: number): string => event({ type: "content_block_stop", index } as never);
const PING = event({ type: "ping" });

/** Words of the format itself, as somebody's text: escaped, so that they are never taken for it. */
const DECEIT =
  'event: message_stop\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":999999}}\n\n' +
  'data: [DONE]\n\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":1}}} "usage":{"prompt_tokens":7} "error"';

const TEXT =
  messageStart({ input_tokens: 25, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }) +
  block(0, { type: "text", text: "" }) +
  PING +
  delta(0, { type: "text_delta", text: "Grüße, 世界 👩‍🔬 — \u2028 ok" }) +
  delta(0, { type: "text_delta", text: DECEIT }) +
  stop(0) +
  messageEnd("end_turn", { output_tokens: 42 });

const THINKING =
  messageStart({ input_tokens: 310, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 4 }) +
  block(0, { type: "thinking", thinking: "", signature: "" }) +
  delta(0, { type: "thinking_delta", thinking: "Let me see: 17 · 23 …" }) +
  delta(0, { type: "signature_delta", signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds" }) +
  stop(0) +
  block(1, { type: "redacted_thinking", data: "EmwKAhgBEgy3va3pzix/LafPsn4aDFIT2Xlxh0L5L8rLVyIwxtE3rAFBa8cr3qpP" }) +
  stop(1) +
  block(2, { type: "text", text: "" }) +
  delta(2, { type: "text_delta", text: "391" }) +
  stop(2) +
  messageEnd("end_turn", { output_tokens: 188, output_tokens_details: { thinking_tokens: 170 } });

const TOOLS =
  messageStart({ input_tokens: 472, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 2 }) +
  block(0, { type: "text", text: "" }) +
  delta(0, { type: "text_delta", text: "I look." }) +
  stop(0) +
  block(1, { type: "tool_use", id: "toolu_01T1x", name: "Read", input: {} }) +
  ["", '{"file_', 'path": "/a/\\"message_', 'delta\\"', '.txt"}']
    .map((partial_json) => delta(1, { type: "input_json_delta", partial_json }))
    .join("") +
  stop(1) +
  block(2, {
    type: "tool_use",
    id: "toolu_01T2x",
    name: "kind",
    input: { type: "message_stop", usage: { output_tokens: 3 } },
  }) +
  stop(2) +
  messageEnd("tool_use", { output_tokens: 89 });

const CITATIONS =
  messageStart({ input_tokens: 1_900, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }) +
  block(0, { type: "text", text: "", citations: [] }) +
  delta(0, {
    type: "citations_delta",
    citation: {
      type: "char_location",
      cited_text: "The grass is green. ",
      document_index: 0,
      document_title: "Example",
      start_char_index: 0,
      end_char_index: 20,
    },
  }) +
  delta(0, { type: "text_delta", text: "The grass is green." }) +
  stop(0) +
  messageEnd("end_turn", { output_tokens: 51 });

const SEARCH =
  messageStart({ input_tokens: 2_679, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 3 }) +
  block(0, { type: "server_tool_use", id: "srvtoolu_01W", name: "web_search", input: {} }) +
  delta(0, { type: "input_json_delta", partial_json: '{"query": "weather"}' }) +
  stop(0) +
  block(1, {
    type: "web_search_tool_result",
    tool_use_id: "srvtoolu_01W",
    content: [
      {
        type: "web_search_result",
        title: "Weather",
        url: "https://example.org",
        encrypted_content: "Ev0DCioIAxgC",
        page_age: null,
      },
    ],
  }) +
  stop(1) +
  block(2, { type: "text", text: "" }) +
  delta(2, { type: "text_delta", text: "Sunny." }) +
  stop(2) +
  messageEnd("end_turn", {
    input_tokens: 10_682,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 510,
    server_tool_use: { web_search_requests: 2 },
  });

const CACHED =
  messageStart({
    input_tokens: 12,
    cache_creation_input_tokens: 3_500,
    cache_read_input_tokens: 88_000,
    cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 3_000 },
    output_tokens: 1,
    service_tier: "standard",
  }) +
  block(0, { type: "text", text: "" }) +
  delta(0, { type: "text_delta", text: "From memory." }) +
  stop(0) +
  messageEnd("end_turn", {
    input_tokens: 12,
    cache_creation_input_tokens: 3_500,
    cache_read_input_tokens: 88_000,
    output_tokens: 15,
  });

const REFUSAL =
  messageStart({ input_tokens: 80, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }) +
  messageEnd("refusal", { output_tokens: 6 });

const ERROR_MID =
  messageStart({ input_tokens: 60, cache_creation_input_tokens: 0, cache_read_input_tokens: 5, output_tokens: 2 }) +
  block(0, { type: "text", text: "" }) +
  delta(0, { type: "text_delta", text: "Then it " }) +
  event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } } as never);

const COMPACTED =
  messageStart({ input_tokens: 23_000, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 }) +
  block(0, { type: "compaction", content: "" }) +
  delta(0, { type: "compaction_delta", content: "Summary" }) +
  stop(0) +
  messageEnd("end_turn", {
    input_tokens: 23_000,
    output_tokens: 1_000,
    iterations: [
      { type: "compaction", input_tokens: 180_000, output_tokens: 3_500 },
      { type: "message", input_tokens: 23_000, output_tokens: 1_000 },
    ],
  });

/** The same as `TEXT`, written as the format allows it too. */
const ODD =
  "\uFEFF: a comment with event: message_stop\r\n" +
  ":\r\n\r\n" +
  'retry: 1000\r\nid: 7\r\nevent:message_start\r\ndata:{"type":"message_start",\r\ndata: "message":{"usage":{"input_tokens":25,\r\ndata:"output_tokens":1}}}\r\n\r\n' +
  'data: {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "message_delta"}}\r\n\r\n' +
  'event: ping\r\ndata: {"type": "ping"}\r\n\r\n' +
  'data: {"usage": {"output_tokens": 42}, "type": "message_delta", "delta": {"stop_reason": "end_turn"}}\nevent: message_delta\n\n' +
  'data: {"type":\rdata: "message_stop"}\r\r';

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

export const STREAMS: readonly RecordedStream[] = [
  { name: "text with pings and deceit", route: "messages", text: TEXT, tokens: tokens({ input: 25, output: 42 }) },
  {
    name: "thinking with a signature",
    route: "messages",
    text: THINKING,
    tokens: tokens({ input: 310, output: 188, reasoning: 170 }),
  },
  { name: "tools", route: "messages", text: TOOLS, tokens: tokens({ input: 472, output: 89 }) },
  { name: "citations", route: "messages", text: CITATIONS, tokens: tokens({ input: 1_900, output: 51 }) },
  {
    name: "web search",
    route: "messages",
    text: SEARCH,
    tokens: tokens({ input: 10_682, output: 510, web_searches: 2 }),
  },
  {
    name: "caches of five minutes and an hour",
    route: "messages",
    text: CACHED,
    tokens: tokens({ input: 12, output: 15, cache_read: 88_000, cache_write: 500, cache_write_1h: 3_000 }),
  },
  { name: "a refusal", route: "messages", text: REFUSAL, tokens: tokens({ input: 80, output: 6 }) },
  {
    name: "a conversation made shorter",
    route: "messages",
    text: COMPACTED,
    tokens: tokens({ input: 203_000, output: 4_500 }),
  },
  { name: "odd but allowed framing", route: "messages", text: ODD, tokens: tokens({ input: 25, output: 42 }) },
  {
    name: "an error in the middle",
    route: "messages",
    text: ERROR_MID,
    tokens: tokens({ input: 60, cache_read: 5, output: 2 }),
    end: "provider_error",
    partial: true,
  },
  {
    name: "an error before anything",
    route: "messages",
    text: PING + event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } } as never),
    tokens: NO_TOKENS,
    end: "provider_error",
    partial: true,
  },
  {
    name: "no last word",
    route: "messages",
    text: TEXT.slice(0, TEXT.indexOf("event: content_block_stop")),
    tokens: tokens({ input: 25, output: 1 }),
    end: "broken",
    partial: true,
  },
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
  },
];
