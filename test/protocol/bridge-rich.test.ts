import { describe, expect, it } from "vitest";
import {
  endToolItem,
  LIMITS,
  type Approval,
  type EventBody,
  type Item,
  type StreamFrame,
  type ThreadRow,
} from "../../src/protocol/index.ts";
import { begun, called, done, failed, journal, numbered, ran, rowsOf, said, text, THREAD } from "./bridge-journal.ts";

const START: readonly ThreadRow[] = [
  { type: "thread.started", thread_id: THREAD },
  { type: "turn.started", turn_id: "turn_1", prompt: "do it" },
];
const RICH_USAGE = {
  input_tokens: 240,
  cached_input_tokens: 200,
  output_tokens: 7,
  cache_write_input_tokens: 30,
  reasoning_output_tokens: 2,
};

function turn(...events: readonly EventBody[]): readonly ThreadRow[] {
  const rows = rowsOf("rich", journal(begun(), ...events, done()));
  expect(rows.slice(0, 2)).toEqual(START);
  expect(rows.at(-1)).toEqual({
    type: "turn.completed",
    usage: RICH_USAGE,
    cost_microusd: 42,
    stop_reason: "end_turn",
  });
  return rows.slice(2, -1);
}

type Row = Extract<ThreadRow, { item: unknown }>;
const row = (type: Row["type"], item: object): ThreadRow => ({ type, item }) as Row;

