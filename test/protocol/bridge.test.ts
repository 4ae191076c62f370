import { describe, expect, it } from "vitest";
import { LIMITS, type EventBody, type ThreadRow } from "../../src/protocol/index.ts";
import { begun, called, done, failed, journal, opened, ran, rowsOf, said, THREAD, USAGE } from "./bridge-journal.ts";

const START: readonly ThreadRow[] = [{ type: "thread.started", thread_id: THREAD }, { type: "turn.started" }];
const END: ThreadRow = {
  type: "turn.completed",
  usage: { input_tokens: 240, cached_input_tokens: 200, output_tokens: 7 },
};

/** The rows of one turn, without its first two and, if it completed, its last. */
function turn(...events: readonly EventBody[]): readonly ThreadRow[] {
  const rows = rowsOf("compat", journal(...opened, begun(), ...events, done()));
  expect(rows.slice(0, 2)).toEqual(START);
  expect(rows.at(-1)).toEqual(END);
  return rows.slice(2, -1);
}

function message(id: string, value: string): ThreadRow {
  return { type: "item.completed", item: { id, type: "agent_message", text: value } };
}

describe("document 002's own example", () => {
  /** What the engine journals for the example's stream, as document 002 abridges it. */
  const example = journal(
    ...opened,
    begun("Find it"),
    ...said("I'll search ...", { message_id: "msg_1" }),
    ...ran(called("Grep", "toolu_...", { pattern: "x" }), "Found 6 files\n..."),
    { type: "usage.updated", turn_id: "turn_1", usage: USAGE },
    ...said("Perfect! I found ...", { message_id: "msg_2" }),
    done({ ...USAGE, input_tokens: 4, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 9 }),
  );

  /** Copied from the document's "Emitted to app". */
  const emitted = [
    `{"type":"thread.started","thread_id":"5c0d3cff-..."}`,
    `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I'll search ..."}}`,
    String.raw`{"type":"item.started","item":{"id":"toolu_...","type":"command_execution","command":"Grep","aggregated_output":"","status":"in_progress"}}`,
    String.raw`{"type":"item.completed","item":{"id":"toolu_...","type":"command_execution","command":"Grep","aggregated_output":"Found 6 files\n...","exit_code":0,"status":"completed"}}`,
    `{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"Perfect! I found ..."}}`,
  ];

  it("maps to exactly the lines it lists, byte for byte", () => {
    const lines = rowsOf("compat", example).map((row) => JSON.stringify(row));
    expect(lines.filter((line) => !line.startsWith('{"type":"turn.'))).toEqual(emitted);
  });

  it("stands between the beginning and the end of a turn, with its usage", () => {
    const lines = rowsOf("compat", example).map((row) => JSON.stringify(row));
    expect(lines).toEqual([
      emitted[0],
      `{"type":"turn.started"}`,
      ...emitted.slice(1),
      `{"type":"turn.completed","usage":{"input_tokens":4,"cached_input_tokens":0,"output_tokens":9}}`,
    ]);
  });
});

