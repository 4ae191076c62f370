import { describe, expect, it } from "vitest";
import type { Item, JournalEvent, StreamFrame, ToolItem } from "../../src/protocol/index.ts";
import { EndFirstTranscript, TAIL_EVENTS } from "../../src/web/console/transcript/end-first.ts";
import { markedParts } from "../../src/web/console/app/hits.ts";
import { moved } from "../../src/web/console/pages/session/queue-order.ts";
import { promptBeside } from "../../src/web/console/transcript/prompt-jump.ts";
import { groupRows, groupWords } from "../../src/web/console/transcript/group-rows.ts";
import { ConsoleTranscript } from "../../src/web/console/transcript/transcript.ts";

const by = { id: "p1", name: "ann", role: "operator" } as const;
const base = { status: "completed", tool_use_id: "toolu" } as const;
const read = (id: string, file_path: string): ToolItem => ({
  ...base,
  id,
  type: "tool_call",
  tool: "Read",
  input: { file_path },
});
const bash = (id: string, change: Partial<Extract<ToolItem, { type: "command_execution" }>> = {}): ToolItem => ({
  ...base,
  id,
  type: "command_execution",
  tool: "Bash",
  input: { command: "ls" },
  command: "ls",
  aggregated_output: "",
  ...change,
});
const other = (id: string, tool: string): ToolItem => ({ ...base, id, type: "tool_call", tool, input: {} });
const say = (id: string): Item => ({ id, type: "agent_message", status: "completed", text: `text of ${id}` });

function journal(bodies: readonly object[]): readonly JournalEvent[] {
  const at = "2026-01-01T00:00:00.000Z";
  return bodies.map((body, index) => Object.assign({ seq: index + 1, session_id: "s", at }, body) as JournalEvent);
}

const begun = (turn_id: string): object => ({ type: "turn.started", turn_id, prompt: { text: "go" }, by });
const whole = (item: Item): readonly object[] => [
  { type: "item.started", item: { ...item, status: "in_progress" } },
  { type: "item.completed", item },
];

/** The rows of one turn with these items, groups by their items. */
function shown(...items: readonly Item[]): readonly string[] {
  const transcript = new ConsoleTranscript();
  for (const event of journal([begun("t"), ...items.flatMap(whole)])) transcript.apply(event);
  const { rows, items: views } = transcript.view;
  return groupRows(rows, views).map((row) => (row.kind === "group" ? row.items.join("+") : row.key));
}

describe("calls that follow each other", () => {
  it("are one row where they went well and nobody has to look at them", () => {
    expect(shown(read("a", "x"), bash("b"), read("c", "y"), say("m"), read("d", "z"))).toEqual([
      "prompt-t",
      "a+b+c",
      "m",
      "d",
    ]);
    expect(shown(read("a", "x"), read("b", "y"))).toEqual(["prompt-t", "a", "b"]);
  });

  it.each<[string, ToolItem]>([
    ["failed", bash("x", { status: "failed", is_error: true })],
    ["runs", bash("x", { status: "in_progress" })],
    ["was changed by a person", bash("x", { approved_input: { command: "ls -l" } })],
    ["expired", bash("x", { status: "timed_out" })],
    ["changed a file", { ...base, id: "x", type: "file_change", tool: "Edit", input: {}, changes: [] }],
  ])("stay apart where one %s", (_, item) => {
    const four = ["a", "b", "c", "d"].map((id) => read(id, id));
    expect(shown(...four.slice(0, 3), item, ...four.slice(3))).toEqual(["prompt-t", "a+b+c", "x", "d"]);
  });

  it("are several groups where they are many", () => {
    const rows = shown(...Array.from({ length: 85 }, (_, index) => read(`r${index}`, "x")));
    expect(rows.map((row) => row.split("+").length)).toEqual([1, 40, 40, 5]);
  });

  it.each<[string, readonly ToolItem[]]>([
    ["Read 2 files, ran 2 commands", [read("a", "x"), read("b", "y"), read("c", "x"), bash("d"), bash("e")]],
    ["Searched 2 times, read 1 file", [other("a", "Grep"), other("b", "Glob"), read("c", "x")]],
    [
      "Fetched 1 page, called TodoRead 2 times",
      [other("a", "WebFetch"), other("b", "TodoRead"), other("c", "TodoRead")],
    ],
    ["Made 2 other calls", [other("a", "One"), other("b", "Two")]],
  ])("say what they did: %s", (words, calls) => {
    expect(groupWords(calls)).toBe(words);
  });
});

