import { describe, expect, test } from "vitest";
import { previewEdited } from "../../src/cli/ask/edited.ts";
import { TerminalTranscript } from "../../src/cli/show/transcript.ts";
import {
  endToolItem,
  NO_USAGE,
  startToolItem,
  SYSTEM,
  type EventBody,
  type FileDiff,
  type Item,
  type StreamFrame,
} from "../../src/protocol/index.ts";
import { Stage, writeApproval } from "./stage.ts";

async function shown(frames: readonly (EventBody | StreamFrame)[], ownTurn?: string): Promise<readonly string[]> {
  const stage = new Stage();
  const transcript = new TerminalTranscript({ screen: stage.screen, workspace: "/w", ownTurn });
  let seq = 0;
  for (const frame of frames) {
    if (frame.type === "item.delta" || "session_id" in frame) transcript.take(frame);
    else transcript.take({ seq: (seq += 1), session_id: "ses_1", at: "", ...frame });
  }
  stage.screen.line("(end)");
  await stage.reads("(end)\n");
  return stage.text.split("\n").slice(0, -2);
}

function message(text: string, more: Partial<Item> = {}): Item {
  return { id: "m", type: "agent_message", status: "completed", text, ...more } as Item;
}

function delta(item_id: string, text: string, field: "text" | "output" = "text"): StreamFrame {
  return { type: "item.delta", session_id: "ses_1", item_id, field, delta: text };
}

const started = (item: Item): EventBody => ({ type: "item.started", item: { ...item, status: "in_progress" } as Item });
const completed = (item: Item): EventBody => ({ type: "item.completed", item });

describe("a session as a person reads it", () => {
  test("text comes once, however it comes", async () => {
    const whole = message("Hello world.");
    const expected = ["Hello world."];
    expect(await shown([started(message("")), delta("m", "Hello "), delta("m", "world."), completed(whole)])).toEqual(
      expected,
    );
    expect(await shown([started(message("")), delta("m", "Hel"), completed(whole)])).toEqual(expected);
    expect(await shown([completed(whole)])).toEqual(expected);
    const snapshot = {
      type: "item.updated" as const,
      session_id: "ses_1",
      item: message("Hello ", { status: "in_progress" }),
    };
    expect(await shown([started(message("")), snapshot, delta("m", "world."), completed(whole)])).toEqual(expected);
    expect(await shown([snapshot, delta("m", "world."), completed(whole)])).toEqual(expected);
  });

  test("a message that was cut off says so", async () => {
    const cut = message("Half a", { status: "superseded" });
    expect(
      await shown([
        started(message("")),
        delta("m", "Half a"),
        completed(cut),
        completed(message("Whole.", { id: "n" })),
      ]),
    ).toEqual(["Half a", "… that message was cut off and is asked for again", "Whole."]);
  });

  test("thoughts, then words, then what a program tried to do to the terminal", async () => {
    const thought: Item = { id: "r", type: "reasoning", status: "completed", text: "Hm." };
    expect(
      await shown([
        started({ ...thought, text: "" }),
        delta("r", "Hm."),
        completed(thought),
        completed(message("\u001b[2JSo.")),
      ]),
    ).toEqual(["Hm.", "␛[2JSo."]);
  });

  test("output that streams, and output that comes at the end", async () => {
    const call = { id: "c", tool: "Bash", tool_use_id: "t", input: { command: "make\nall" } };
    const item = startToolItem(call);
    const end = endToolItem(item, {
      status: "failed",
      is_error: true,
      output: [{ type: "text", text: "Exit code 2\none\ntwo" }],
      exit_code: 2,
      duration_ms: 1_500,
    });
    const expected = ["$ make (+1 line)", "  │ one", "  │ two", "✗ Bash make (+1 line) · exit 2 · 1.5 s"];
    expect(await shown([started(item), completed(end)])).toEqual(expected);
    expect(
      await shown([started(item), delta("c", "one\ntw", "output"), delta("c", "o", "output"), completed(end)]),
    ).toEqual(expected);
  });

  test("calls that were declined, interrupted, edited", async () => {
    const write = startToolItem({
      id: "w",
      tool: "Write",
      tool_use_id: "t",
      input: { file_path: "/w/src/a.ts", content: "x" },
    });
    const output = [{ type: "text" as const, text: "User rejected: no" }];
    const ended = endToolItem(write, {
      status: "completed",
      is_error: false,
      output: [],
      diff: "--- a\n+++ b\n@@ -1 +1,2 @@\n-x\n+y\n+z",
      duration_ms: 4,
    });
    expect(
      await shown([
        started(write),
        completed(endToolItem(write, { status: "declined", is_error: true, output })),
        completed(endToolItem(write, { status: "interrupted", is_error: true, output: [] })),
        completed({ ...ended, approved_input: { file_path: "/elsewhere/b.ts" } }),
      ]),
    ).toEqual([
      "⊘ Write src/a.ts declined",
      "  User rejected: no",
      "… Write src/a.ts interrupted",
      "✓ Write /elsewhere/b.ts · as edited by a person · +2 −1 · 4 ms",
      "  asked: file_path /w/src/a.ts",
      "  asked: content x",
    ]);
  });

  test("a sub-agent's items stand below it", async () => {
    const task = startToolItem({ id: "s", tool: "Task", tool_use_id: "t", input: { description: "look" } });
    const inner = startToolItem({
      id: "i",
      tool: "Grep",
      tool_use_id: "u",
      input: { pattern: "x", path: "/w/src" },
      parent_id: "s",
    });
    expect(
      await shown([
        started(task),
        started(inner),
        delta("m", "not shown live"),
        completed(
          endToolItem(inner, { status: "completed", is_error: false, output: [{ type: "text", text: "a\nb" }] }),
        ),
        completed(message("Two\nlines.", { parent_id: "s" })),
        completed(endToolItem(task, { status: "completed", is_error: false, output: [], duration_ms: 10 })),
      ]),
    ).toEqual(["▸ Task look", "  ✓ Grep x in src · 2 lines", "  Two", "  lines.", "✓ Task look · 10 ms"]);
  });

  test("what happens to turns and to the session", async () => {
    const prompt = { text: "do it\nplease" };
    const by = { id: "1", name: "anna", role: "operator" as const };
    const turn_id = "turn_1";
    expect(
      await shown(
        [
          { type: "turn.queued", turn_id, prompt, by },
          { type: "turn.started", turn_id, prompt, by },
          { type: "turn.started", turn_id: "mine", prompt, by },
          { type: "turn.resumed", turn_id, restarts: 1 },
          { type: "error", message: "the model is busy; trying again" },
          {
            type: "item.completed",
            item: { id: "k", type: "compaction", status: "completed", summary: "", tokens_before: 160_000 },
          },
          { type: "item.completed", item: { id: "e", type: "error", status: "completed", message: "odd" } },
          { type: "turn.completed", turn_id, usage: NO_USAGE, cost_microusd: 0, stop_reason: "max_tokens" },
          { type: "turn.failed", turn_id, usage: NO_USAGE, error: { code: "model_error", message: "no" } },
          { type: "turn.failed", turn_id, usage: NO_USAGE, error: { code: "aborted", message: "aborted" } },
          { type: "session.updated", status: "paused", paused: true },
          { type: "session.updated", status: "idle", paused: false },
          { type: "approval.resolved", approval_id: "apr_1", outcome: "cancelled", by: SYSTEM },
          { type: "session.updated", status: "complete" },
        ],
        "mine",
      ),
    ).toEqual([
      "⏳ waits behind another prompt: do it (+1 line)",
      "❯ do it (+1 line) (anna)",
      "↻ the server was restarted and continues this turn",
      "! the model is busy; trying again",
      "⇣ the conversation was summarised (160,000 tokens before)",
      "✗ odd",
      "the turn ended: max_tokens",
      "✗ the turn failed: no (model_error)",
      "… the turn was interrupted",
      "⏸ paused",
      "▶ resumed",
      "the session was closed",
    ]);
  });
});

