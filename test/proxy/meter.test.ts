import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { meterFor } from "../../src/proxy/meter/choose.ts";
import { ANTHROPIC_STREAMS } from "./streams/anthropic.ts";
import { OPENAI_STREAMS } from "./streams/openai.ts";
import type { RecordedStream } from "./streams/stream.ts";

const FACTS = {
  bytes: 0,
  answers: 1,
  cacheWrite: "5m",
  images: 0,
  opaque: 0,
  compactions: 0,
  serverTools: [],
  placePercent: 100,
} as const;

function run(stream: RecordedStream, pieces: Iterable<Buffer>) {
  const meter = meterFor(stream.route, ["content-type", "text/event-stream; charset=utf-8"], {
    hideUsage: stream.hidden !== undefined,
    facts: FACTS,
  });
  const passed: Buffer[] = [];
  for (const piece of pieces) passed.push(meter.feed(piece) ?? Buffer.alloc(0));
  passed.push(meter.finish() ?? Buffer.alloc(0));
  return {
    passed: Buffer.concat(passed).toString("latin1"),
    tokens: meter.tally.tokens(),
    end: meter.end,
    final: meter.tally.isFinal,
  };
}

function expected(stream: RecordedStream) {
  return {
    passed: Buffer.from(stream.text.replace(stream.hidden ?? "\0", "")).toString("latin1"),
    tokens: stream.tokens,
    end: stream.end === undefined ? "completed" : stream.end === "broken" ? undefined : "error",
    final: stream.partial === undefined,
  };
}

function* cut(bytes: Buffer, borders: readonly number[]): Iterable<Buffer> {
  let from = 0;
  for (const border of [...borders, bytes.length]) {
    yield bytes.subarray(from, border);
    from = border;
  }
}

const everyNth = (bytes: Buffer, size: number): number[] =>
  Array.from({ length: Math.ceil(bytes.length / size) - 1 }, (_, index) => (index + 1) * size);

describe.each([...ANTHROPIC_STREAMS, ...OPENAI_STREAMS])("$name", (stream) => {
  const bytes = Buffer.from(stream.text);

  test("in pieces of every size", () => {
    const wanted = JSON.stringify(expected(stream));
    for (let size = 1; size <= bytes.length; size += 1) {
      const got = run(stream, cut(bytes, everyNth(bytes, size)));
      if (JSON.stringify(got) !== wanted) expect({ size, ...got }).toEqual({ size, ...expected(stream) });
    }
  });

  test("with random borders", () => {
    const borders = fc.array(fc.nat(bytes.length), { maxLength: 40 }).map((list) => list.toSorted((a, b) => a - b));
    fc.assert(
      fc.property(borders, (list) => {
        expect(run(stream, cut(bytes, list))).toEqual(expected(stream));
      }),
      { seed: 3, numRuns: 100 },
    );
  });
});

const EVENTS = {
  messages: [
    'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_1","model":"claude-x","usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
    'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":2}}\n\n',
    'event: message_stop\ndata: {"type":"message_stop"}\n\n',
  ],
  chat: [
    'data: {"id":"chatcmpl_1","model":"gpt-x","choices":[{"delta":{"content":"a"},"finish_reason":null}],"usage":null}\n\n',
    'data: {"id":"chatcmpl_1","model":"gpt-x","choices":[{"delta":{},"finish_reason":"length"}],"usage":null}\n\n',
    'data: {"id":"chatcmpl_1","model":"gpt-x","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\ndata: [DONE]\n\n',
  ],
  responses: [
    'event: response.incomplete\ndata: {"type":"response.incomplete","response":{"id":"resp_1","model":"gpt-x","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":1,"output_tokens":2}}}\n\n',
  ],
} as const;
const WHOLE = {
  messages: { id: "msg_1", model: "claude-x", stop_reason: "tool_use", usage: { input_tokens: 1, output_tokens: 2 } },
  chat: {
    id: "chatcmpl_1",
    model: "gpt-x",
    choices: [{ finish_reason: "length" }],
    usage: { prompt_tokens: 1, completion_tokens: 2 },
  },
  responses: {
    id: "resp_1",
    model: "gpt-x",
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    usage: { input_tokens: 1, output_tokens: 2 },
  },
} as const;

test.each([
  ["messages", "msg_1", "claude-x", "tool_use"],
  ["chat", "chatcmpl_1", "gpt-x", "length"],
  ["responses", "resp_1", "gpt-x", "max_output_tokens"],
] as const)("%s: reads who answered and why it ended, streamed or whole", (route, id, model, reason) => {
  for (const [type, pieces] of [
    ["text/event-stream", EVENTS[route]],
    ["application/json", [JSON.stringify(WHOLE[route])]],
  ] as const) {
    const meter = meterFor(route, ["content-type", type], { hideUsage: false, facts: FACTS });
    for (const piece of pieces) meter.feed(Buffer.from(piece));
    meter.finish();
    const { responseId, responseModel, finishReason } = meter.tally;
    expect([type, responseId, responseModel, finishReason]).toEqual([type, id, model, reason]);
  }
});

test("what is no short text in an answer is cut or left out", () => {
  const meter = meterFor("messages", ["content-type", "application/json"], { hideUsage: false, facts: FACTS });
  meter.feed(Buffer.from(JSON.stringify({ id: "i".repeat(100_000), model: { a: 1 }, stop_reason: 7, usage: {} })));
  meter.finish();
  const { responseId, responseModel, finishReason } = meter.tally;
  expect([responseId?.length, responseModel, finishReason]).toEqual([200, undefined, undefined]);
});
