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