describe("an edited input, as the file would become", () => {
  const file = (change: Partial<FileDiff>): FileDiff => ({
    file_path: "/w/a.txt",
    is_new_file: false,
    original_content: "one\r\ntwo\r\n",
    new_content: "",
    diff: "",
    added: 1,
    removed: 1,
    effects: [],
    ...change,
  });
  const approval = (tool: string, change: Partial<FileDiff> = {}) =>
    writeApproval({
      tool,
      input: { file_path: "/w/a.txt" },
      preview:
        tool === "MultiEdit"
          ? { type: "multi_diff", files: [file(change)], details: {} }
          : { type: "diff", file: file(change), details: {} },
    });
  const path = { file_path: "/w/a.txt" };

  test.each([
    ["Write", { ...path, content: "one\nthree\n" }, {}, "one\r\nthree\r\n"],
    ["Edit", { ...path, old_string: "two", new_string: "2" }, {}, "one\r\n2\r\n"],
    ["Edit", { ...path, old_string: "o", new_string: "0", replace_all: true }, {}, "0ne\r\ntw0\r\n"],
    [
      "MultiEdit",
      {
        ...path,
        edits: [
          { old_string: "one", new_string: "two" },
          { old_string: "two", new_string: "2", replace_all: true },
        ],
      },
      {},
      "2\r\n2\r\n",
    ],
    [
      "MultiEdit",
      { ...path, edits: [{ old_string: "", new_string: "new\n" }] },
      { is_new_file: true, original_content: "" },
      "new\n",
    ],
  ])("%s %j", (tool, input, change, after) => {
    const { preview } = previewEdited(approval(tool, change), input);
    expect(preview.type === "diff" ? preview.file.new_content : undefined).toBe(after);
  });

  test.each([
    [{ ...path, old_string: "none", new_string: "x" }, "old_string is not in the file"],
    [{ ...path, old_string: "o", new_string: "x" }, "old_string is in the file more than once"],
    [{ ...path, old_string: "one", new_string: "one" }, "old_string and new_string are the same"],
  ])("%j cannot be made", (input, error) => {
    const { preview } = previewEdited(approval("Edit"), input);
    expect(preview.type === "diff" ? [preview.file.error, preview.file.diff] : undefined).toEqual([error, ""]);
  });

  test("of another file nothing is known, so the input itself is shown", () => {
    expect(previewEdited(approval("Edit"), { file_path: "/w/b.txt" }).preview).toEqual({
      type: "generic",
      summary: '{\n  "file_path": "/w/b.txt"\n}',
    });
  });
});