describe("the rich mapping", () => {
  it("shows a command as it was written, with its own exit code", () => {
    const item = called("Bash", "t", { command: "npm test" });
    expect(turn(...ran(item, "2 failed", { status: "failed", exit_code: 3 }))).toEqual([
      row("item.started", {
        id: "t",
        type: "command_execution",
        command: "npm test",
        aggregated_output: "",
        status: "in_progress",
      }),
      row("item.completed", {
        id: "t",
        type: "command_execution",
        command: "npm test",
        aggregated_output: "2 failed",
        exit_code: 3,
        status: "failed",
      }),
    ]);
  });

  it("shows what a person made of a command", () => {
    const item = called("Bash", "t", { command: "rm -rf build" });
    const changed = { ...item, approved_input: { command: "rm -r build" } };
    const rows = turn(
      { type: "item.started", item },
      { type: "item.updated", item: changed },
      {
        type: "item.completed",
        item: endToolItem(changed, { status: "completed", output: [text("ok")], is_error: false, exit_code: 0 }),
      },
    );
    expect(rows.map((each) => (each as { item: { command: string } }).item.command)).toEqual([
      "rm -rf build",
      "rm -r build",
      "rm -r build",
    ]);
  });

  it("tells a declined command from a failed one", () => {
    const rows = turn(...ran(called("Bash", "t", { command: "x" }), "User rejected: no", { status: "declined" }));
    expect(rows.at(-1)).toEqual(
      row("item.completed", {
        id: "t",
        type: "command_execution",
        command: "x",
        aggregated_output: "User rejected: no",
        status: "declined",
      }),
    );
  });

  it.each(["Write", "Edit", "MultiEdit", "NotebookEdit"])("shows %s as a file change", (name) => {
    const changes = [{ path: "a.txt", kind: "add" }] as const;
    expect(turn(...ran(called(name, "t"), "wrote", { changes }))).toEqual([
      row("item.started", { id: "t", type: "file_change", changes: [], status: "in_progress" }),
      row("item.completed", { id: "t", type: "file_change", changes, status: "completed" }),
    ]);
  });

  it("says why a file was not changed", () => {
    expect(turn(...ran(called("Write", "t"), "User rejected: no", { status: "declined" })).at(-1)).toEqual(
      row("item.completed", {
        id: "t",
        type: "file_change",
        changes: [],
        status: "failed",
        error: { message: "User rejected: no" },
      }),
    );
  });

  it.each([
    ["mcp__page__find__it", { server: "page", tool: "find__it" }],
    ["Grep", { server: "builtin", tool: "Grep" }],
    ["Task", { server: "builtin", tool: "Task" }],
  ])("shows %s as a tool of a server", (name, named) => {
    const call = { id: "t", type: "mcp_tool_call", ...named, arguments: { q: 1 } };
    expect(turn(...ran(called(name, "t", { q: 1 }), "found"))).toEqual([
      row("item.started", { ...call, status: "in_progress" }),
      row("item.completed", {
        ...call,
        result: { content: [{ type: "text", text: "found" }] },
        status: "completed",
      }),
    ]);
    expect(turn(...ran(called(name, "t", { q: 1 }), "", { status: "interrupted" })).at(-1)).toEqual(
      row("item.completed", { ...call, error: { message: "interrupted" }, status: "failed" }),
    );
  });

  it("sums up an input that is very large itself", () => {
    const rows = turn(...ran(called("Grep", "t", { pattern: "x".repeat(100_000) }), "ok"));
    expect(JSON.stringify(rows).length).toBeLessThan(10_000);
    expect(JSON.stringify(rows)).toContain("100014 bytes");
  });

  it("shows a search by its query", () => {
    expect(turn(...ran(called("WebSearch", "t", { query: "weather" }), "sun"))).toEqual([
      row("item.started", { id: "t", type: "web_search", query: "weather" }),
      row("item.completed", { id: "t", type: "web_search", query: "weather" }),
    ]);
  });

  it("keeps one todo list a turn: started, updated, completed with the turn", () => {
    const write = (id: string, status: string): readonly EventBody[] =>
      ran(called("TodoWrite", id, { todos: [{ content: "milk", status }] }), "ok");
    const list = (completed: boolean): object => ({
      id: "item_0",
      type: "todo_list",
      items: [{ text: "milk", completed }],
    });
    expect(turn(...write("t1", "pending"), ...said("x"), ...write("t2", "completed"))).toEqual([
      row("item.started", list(false)),
      row("item.completed", { id: "item_1", type: "agent_message", text: "x" }),
      row("item.updated", list(true)),
      row("item.completed", list(true)),
    ]);
    const aborted = journal(begun(), ...write("t1", "pending"), failed({ code: "aborted", message: "aborted" }));
    expect(rowsOf("rich", aborted).slice(3)).toEqual([
      row("item.completed", list(false)),
      {
        type: "turn.failed",
        error: { message: "aborted", code: "aborted" },
        usage: RICH_USAGE,
        cost_microusd: 0,
      },
    ]);
  });

  it("names the sub-agent that an item belongs to", () => {
    const task = called("Task", "toolu_task", { description: "look" });
    const inner = { ...called("Read", "toolu_read"), parent_id: task.id };
    const [started, ended] = ran(task, "found");
    const rows = turn(started, ...said("hm", { parent_id: task.id }), ...ran(inner, "x"), ended);
    expect(rows.map((each) => (each as { item: { parent_id?: string } }).item.parent_id)).toEqual([
      undefined,
      "toolu_task",
      "toolu_task",
      "toolu_task",
      undefined,
    ]);
  });

  it("shows questions with what they are about, and their answers", () => {
    const approval: Approval = {
      id: "apr_1",
      session_id: THREAD,
      turn_id: "turn_1",
      item_id: "item_t",
      tool: "Bash",
      tool_use_id: "t",
      tier: "execute",
      input: { command: "x" },
      input_hash: "abc",
      preview: { type: "generic", summary: "x" },
      warnings: [{ kind: "pipe", message: "pipes" }],
      reason: "Bash runs a program.",
      unattended: "deny",
      created_at: "2026-01-01T00:00:00.000Z",
      expires_at: "2026-01-01T00:05:00.000Z",
      status: "pending",
    };
    const by = { id: "tok_1", name: "x", role: "admin" } as const;
    expect(
      turn(
        { type: "approval.requested", approval },
        { type: "approval.resolved", approval_id: "apr_1", outcome: "rejected", by, feedback: "no" },
      ),
    ).toEqual([
      {
        type: "approval.requested",
        approval: {
          id: "apr_1",
          item_id: "t",
          tool: "Bash",
          tier: "execute",
          input: { command: "x" },
          reason: "Bash runs a program.",
          warnings: [{ kind: "pipe", message: "pipes" }],
          input_hash: "abc",
          expires_at: "2026-01-01T00:05:00.000Z",
        },
      },
      { type: "approval.resolved", approval_id: "apr_1", outcome: "rejected", feedback: "no" },
    ]);
  });

  it("tells a notice, an error and a summary", () => {
    const base = { id: "i", status: "completed" } as const;
    expect(
      turn(
        { type: "error", message: "again" },
        { type: "item.completed", item: { ...base, type: "error", message: "broken" } },
        { type: "item.completed", item: { ...base, type: "compaction", summary: "s", tokens_before: 9 } },
      ),
    ).toEqual([
      { type: "error", message: "again" },
      row("item.completed", { id: "item_0", type: "error", message: "broken" }),
      row("item.completed", {
        id: "item_1",
        type: "error",
        message: "The conversation became long (9 tokens): a summary replaces its older part.",
      }),
    ]);
  });
});