describe("the compat mapping", () => {
  it("begins each prompt with the thread and the turn, and counts items anew", () => {
    const one = [begun(), ...said("a"), done()];
    expect(rowsOf("compat", journal(...opened, ...one, ...one))).toEqual([
      ...START,
      message("item_0", "a"),
      END,
      ...START,
      message("item_0", "a"),
      END,
    ]);
  });

  it.each<[string, readonly EventBody[], readonly ThreadRow[]]>([
    [
      "messages beside each other are one, a paragraph each",
      [...said("a"), ...said("b")],
      [message("item_0", "a\n\nb")],
    ],
    [
      "blocks of one message are pieces of one text",
      [...said("Hello, ", { message_id: "m" }), ...said("world.", { message_id: "m" })],
      [message("item_0", "Hello, world.")],
    ],
    [
      "a tool between two texts keeps them apart",
      [...said("a"), ...ran(called("Read", "toolu_1"), "x"), ...said("b")],
      [message("item_0", "a"), ...tool("toolu_1", "Read", "x"), message("item_1", "b")],
    ],
    [
      "thoughts are rows of their own",
      [...said("a"), ...said("hm", { type: "reasoning" }), ...said("b")],
      [
        message("item_0", "a"),
        { type: "item.completed", item: { id: "item_1", type: "reasoning", text: "hm" } },
        message("item_2", "b"),
      ],
    ],
    [
      "empty, superseded and a sub-agent's texts are not told",
      [
        ...said(""),
        ...said(" \n"),
        ...said("dead", { status: "superseded" }),
        ...said("inner", { parent_id: "item_9" }),
        ...said("", { type: "reasoning" }),
      ],
      [],
    ],
    [
      "a text that was cut short is told as far as it came",
      said("half", { status: "interrupted" }),
      [message("item_0", "half")],
    ],
    ["a tool that said nothing", ran(called("Bash", "t", { command: "true" }), ""), tool("t", "Bash", "")],
    [
      "a failed tool",
      ran(called("Bash", "t", { command: "false" }), "boom", { status: "failed", exit_code: 127 }),
      tool("t", "Bash", "boom", 1),
    ],
    [
      "a declined tool",
      ran(called("Write", "t"), "User rejected: no", { status: "declined" }),
      tool("t", "Write", "User rejected: no", 1),
    ],
    [
      "a tool that was interrupted before it said anything",
      ran(called("Bash", "t"), "", { status: "interrupted" }),
      tool("t", "Bash", "interrupted", 1),
    ],
    [
      "a tool that ended well with an error",
      ran(called("Read", "t"), "no such file", { is_error: true }),
      tool("t", "Read", "no such file", 1),
    ],
    ["a notice", [{ type: "error", message: "trying again" }], [{ type: "error", message: "trying again" }]],
    [
      "an error of the engine",
      [{ type: "item.completed", item: { id: "i", type: "error", status: "completed", message: "broken" } }],
      [{ type: "error", message: "broken" }],
    ],
    [
      "what the document does not know",
      [
        { type: "turn.resumed", turn_id: "turn_1", restarts: 1 },
        { type: "item.updated", item: called("Bash", "t") },
        { type: "budget.updated", reserved_microusd: 0, spent_microusd: 1 },
        {
          type: "item.completed",
          item: { id: "i", type: "compaction", status: "completed", summary: "s", tokens_before: 1 },
        },
        { type: "session.updated", status: "working" },
      ],
      [],
    ],
  ])("%s", (_, events, rows) => {
    expect(turn(...events)).toEqual(rows);
  });

  it.each(["Bash", "Write", "Edit", "WebSearch", "TodoWrite", "Task", "mcp__page__list_things", "Glob"])(
    "%s is a command_execution by its name",
    (name) => {
      expect(turn(...ran(called(name, "t"), "ok"))).toEqual(tool("t", name, "ok"));
    },
  );

  it.each<[string, Parameters<typeof failed>[0], readonly ThreadRow[]]>([
    ["an abort", { code: "aborted", message: "aborted" }, [{ type: "turn.failed", error: { message: "aborted" } }]],
    [
      "an abort in other words",
      { code: "aborted", message: "the engine was told to stop" },
      [{ type: "turn.failed", error: { message: "aborted" } }],
    ],
    [
      "a person who stopped it",
      { code: "rejected_and_stopped", message: "User rejected: stop" },
      [{ type: "turn.failed", error: { message: "User rejected: stop" } }],
    ],
    [
      "anything else, as an error first",
      { code: "engine_failed", message: "claude ended with 1" },
      [
        { type: "error", message: "claude ended with 1" },
        { type: "turn.failed", error: { message: "claude ended with 1" } },
      ],
    ],
  ])("a failed turn: %s", (_, error, rows) => {
    expect(rowsOf("compat", journal(begun(), ...said("half"), failed(error)))).toEqual([
      ...START,
      message("item_0", "half"),
      ...rows,
    ]);
  });

  it("sums up a large output with its length in bytes, and leaves a smaller one alone", () => {
    const fits = "é".repeat(LIMITS.bridgeOutputBytes / 2);
    expect(turn(...ran(called("Read", "t"), fits))).toEqual(tool("t", "Read", fits));
    const large = `${"a".repeat(LIMITS.bridgeHeadChars)}${"é".repeat(50_000)}${"z".repeat(LIMITS.bridgeTailChars)}`;
    const bytes = LIMITS.bridgeHeadChars + 100_000 + LIMITS.bridgeTailChars;
    const summary = `${"a".repeat(LIMITS.bridgeHeadChars)}\n[… ${bytes} bytes in all, the middle is left out …]\n${"z".repeat(LIMITS.bridgeTailChars)}`;
    expect(turn(...ran(called("Read", "t"), large))).toEqual(tool("t", "Read", summary));
  });

  it("cuts no character in two", () => {
    const rows = turn(...ran(called("Read", "t"), `a${"😀".repeat(20_000)}b`));
    const shown = JSON.stringify(rows);
    expect(shown).not.toMatch(/\\ud[89a-f]/i);
    expect(shown).toContain("80002 bytes");
  });

  it("does not hold back more text than it may", () => {
    const half = "x".repeat(LIMITS.bridgeTextChars / 2 + 1);
    expect(turn(...said(half), ...said(half))).toEqual([message("item_0", half), message("item_1", half)]);
  });
});

function tool(id: string, command: string, aggregated_output: string, exit_code: 0 | 1 = 0): readonly ThreadRow[] {
  const item = { id, type: "command_execution", command } as const;
  return [
    { type: "item.started", item: { ...item, aggregated_output: "", status: "in_progress" } },
    {
      type: "item.completed",
      item: { ...item, aggregated_output, exit_code, status: exit_code === 0 ? "completed" : "failed" },
    },
  ];
}
