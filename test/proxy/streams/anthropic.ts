import { NO_TOKENS } from "../../../src/protocol/index.ts";
import { DECEIT, event, tokens, type RecordedStream } from "./stream.ts";

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

const UNCOUNTED = TEXT.replace(',"usage":{"output_tokens":42}', "");
const LATE_COUNT = TEXT.replace('"stop_reason":"end_turn"', '"stop_reason":null');

export const ANTHROPIC_STREAMS: readonly RecordedStream[] = [
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
    released: true,
  },
  {
    name: "no last word",
    route: "messages",
    text: TEXT.slice(0, TEXT.indexOf("event: content_block_stop")),
    tokens: tokens({ input: 25, output: 1 }),
    end: "broken",
    partial: true,
  },
  {
    name: "no usage at the end",
    route: "messages",
    text: UNCOUNTED,
    tokens: tokens({ input: 25, output: 1 }),
    partial: true,
  },
  { name: "a count without a reason", route: "messages", text: LATE_COUNT, tokens: tokens({ input: 25, output: 42 }) },
];
