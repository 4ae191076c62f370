import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { parseRow, RowReader, type AppRow } from "../../src/protocol/rows.ts";
import { LIMITS } from "../../src/protocol/index.ts";

const row = (value: unknown): AppRow => parseRow(JSON.stringify(value));
const item = (verb: string, value: object): AppRow => row({ type: `item.${verb}`, item: value });

describe("a row of document 002, as an app shows it", () => {
  it.each<[string, AppRow, AppRow]>([
    ["a thread", row({ type: "thread.started", thread_id: "t" }), { kind: "thread", thread_id: "t" }],
    ["a thread again", row({ type: "thread.resumed", thread_id: "t" }), { kind: "thread", thread_id: "t" }],
    [
      "its agent's own id",
      row({ type: "thread.session", thread_id: "t", session_id: "5c0d" }),
      { kind: "summary", text: "Its agent calls this thread 5c0d." },
    ],
    ["a turn's beginning", row({ type: "turn.started" }), { kind: "turn", phase: "started" }],
    [
      "a turn's end",
      row({ type: "turn.completed", usage: { input_tokens: 3, cached_input_tokens: 2, output_tokens: 1, more: 7 } }),
      { kind: "turn", phase: "completed", usage: { input_tokens: 3, cached_input_tokens: 2, output_tokens: 1 } },
    ],
    [
      "a turn that failed",
      row({ type: "turn.failed", error: { message: "aborted" } }),
      { kind: "turn", phase: "failed", message: "aborted" },
    ],
    [
      "a text",
      item("completed", { id: "item_0", type: "agent_message", text: "**hi**" }),
      { kind: "md", id: "item_0", markdown: "**hi**" },
    ],
    [
      "a thought",
      item("completed", { id: "item_1", type: "reasoning", text: "hm" }),
      { kind: "reason", id: "item_1", text: "hm" },
    ],
    [
      "a text on its way",
      item("updated", { id: "item_0", type: "agent_message", text: "**h" }),
      { kind: "item_lifecycle", phase: "updated", id: "item_0", item_type: "agent_message" },
    ],
    [
      "a command that runs",
      item("started", {
        id: "t1",
        type: "command_execution",
        command: "Grep",
        aggregated_output: "",
        status: "in_progress",
      }),
      { kind: "cmd_item", id: "t1", command: "Grep", status: "in_progress", output_len: 0, sample: "" },
    ],
    [
      "a command that runs, as Codex prints it",
      item("started", {
        id: "t1",
        type: "command_execution",
        command: "ls",
        aggregated_output: "",
        exit_code: null,
        status: "in_progress",
      }),
      { kind: "cmd_item", id: "t1", command: "ls", status: "in_progress", output_len: 0, sample: "" },
    ],
    [
      "a command that ended",
      item("completed", {
        id: "t1",
        type: "command_execution",
        command: "Grep",
        aggregated_output: "x".repeat(500),
        exit_code: 0,
        status: "completed",
      }),
      {
        kind: "cmd_item",
        id: "t1",
        command: "Grep",
        status: "completed",
        exit_code: 0,
        output_len: 500,
        sample: "x".repeat(240),
      },
    ],
    [
      "a change of files",
      item("completed", { id: "t2", type: "file_change", changes: [{ path: "/a", kind: "add" }], status: "completed" }),
      { kind: "file_change", id: "t2", status: "completed", changes: [{ path: "/a", kind: "add" }] },
    ],
    [
      "a search",
      item("completed", { id: "t3", type: "web_search", query: "q" }),
      { kind: "web_search", id: "t3", query: "q" },
    ],
    [
      "a tool of a server",
      item("started", {
        id: "t4",
        type: "mcp_tool_call",
        server: "s",
        tool: "t",
        arguments: {},
        status: "in_progress",
      }),
      { kind: "mcp_call", id: "t4", server: "s", tool: "t", status: "in_progress" },
    ],
    [
      "a todo list",
      item("updated", { id: "t5", type: "todo_list", items: [{ text: "a", completed: true }] }),
      { kind: "todo_list", id: "t5", status: "updated", items: [{ text: "a", completed: true }] },
    ],
    ["an error item", item("completed", { id: "t6", type: "error", message: "no" }), { kind: "err", message: "no" }],
    [
      "an item of a type that nobody knows",
      item("completed", { id: "t7", type: "collab_tool_call", status: "completed" }),
      { kind: "item_lifecycle", phase: "completed", id: "t7", item_type: "collab_tool_call", status: "completed" },
    ],
    ["an error", row({ type: "error", message: "bad" }), { kind: "err", message: "bad" }],
    [
      "a question",
      row({
        type: "approval.requested",
        approval: {
          id: "apr_1",
          item_id: "t1",
          tool: "Bash",
          reason: "It runs.",
          input_hash: "h",
          input: { command: "ls" },
        },
      }),
      {
        kind: "approval",
        id: "apr_1",
        item_id: "t1",
        tool: "Bash",
        reason: "It runs.",
        input_hash: "h",
        input: { command: "ls" },
      },
    ],
    [
      "its answer",
      row({ type: "approval.resolved", approval_id: "apr_1", outcome: "rejected", feedback: "no" }),
      { kind: "approval_answer", id: "apr_1", outcome: "rejected", feedback: "no" },
    ],
    [
      "an older message of Codex",
      row({ id: "0", msg: { type: "agent_message", message: "hello" } }),
      { kind: "md", markdown: "hello" },
    ],
    [
      "an older command of Codex",
      row({ msg: { type: "exec_command_begin", command: ["bash", "-lc", "ls"], cwd: "/w" } }),
      { kind: "exec_begin", command: "bash -lc ls", cwd: "/w" },
    ],
    [
      "a piece of output",
      row({ msg: { type: "exec_command_output_delta", chunk: "aGk=" } }),
      { kind: "delta", summary: '[delta] tool=exec_command_output_delta token="aGk=" ~4B' },
    ],
    [
      "how the bridge stands",
      row({ type: "bridge.status", provider: "claude", mapping: "compat", running: ["a"] }),
      { kind: "summary", text: "claude, compat, 1 running" },
    ],
  ])("%s", (_, seen, expected) => {
    expect(seen).toEqual(expected);
  });

  it.each<[string, string, AppRow]>([
    ["an unknown row", '{"type":"weather","sky":"blue"}', { kind: "json", raw: '{"type":"weather","sky":"blue"}' }],
    ["a row without a type", "{}", { kind: "json", raw: "{}" }],
    [
      "a known type with nothing in it",
      '{"type":"item.completed"}',
      { kind: "json", raw: '{"type":"item.completed"}' },
    ],
    ["numbers", "[1,2,3]", { kind: "text", raw: "[1,2,3]" }],
    ["no JSON", " warning: hm ", { kind: "text", raw: "warning: hm" }],
    ["nothing", "", { kind: "text", raw: "" }],
  ])("%s passes through, visibly", (_, line, expected) => {
    expect(parseRow(line)).toEqual(expected);
  });
});

