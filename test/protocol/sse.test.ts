import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SseReader } from "../../src/protocol/index.ts";

const STREAM =
  ": hello\n\nid: 7\nevent: x\ndata: one\ndata:  two\n\n: alive\n\ndata:three\nretry: 5\n\ndata\nid:\n\nid: 9\ndata:\n\ndata: never whole";
const EVENTS = [
  { id: "7", data: "one\n two" },
  { id: undefined, data: "three" },
  { id: "9", data: "" },
];

describe("a stream of server-sent events", () => {
  test("is the same wherever the network cuts, with either line end", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(STREAM.length), { maxLength: 20 }),
        fc.constantFrom("\n", "\r\n"),
        (cuts, lineEnd) => {
          const text = STREAM.replaceAll("\n", lineEnd);
          const places = [0, ...cuts.toSorted((left, right) => left - right), text.length];
          const reader = new SseReader(1_000, Error);
          const events = places
            .slice(1)
            .flatMap((end, index) => Array.from(reader.read(text.slice(places[index], end))));
          expect(events).toEqual(EVENTS);
        },
      ),
      { seed: 7, numRuns: 300 },
    );
  });

  test.each([
    ["one long line", ["data: ", "x".repeat(60), "x".repeat(60)]],
    ["many short lines", Array.from({ length: 60 }, () => "data: x\n")],
  ])("is bounded: %s", (_name, chunks) => {
    const reader = new SseReader(100, RangeError);
    expect(() => chunks.forEach((chunk) => [...reader.read(chunk)])).toThrow(
      new RangeError("an event is longer than 100 characters"),
    );
  });
});
