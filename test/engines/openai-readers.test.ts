import { StringDecoder } from "node:string_decoder";
import { describe, expect, test } from "vitest";
import type { Usage } from "../../src/protocol/index.ts";
import { StreamFailure } from "../../src/engines/loop/failure.ts";
import { wireOf } from "../../src/engines/loop/request.ts";
import { EventReader } from "../../src/engines/loop/sse.ts";
import { functionName } from "../../src/engines/loop/wires/openai.ts";
import type { MessagePart } from "../../src/engines/loop/wires/wire.ts";
import { OPENAI_STREAMS } from "../proxy/streams/openai.ts";

const LONG = `mcp__${"a".repeat(40)}__${"b".repeat(60)}`;
const SHORT = functionName(LONG);
const TOOLS = ["Read", LONG].map((name) => ({ name, description: "", input_schema: {} }));

type Api = "responses" | "chat";

const NOTHING: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  model_calls: 1,
};
const finish = (stop_reason: string | undefined, usage: Partial<Usage> = {}): MessagePart => ({
  type: "finish",
  stop_reason,
  usage: { ...NOTHING, ...usage },
});

/** Reads fragments of bytes as the transport gives them on. */
function read(api: Api, fragments: readonly Buffer[]): readonly MessagePart[] {
  const decoder = new StringDecoder("utf8");
  const events = new EventReader();
  const message = wireOf(api).reader(TOOLS);
  const parts = fragments.flatMap((fragment) =>
    [...events.read(decoder.write(fragment))].flatMap((event) => message.read(event)),
  );
  return parts.some(({ type }) => type === "finish" || type === "error") ? parts : [...parts, ...message.end()];
}

const stream = (...events: readonly object[]): string =>
  events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
const DONE = "data: [DONE]\n\n";

const item = (output_index: number, fields: object): object => ({
  type: "response.output_item.done",
  output_index,
  item: fields,
});
const completed = (fields: object = {}): object => ({ type: "response.completed", response: fields });
const delta = (fields: object, finish_reason: string | null = null): object => ({
  choices: [{ index: 0, delta: fields, finish_reason }],
});
const call = (fields: object): object => delta({ tool_calls: [fields] });

interface Case {
  readonly name: string;
  readonly api: Api;
  readonly text: string;
  readonly parts: readonly MessagePart[];
}

