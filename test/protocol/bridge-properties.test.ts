import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CompatRow,
  openThread,
  RichRow,
  threadRows,
  type EventBody,
  type StreamFrame,
  type ThreadRow,
} from "../../src/protocol/index.ts";
import { begun, called, done, failed, journal, ran, rowsOf, said } from "./bridge-journal.ts";

const SEED = 20_020_002;
const TOOLS = ["Bash", "Read", "Write", "WebSearch", "TodoWrite", "Task", "mcp__s__t"];

/** What may happen in a turn; the tool's id is filled in later so that no two are the same. */
const happening = fc.oneof(
  fc.record({ kind: fc.constant("said" as const), text: fc.string({ unit: "binary", maxLength: 400 }) }),
  fc.record({ kind: fc.constant("thought" as const), text: fc.string({ maxLength: 40 }) }),
  fc.record({
    kind: fc.constant("ran" as const),
    tool: fc.constantFrom(...TOOLS),
    output: fc.string({ unit: "binary", maxLength: 40 }),
    status: fc.constantFrom("completed", "failed", "declined", "interrupted"),
  }),
  fc.record({ kind: fc.constant("notice" as const), message: fc.string() }),
);
type Happening = typeof happening extends fc.Arbitrary<infer Value> ? Value : never;

function events(happened: Happening, index: number): readonly EventBody[] {
  switch (happened.kind) {
    case "said":
      return said(happened.text, { id: `item_${index}` });
    case "thought":
      return said(happened.text, { id: `item_${index}`, type: "reasoning" });
    case "ran":
      return ran(called(happened.tool, `toolu_${index}`), happened.output, {
        status: happened.status as "completed" | "failed",
      });
    case "notice":
      return [{ type: "error", message: happened.message }];
  }
}

const turn = fc.record({ happenings: fc.array(happening, { maxLength: 12 }), aborted: fc.boolean() });
const session = fc
  .array(turn, { minLength: 1, maxLength: 3 })
  .map((turns) =>
    journal(
      ...turns.flatMap(({ happenings, aborted }) => [
        begun(),
        ...happenings.flatMap(events),
        aborted ? failed({ code: "aborted", message: "aborted" }) : done(),
      ]),
    ),
  );

function check(
  mapping: "compat" | "rich",
  property: (frames: readonly StreamFrame[], rows: readonly ThreadRow[]) => void,
) {
  fc.assert(
    fc.property(session, (frames) => property(frames, rowsOf(mapping, frames))),
    { seed: SEED, numRuns: 150 },
  );
}

/** The rows turn by turn. */
function turns(rows: readonly ThreadRow[]): readonly (readonly ThreadRow[])[] {
  const starts = rows.flatMap(({ type }, index) => (type === "thread.started" ? [index] : []));
  return starts.map((start, index) => rows.slice(start, starts[index + 1]));
}

describe.each(["compat", "rich"] as const)("any journal as %s rows", (mapping) => {
  it("has only rows of the schema", () => {
    const schema = mapping === "compat" ? CompatRow : RichRow;
    check(mapping, (_, rows) => {
      for (const row of rows) expect(schema.parse(row)).toEqual(row);
    });
  });

  it("begins each turn with its thread and ends it once", () => {
    check(mapping, (frames, rows) => {
      const all = turns(rows);
      expect(all.length).toBe(frames.filter(({ type }) => type === "turn.started").length);
      for (const each of all) {
        expect(each.slice(0, 2).map(({ type }) => type)).toEqual(["thread.started", "turn.started"]);
        const ends = each.flatMap(({ type }, index) =>
          type === "turn.completed" || type === "turn.failed" ? [index] : [],
        );
        expect(ends).toEqual([each.length - 1]);
      }
    });
  });

  it("numbers its own items 0, 1, 2 … and completes each item that it started", () => {
    check(mapping, (_, rows) => {
      for (const each of turns(rows)) {
        const items = each.flatMap((row) => ("item" in row ? [{ type: row.type, id: row.item.id }] : []));
        const own = [...new Set(items.map(({ id }) => id).filter((id) => id.startsWith("item_")))];
        expect(own).toEqual(own.map((_id, index) => `item_${index}`));
        const ended = items.filter(({ type }) => type === "item.completed").map(({ id }) => id);
        expect(new Set(ended).size).toBe(ended.length);
        for (const { id } of items) expect(ended).toContain(id);
      }
    });
  });

  it("loses no text", () => {
    check(mapping, (frames, rows) => {
      const spoken = frames.flatMap((frame) =>
        frame.type === "item.completed" && frame.item.type === "agent_message" && frame.item.text.trim() !== ""
          ? [frame.item.text]
          : [],
      );
      const told = rows.flatMap((row) =>
        row.type === "item.completed" && row.item.type === "agent_message" ? [row.item.text] : [],
      );
      expect(told.join("\n\n")).toBe(spoken.join("\n\n"));
    });
  });

  it("changes nothing in what it was given", () => {
    check(mapping, (frames) => {
      const before = JSON.stringify(frames);
      const state = openThread(mapping);
      for (const frame of frames) expect(threadRows(state, frame)).toEqual(threadRows(state, frame));
      expect(JSON.stringify(frames)).toBe(before);
    });
  });
});