describe("text on its way", () => {
  const item: Extract<Item, { type: "agent_message" }> = {
    id: "i",
    type: "agent_message",
    status: "in_progress",
    text: "",
  };
  const delta = (value: string, field: "text" | "output" | "input" = "text"): StreamFrame => ({
    type: "item.delta",
    session_id: THREAD,
    item_id: "i",
    field,
    delta: value,
  });
  const begin = [numbered(1, begun()), numbered(2, { type: "item.started", item })];
  const end = (value: string, status: Item["status"] = "completed"): StreamFrame =>
    numbered(3, { type: "item.completed", item: { ...item, text: value, status } });
  const shown = (each: ThreadRow): string => {
    const { type, item: of } = each as { type: string; item: { id: string; text: string; status?: string } };
    return `${type} ${of.id} ${of.text.length} ${of.status ?? "fine"}`;
  };
  const told = (frames: readonly StreamFrame[]): readonly string[] => rowsOf("rich", frames).slice(2).map(shown);
  const piece = (length: number): StreamFrame => delta("x".repeat(length));

  it("grows in steps that become longer, and ends whole", () => {
    const pieces = Array.from({ length: 1_000 }, () => piece(20));
    const rows = rowsOf("rich", [...begin, ...pieces, end("x".repeat(20_000))]).slice(2);
    expect(rows[0]).toEqual(row("item.started", { id: "item_0", type: "agent_message", text: "x".repeat(200) }));
    expect(rows.slice(1, -1).every(({ type }) => type === "item.updated")).toBe(true);
    expect(rows.at(-1)).toEqual(
      row("item.completed", { id: "item_0", type: "agent_message", text: "x".repeat(20_000) }),
    );
    expect(JSON.stringify(rows).length).toBeLessThan(7 * 20_000);
  });

  it("says nothing of a short text before it is whole, and nothing at all of an empty or dead one", () => {
    expect(told([...begin, piece(199), end("x".repeat(199))])).toEqual(["item.completed item_0 199 fine"]);
    expect(told([...begin, end("")])).toEqual([]);
    expect(told([...begin, piece(199), end("x".repeat(199), "superseded")])).toEqual([]);
  });

  it("takes back what it told of a message that died", () => {
    expect(told([...begin, piece(300), end("x".repeat(300), "superseded")])).toEqual([
      "item.started item_0 300 fine",
      "item.completed item_0 300 superseded",
    ]);
  });

  it("catches up with a snapshot", () => {
    const snapshot: StreamFrame = { type: "item.updated", session_id: THREAD, item: { ...item, text: "y".repeat(50) } };
    expect(told([...begin, snapshot, snapshot, end("y".repeat(60))])).toEqual([
      "item.started item_0 50 fine",
      "item.completed item_0 60 fine",
    ]);
    // Also of an item that began before this watcher did.
    expect(told([numbered(1, begun()), snapshot, end("y".repeat(60))])).toEqual([
      "item.started item_0 50 fine",
      "item.completed item_0 60 fine",
    ]);
  });

  it("stops to grow at its bound, without a hole", () => {
    const most = LIMITS.bridgeTextChars;
    const lengths = told([...begin, piece(most), piece(1), piece(most), end("z")]);
    expect(lengths).toEqual([`item.started item_0 ${most} fine`, "item.completed item_0 1 fine"]);
  });

  it("shows a command's output while it runs, and no input on its way", () => {
    const bash = { ...called("Bash", "t", { command: "make" }), id: "i" };
    const frames = [
      numbered(1, begun()),
      numbered(2, { type: "item.started", item: bash }),
      delta("{}".repeat(500), "input"),
      delta("o".repeat(250), "output"),
      delta("p".repeat(LIMITS.bridgeOutputBytes), "output"),
      delta("q".repeat(300), "output"),
    ];
    expect(rowsOf("rich", frames).slice(3)).toEqual([
      row("item.updated", {
        id: "t",
        type: "command_execution",
        command: "make",
        aggregated_output: "o".repeat(250),
        status: "in_progress",
      }),
    ]);
  });

  it("is not told in compat", () => {
    expect(rowsOf("compat", [...begin, piece(5_000)]).slice(2)).toEqual([]);
  });
});