const CASES: readonly Case[] = [
  {
    name: "text, with what it cost",
    api: "responses",
    text: stream(
      { type: "response.created", response: {} },
      { type: "response.output_item.added", output_index: 0, item: { type: "message" } },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Grüße " },
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "世界 👋" },
      item(0, { type: "message", content: [{ type: "output_text", text: "Grüße 世界 👋" }] }),
      completed({
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
          output_tokens: 20,
          output_tokens_details: { reasoning_tokens: 5 },
          total_tokens: 120,
        },
      }),
    ),
    parts: [
      { type: "text", id: "0.0", text: "Grüße " },
      { type: "text", id: "0.0", text: "世界 👋" },
      { type: "end", id: "0.0" },
      finish("end_turn", {
        input_tokens: 10,
        output_tokens: 20,
        cache_read_tokens: 60,
        cache_write_tokens: 30,
        reasoning_tokens: 5,
      }),
    ],
  },
  {
    name: "a thought of two paragraphs with its proof, then two calls",
    api: "responses",
    text: stream(
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "One" },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "." },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 1, delta: "Two." },
      item(0, {
        type: "reasoning",
        encrypted_content: "gAAA",
        summary: [
          { type: "summary_text", text: "One." },
          { type: "summary_text", text: "Two." },
        ],
      }),
      { type: "response.function_call_arguments.delta", output_index: 1, delta: '{"file_path":' },
      item(1, { type: "function_call", call_id: "call_1", name: "Read", arguments: '{"file_path":"/a"}' }),
      item(2, { type: "function_call", call_id: "call_2", name: "Bash", arguments: "" }),
      completed(),
    ),
    parts: [
      { type: "thought", id: "0", text: "One" },
      { type: "thought", id: "0", text: "." },
      { type: "thought", id: "0", text: "\n\nTwo." },
      { type: "thought", id: "0", text: "", signature: "gAAA" },
      { type: "end", id: "0" },
      { type: "call", tool_use_id: "call_1", tool: "Read", input: '{"file_path":"/a"}' },
      { type: "call", tool_use_id: "call_2", tool: "Bash", input: "{}" },
      finish("tool_use"),
    ],
  },
  {
    name: "items that were not streamed in pieces, and some that nobody knows",
    api: "responses",
    text: stream(
      { type: "response.hologram.delta", delta: "?" },
      item(0, { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] }),
      item(1, { type: "hologram" }),
      item(2, { type: "message", content: [{ type: "output_text", text: "All at once." }] }),
      completed(),
    ),
    parts: [
      { type: "thought", id: "0", text: "Hm." },
      { type: "end", id: "0" },
      { type: "text", id: "2.0", text: "All at once." },
      { type: "end", id: "2.0" },
      finish("end_turn"),
    ],
  },
  {
    name: "a refusal",
    api: "responses",
    text: stream(
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "I will not." },
      item(0, { type: "message", content: [{ type: "refusal", refusal: "I will not." }] }),
      completed(),
    ),
    parts: [{ type: "text", id: "0.0", text: "I will not." }, { type: "end", id: "0.0" }, finish("refusal")],
  },
  ...(
    [
      ["max_output_tokens", "max_tokens"],
      ["content_filter", "refusal"],
      ["boredom", "boredom"],
    ] as const
  ).map(([reason, stop]): Case => ({
    name: `an end because of ${reason}`,
    api: "responses",
    text: stream({ type: "response.incomplete", response: { incomplete_details: { reason } } }),
    parts: [finish(stop)],
  })),
  {
    name: "a response that failed",
    api: "responses",
    text: stream({ type: "response.failed", response: { error: { code: "server_error", message: "Sorry." } } }),
    parts: [{ type: "error", error: { code: "server_error", message: "Sorry." } }],
  },
  {
    name: "an error, in either form",
    api: "responses",
    text: stream(
      { type: "error", code: "rate_limit_exceeded", message: "Slow down.", param: null },
      { type: "error", error: { type: "server_error", message: "Sorry." } },
    ),
    parts: [
      { type: "error", error: { code: "rate_limit_exceeded", message: "Slow down." } },
      { type: "error", error: { type: "server_error", message: "Sorry." } },
    ],
  },
  {
    name: "a thought, text and two calls in pieces",
    api: "chat",
    text:
      stream(
        delta({ role: "assistant", content: "" }),
        delta({ reasoning_content: "Hm" }),
        delta({ reasoning_content: "." }),
        delta({ content: "Grüße " }),
        delta({ content: "👋" }),
        call({ index: 0, id: "call_1", type: "function", function: { name: "Read", arguments: "" } }),
        call({ index: 0, function: { arguments: '{"file_path":' } }),
        call({ index: 1, id: "call_2", type: "function", function: { name: "Bash", arguments: "" } }),
        call({ index: 0, function: { arguments: '"/ä"}' } }),
        delta({}, "tool_calls"),
        {
          choices: [],
          usage: {
            prompt_tokens: 50,
            completion_tokens: 3,
            total_tokens: 153,
            prompt_tokens_details: { cached_tokens: 9 },
          },
        },
      ) + DONE,
    parts: [
      { type: "thought", id: "1", text: "Hm" },
      { type: "thought", id: "1", text: "." },
      { type: "thought", id: "1", text: "", signature: '{"field":"reasoning_content"}' },
      { type: "end", id: "1" },
      { type: "text", id: "2", text: "Grüße " },
      { type: "text", id: "2", text: "👋" },
      { type: "end", id: "2" },
      { type: "call", tool_use_id: "call_1", tool: "Read", input: '{"file_path":"/ä"}' },
      { type: "call", tool_use_id: "call_2", tool: "Bash", input: "{}" },
      finish("tool_use", { input_tokens: 41, output_tokens: 103, cache_read_tokens: 9 }),
    ],
  },
  {
    name: "calls of servers without an index, with one index for all, and with input that is no text",
    api: "chat",
    text:
      stream(
        call({ id: "a", function: { name: "Read", arguments: '{"file_path":"/a"}' } }),
        call({ id: "b", function: { name: "Read", arguments: { file_path: "/b" } } }),
        call({ index: 0, id: "c", function: { name: "Read", arguments: '{"file_path":' } }),
        call({ index: 0, id: "c", function: { name: "Read", arguments: '"/c"}' } }),
        call({ index: 0, id: "d", function: { name: "Bash", arguments: null } }),
        delta({}, "stop"),
      ) + DONE,
    parts: [
      { type: "call", tool_use_id: "a", tool: "Read", input: '{"file_path":"/a"}' },
      { type: "call", tool_use_id: "b", tool: "Read", input: '{"file_path":"/b"}' },
      { type: "call", tool_use_id: "c", tool: "Read", input: '{"file_path":"/c"}' },
      { type: "call", tool_use_id: "d", tool: "Bash", input: "{}" },
      finish("end_turn"),
    ],
  },
  {
    name: "details of thoughts in pieces, one of them without a word",
    api: "chat",
    text:
      stream(
        delta({ reasoning: "Hm", reasoning_details: [{ type: "reasoning.text", index: 0, text: "Hm" }] }),
        delta({ reasoning: ".", reasoning_details: [{ type: "reasoning.text", index: 0, text: ".", signature: "s" }] }),
        delta({ content: "Yes." }),
        delta({ reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "e" }] }),
        delta({}, "stop"),
      ) + DONE,
    parts: [
      { type: "thought", id: "1", text: "Hm" },
      { type: "thought", id: "1", text: "." },
      {
        type: "thought",
        id: "1",
        text: "",
        signature: '{"details":[{"type":"reasoning.text","index":0,"text":"Hm.","signature":"s"}]}',
      },
      { type: "end", id: "1" },
      { type: "text", id: "2", text: "Yes." },
      { type: "end", id: "2" },
      {
        type: "thought",
        id: "3",
        text: "",
        signature: '{"details":[{"type":"reasoning.encrypted","index":1,"data":"e"}]}',
      },
      { type: "end", id: "3" },
      finish("end_turn"),
    ],
  },
  {
    name: "names as models write them",
    api: "chat",
    text:
      stream(
        call({ index: 0, id: "a", function: { name: "functions.Read", arguments: "{}" } }),
        call({ index: 1, id: "b", function: { name: "Read<|channel|>commentary", arguments: "{}" } }),
        call({ index: 2, id: "c", function: { name: SHORT, arguments: "{}" } }),
        delta({}, "tool_calls"),
      ) + DONE,
    parts: [
      { type: "call", tool_use_id: "a", tool: "Read", input: "{}" },
      { type: "call", tool_use_id: "b", tool: "Read", input: "{}" },
      { type: "call", tool_use_id: "c", tool: LONG, input: "{}" },
      finish("tool_use"),
    ],
  },
  {
    name: "a long name in the form that it was offered in",
    api: "responses",
    text: stream(item(0, { type: "function_call", call_id: "a", name: SHORT, arguments: "{}" }), completed()),
    parts: [{ type: "call", tool_use_id: "a", tool: LONG, input: "{}" }, finish("tool_use")],
  },
  {
    name: "a server that ends without its last line",
    api: "chat",
    text: stream(delta({ content: "Yes." }), delta({}, "length")),
    parts: [{ type: "text", id: "1", text: "Yes." }, { type: "end", id: "1" }, finish("max_tokens")],
  },
  {
    name: "one that ends in the middle",
    api: "chat",
    text: stream(delta({ content: "Ye" })),
    parts: [{ type: "text", id: "1", text: "Ye" }],
  },
  {
    name: "a refusal",
    api: "chat",
    text: stream(delta({ refusal: "I will not." }), delta({}, "stop")) + DONE,
    parts: [{ type: "text", id: "1", text: "I will not." }, { type: "end", id: "1" }, finish("refusal")],
  },
  {
    name: "an error",
    api: "chat",
    text: stream(delta({ content: "Ye" }), { error: { code: 502, message: "Sorry." } }),
    parts: [
      { type: "text", id: "1", text: "Ye" },
      { type: "error", error: { code: 502, message: "Sorry." } },
    ],
  },
];