describe("a conversation that is read from its end", () => {
  const events = journal([
    begun("t1"),
    ...Array.from({ length: 900 }, (_, index) =>
      whole(index % 7 === 0 ? say(`i${index}`) : read(`i${index}`, "x")),
    ).flat(),
    { type: "turn.completed", turn_id: "t1", usage: {}, cost_microusd: 0, stop_reason: "end_turn" },
    begun("t2"),
    { type: "item.started", item: { ...say("live"), status: "in_progress", text: "" } },
  ]);
  const delta: StreamFrame = { type: "item.delta", session_id: "s", item_id: "live", field: "text", delta: "so far" };

  it("is the same as one that was read from its beginning, once all of it is here", () => {
    const plain = new ConsoleTranscript();
    for (const frame of [...events, delta]) plain.apply(frame);
    const last = events.length;
    const transcript = new EndFirstTranscript(last);
    expect(transcript.from).toBe(last - TAIL_EVENTS);
    for (const event of events.slice(transcript.from)) transcript.apply(event);
    transcript.apply(delta);
    expect(transcript.view.rows.at(-1)).toEqual(plain.view.rows.at(-1));
    expect(transcript.view.rows.some(({ kind }) => kind === "end")).toBe(false);
    const sizes: number[] = [];
    while (transcript.from > 0) {
      const { from, next } = transcript;
      sizes.push(next);
      // Others than those that belong there change nothing.
      transcript.prepend(events.slice(0, 1));
      expect(transcript.from).toBe(from);
      transcript.prepend(events.slice(from - next, from));
    }
    expect(sizes).toEqual([600, 604]);
    const { rows, places, seq, open, running } = transcript.view;
    expect(rows).toEqual(plain.view.rows);
    expect([places.length, places[1_000], seq, open]).toEqual([
      plain.view.places.length,
      plain.view.places[1_000],
      last,
      "t2",
    ]);
    expect(running.map(({ item }) => ("text" in item ? item.text : ""))).toEqual(["so far"]);
    transcript.apply({ ...delta, delta: ", and on" });
    expect(transcript.view.running.map(({ item }) => ("text" in item ? item.text : ""))).toEqual(["so far, and on"]);
  });
});

describe("from prompt to prompt", () => {
  const rows = ["prompt", "item", "prompt", "end", "prompt"].map((kind) => ({ kind }));
  const starts = [20, 100, 200, 300, 400];
  it.each([
    [0, 1, 0],
    [20, 1, 2],
    [250, 1, 4],
    [400, 1, undefined],
    [400, -1, 2],
    [203, -1, 0],
    [206, -1, 2],
    [20, -1, undefined],
  ] as const)("seen from %i, %i leads to row %s", (top, by, index) => {
    expect(promptBeside(rows, { starts, top }, by)).toBe(index);
  });

  it("moves a queued prompt by one place", () => {
    expect([moved(["a", "b", "c"], 0, 1), moved(["a", "b", "c"], 2, -1), moved(["a", "b"], 0, -1)]).toEqual([
      ["b", "a", "c"],
      ["a", "c", "b"],
      ["a", "b"],
    ]);
  });

  it("cuts a snippet at its marks", () => {
    const parts = markedParts({
      snippet: "one two three",
      marks: [
        [4, 7],
        [8, 13],
      ],
    });
    expect(parts.map(({ text, isMarked }) => (isMarked ? `[${text}]` : text))).toEqual([
      "one ",
      "[two]",
      " ",
      "[three]",
    ]);
    expect(markedParts({ snippet: "plain", marks: [] })).toEqual([{ at: 0, text: "plain", isMarked: false }]);
  });
});
