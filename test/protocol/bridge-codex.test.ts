import { describe, expect, it } from "vitest";
import { CodexRow, mappingFor, type EventBody } from "../../src/protocol/index.ts";
import { begun, called, done, failed, journal, opened, ran, rowsOf, said, THREAD } from "./bridge-journal.ts";

function lines(...events: readonly EventBody[]): readonly string[] {
  const rows = rowsOf("codex", journal(...opened, begun(), ...events));
  for (const row of rows) expect(CodexRow.parse(row)).toEqual(row);
  return rows.map((row) => JSON.stringify(row));
}

const START = [`{"type":"thread.started","thread_id":"${THREAD}"}`, `{"type":"turn.started"}`];

describe("rows as `codex exec --json` prints them", () => {
  it("are the program's own, byte for byte: text, a command that fails, usage", () => {
    expect(
      lines(
        ...said("I look."),
        ...ran(called("Bash", "toolu_1", { command: "echo hi; exit 3" }), "hi\n", { is_error: true, exit_code: 3 }),
        ...said("Done."),
        done(),
      ),
    ).toEqual([
      ...START,
      `{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I look."}}`,
      `{"type":"item.started","item":{"id":"item_1","type":"command_execution","command":"echo hi; exit 3","aggregated_output":"","exit_code":null,"status":"in_progress"}}`,
      String.raw`{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"echo hi; exit 3","aggregated_output":"hi\n","exit_code":3,"status":"failed"}}`,
      `{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"Done."}}`,
      `{"type":"turn.completed","usage":{"input_tokens":240,"cached_input_tokens":200,"cache_write_input_tokens":30,"output_tokens":7,"reasoning_output_tokens":2}}`,
    ]);
  });

  it("number changes of files and tools of servers in the same sequence", () => {
    const rows = lines(
      ...ran(called("Write", "toolu_1", { file_path: "/a.txt", content: "hi" }), "ok"),
      ...ran(called("mcp__shop__find", "toolu_2", { name: "x" }), "found"),
      done(),
    ).slice(2, -1);
    expect(rows.map((row) => (JSON.parse(row) as { item: { id: string; type: string } }).item)).toMatchObject([
      { id: "item_0", type: "file_change", status: "in_progress" },
      { id: "item_0", type: "file_change", status: "completed" },
      { id: "item_1", type: "mcp_tool_call", server: "shop", tool: "find", result: null, error: null },
      {
        id: "item_1",
        type: "mcp_tool_call",
        result: { content: [{ type: "text", text: "found" }], structured_content: null },
      },
    ]);
  });

  it("end a turn that failed as the program does", () => {
    expect(lines(failed({ code: "engine_failed", message: "no" })).slice(2)).toEqual([
      `{"type":"error","message":"no"}`,
      `{"type":"turn.failed","error":{"message":"no"}}`,
    ]);
  });

  it("are what `compat` means for a thread of Codex, and for no other", () => {
    expect(["codex", "claude-cli", "loop", "opencode"].map((engine) => mappingFor("compat", engine))).toEqual([
      "codex",
      "compat",
      "compat",
      "compat",
    ]);
    expect(mappingFor("rich", "codex")).toBe("rich");
  });
});