describe.each(CASES)("$api: $name", ({ api, text, parts }) => {
  const bytes = Buffer.from(text);

  test("is read", () => {
    expect(read(api, [bytes])).toEqual(parts);
  });

  test("is read however it is cut", () => {
    const whole = JSON.stringify(read(api, [bytes]));
    const wrong = Array.from(bytes.keys()).filter(
      (at) => JSON.stringify(read(api, [bytes.subarray(0, at), bytes.subarray(at)])) !== whole,
    );
    expect(wrong).toEqual([]);
    const single = Array.from(bytes.keys(), (at) => bytes.subarray(at, at + 1));
    expect(read(api, single)).toEqual(parts);
    expect(read(api, [Buffer.from(text.replaceAll("\n", "\r\n"))])).toEqual(parts);
  });
});

test.each([
  { api: "responses", name: "text without a word", event: { type: "response.output_text.delta", output_index: 0 } },
  { api: "responses", name: "a call without a name", event: item(0, { type: "function_call", call_id: "a" }) },
] as const)("$api: $name is a broken stream", ({ api, event }) => {
  expect(() => read(api, [Buffer.from(stream(event))])).toThrow(StreamFailure);
});

test("a long name is cut to what the APIs take, and stays one of its own", () => {
  const others = [LONG, `${LONG}c`, `${LONG}d`].map(functionName);
  expect(new Set(others).size).toBe(3);
  for (const name of others) expect(name).toMatch(/^[a-zA-Z0-9_-]{64}$/);
  expect(functionName("Read")).toBe("Read");
});

const COUNTED = OPENAI_STREAMS.filter(({ end, partial }) => end === undefined && partial !== true);

test.each(COUNTED)("the usage of $name is what the meter reads", ({ route, text, tokens }) => {
  if (route === "messages") throw new Error("it is none of OpenAI's");
  expect(read(route, [Buffer.from(text)]).at(-1)).toMatchObject({
    type: "finish",
    usage: {
      input_tokens: tokens.input,
      output_tokens: tokens.output,
      cache_read_tokens: tokens.cache_read,
      cache_write_tokens: tokens.cache_write,
      reasoning_tokens: tokens.reasoning,
    },
  });
});