describe("a reader of rows", () => {
  it("finds lines however they are cut, and leaves out empty ones", () => {
    const text = '{"type":"turn.started"}\r\n\n{"type":"error","message":"ü"}\nplain';
    const expected: readonly AppRow[] = [
      { kind: "turn", phase: "started" },
      { kind: "err", message: "ü" },
      { kind: "text", raw: "plain" },
    ];
    for (const size of [1, 7, 1_000]) {
      const reader = new RowReader();
      const rows: AppRow[] = [];
      for (let at = 0; at < text.length; at += size) rows.push(...reader.push(text.slice(at, at + size)));
      expect([...rows, ...reader.end()]).toEqual(expected);
    }
  });

  it("tells of a line that is too long, and goes on after it", () => {
    const reader = new RowReader();
    const chunk = "x".repeat(1_000_000);
    for (let part = 0; part < 5; part += 1) expect(reader.push(chunk)).toEqual([]);
    expect(reader.push('y\n{"type":"turn.started"}\n')).toEqual([
      { kind: "delta", summary: "[jsonl delta ~5000001 bytes]" },
      { kind: "turn", phase: "started" },
    ]);
    expect(parseRow("x".repeat(LIMITS.rowLineChars + 1))).toEqual({
      kind: "delta",
      summary: `[jsonl delta ~${LIMITS.rowLineChars + 1} bytes]`,
    });
  });

  it("is in the package, without Node's modules or packages of others", async () => {
    const entry = "sallyport/rows";
    const rows = (await import(entry)) as { readonly parseRow: typeof parseRow };
    expect(rows.parseRow('{"type":"turn.started"}')).toEqual({ kind: "turn", phase: "started" });
    const built = await readFile(new URL("../../dist/protocol/rows.js", import.meta.url), "utf8");
    const imports = [...built.matchAll(/from\s*"([^"]+)"/g)].map(([, from]) => from);
    expect(imports.every((from) => from?.startsWith("./"))).toBe(true);
  });
});
