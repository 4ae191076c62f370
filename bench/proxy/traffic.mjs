// What travels in the proxy's benchmark: the request, the answer, and the times inside it.
import { sized } from "../size.mjs";

export const UPSTREAM_KEY = "upstream-key-of-the-bench";
export const MODEL = "claude-bench";
/** In one answer of the throughput part. */
const EVENTS = 20;
const AROUND_DELTAS = 5;
/** Of one paced stream. */
export const PACED_EVENTS = sized(30, 2);
export const PACE_MS = 50;
export const CONNECTIONS = sized(200, 2);
const BODY_BYTES = 2_048;
const PACED = "One piece every 50 ms, please.";
const PIECE = "and then the next few words of it";

/** Microseconds of the machine's monotonic clock, which all processes share. */
export function microseconds() {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e6 + Math.floor(nanoseconds / 1e3);
}

/** A request of a coding agent, filled up to 2 KB. */
export function requestBody(paced) {
  const write = (filling) =>
    JSON.stringify({
      model: MODEL,
      max_tokens: 1_024,
      stream: true,
      system: [{ type: "text", text: "You are a careful assistant.", cache_control: { type: "ephemeral" } }],
      tools: [
        {
          name: "Read",
          description: "Reads a file.",
          input_schema: { type: "object", properties: { file_path: { type: "string" } }, required: ["file_path"] },
        },
      ],
      messages: [
        { role: "user", content: "What is in the file?" },
        {
          role: "assistant",
          content: [{ type: "tool_use", id: "toolu_1", name: "Read", input: { file_path: "a.txt" } }],
        },
        {
          role: "user",
          content: [
            { type: "tool_result", tool_use_id: "toolu_1", content: filling },
            { type: "text", text: paced ? PACED : "Everything at once, please." },
          ],
        },
      ],
    });
  return write("x".repeat(BODY_BYTES - Buffer.byteLength(write(""))));
}

export function isPaced(request) {
  return request.includes(PACED);
}

/** The head of a request, with a caller's usual headers and those given. */
export function requestHead(headers, bodyBytes) {
  const lines = Object.entries({
    host: "127.0.0.1",
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "bench/1.0",
    "anthropic-version": "2023-06-01",
    "anthropic-beta": "fine-grained-tool-streaming-2025-05-14",
    ...headers,
    "content-length": bodyBytes,
  }).map(([name, value]) => `${name}: ${value}`);
  return `POST /v1/messages HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

export const RESPONSE_HEAD = [
  "HTTP/1.1 200 OK",
  "content-type: text/event-stream; charset=utf-8",
  "cache-control: no-cache",
  "request-id: req_011CSHoEeqs5C35K2UUqR7Fy",
  "anthropic-organization-id: 5f2d8a58-9f0e-4b52-8f0d-6a3f4d9a1c11",
  "anthropic-ratelimit-requests-limit: 4000",
  "anthropic-ratelimit-requests-remaining: 3999",
  "anthropic-ratelimit-requests-reset: 2026-01-01T00:00:00Z",
  "anthropic-ratelimit-tokens-limit: 480000",
  "anthropic-ratelimit-tokens-remaining: 479000",
  "transfer-encoding: chunked",
  "\r\n",
].join("\r\n");

function chunk(type, data) {
  const text = `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;
}

export const OPENING =
  chunk("message_start", {
    message: {
      id: "msg_01XFDUDYJgAACzvnptvVoYEL",
      type: "message",
      role: "assistant",
      model: MODEL,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 480, cache_creation_input_tokens: 30, cache_read_input_tokens: 0, output_tokens: 1 },
    },
  }) + chunk("content_block_start", { index: 0, content_block: { type: "text", text: "" } });

/** One piece of text; with a time in it where it is to be measured. */
export function delta(sent) {
  const text = sent === undefined ? PIECE : `@${sent}@ ${PIECE}`;
  return chunk("content_block_delta", { index: 0, delta: { type: "text_delta", text } });
}

export const ENDING = `${
  chunk("content_block_stop", { index: 0 }) +
  chunk("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 140 } }) +
  chunk("message_stop", {})
}0\r\n\r\n`;

export const WHOLE_ANSWER = Buffer.from(
  RESPONSE_HEAD + OPENING + delta().repeat(EVENTS - AROUND_DELTAS) + ENDING,
  "latin1",
);
