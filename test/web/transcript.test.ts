import { describe, expect, it, test } from "vitest";
import { NO_USAGE, type Item, type JournalEvent, type StreamFrame } from "../../src/protocol/index.ts";
import { talliesOf } from "../../src/web/console/transcript/tallies.ts";
import { changedFiles } from "../../src/web/console/transcript/tool-words.ts";
import { ConsoleTranscript, type TranscriptView } from "../../src/web/console/transcript/transcript.ts";
import { waitingBehind, workingWords } from "../../src/web/console/transcript/working-words.ts";

const by = { id: "p1", name: "ann", role: "operator" } as const;

/** Gives each body its seq and a time one second after the one before. */
function journal(...bodies: readonly object[]): readonly StreamFrame[] {
  return bodies.map((body, index) => {
    const at = new Date(Date.UTC(2026, 0, 1, 0, 0, index)).toISOString();
    return Object.assign({ seq: index + 1, session_id: "s", at }, body) as unknown as JournalEvent;
  });
}

function shown(frames: readonly StreamFrame[]): TranscriptView {
  const transcript = new ConsoleTranscript();
  for (const frame of frames) transcript.apply(frame);
  return transcript.view;
}

const started = (turn_id: string): object => ({ type: "turn.started", turn_id, prompt: { text: "go" }, by });
const message = (id: string, text: string, status: Item["status"] = "in_progress", parent_id?: string): Item => ({
  type: "agent_message",
  id,
  status,
  text,
  ...(parent_id === undefined ? {} : { parent_id }),
});
const subagent = (id: string): Item => ({
  type: "subagent",
  id,
  status: "in_progress",
  tool: "Task",
  tool_use_id: id,
  input: {},
  description: "look around",
});
const delta = (item_id: string, text: string): StreamFrame => ({
  type: "item.delta",
  session_id: "s",
  item_id,
  field: "text",
  delta: text,
});
const snapshot = (item: Item): StreamFrame => ({ type: "item.updated", session_id: "s", item });
const textOf = (view: TranscriptView, id: string): string | undefined => {
  const item = view.items.get(id)?.item;
  return item?.type === "agent_message" ? item.text : undefined;
};

describe("a transcript's text", () => {
  const open = journal(started("t"), { type: "item.started", item: message("m", "") });
  const ended = {
    ...journal({}, {}, { type: "item.completed", item: message("m", "whole", "completed") })[2],
  } as StreamFrame;
  it.each([
    ["deltas add up", [...open, delta("m", "a"), delta("m", "b")], "ab"],
    [
      "a delta after a snapshot goes on from it",
      [...open, snapshot(message("m", "so far")), delta("m", "!")],
      "so far!",
    ],
    ["a snapshot replaces deltas", [...open, delta("m", "lost"), snapshot(message("m", "kept"))], "kept"],
    ["the completed item is the truth", [...open, delta("m", "par"), ended], "whole"],
    ["a delta after the end is dropped", [...open, ended, delta("m", "late")], "whole"],
  ] as const)("%s", (_name, frames, text) => {
    expect(textOf(shown(frames), "m")).toBe(text);
  });
});

describe("a transcript's rows", () => {
  it("a message that died in a cut stream stays, beside the one that took its place", () => {
    const view = shown(
      journal(
        started("t"),
        { type: "item.started", item: message("m1", "") },
        { type: "item.completed", item: message("m1", "half", "superseded") },
        { type: "item.completed", item: message("m2", "whole", "completed") },
      ),
    );
    expect(view.rows.map(({ key }) => key)).toEqual(["prompt-t", "m1", "m2"]);
    expect(view.items.get("m1")?.item.status).toBe("superseded");
  });

  it("a waiting prompt has no row until it begins", () => {
    const queued = { type: "turn.queued", turn_id: "q", prompt: { text: "later" }, by };
    expect(shown(journal(queued)).rows).toEqual([]);
    expect(shown(journal(queued, started("q"))).rows.map(({ key }) => key)).toEqual(["prompt-q"]);
  });

  it("a fork has its ancestor's history, then the words about it", () => {
    const end = { type: "turn.completed", turn_id: "t", usage: NO_USAGE, cost_microusd: 5, stop_reason: "end_turn" };
    const fork = { type: "session.updated", status: "ready", forked_from: { session_id: "old", seq: 2 } };
    const view = shown(journal(started("t"), end, fork));
    expect(view.rows.map(({ kind }) => kind)).toEqual(["prompt", "end", "note"]);
  });

  it("a resumed turn, a pause, another mode, a limit and an unknown event are told", () => {
    const view = shown(
      journal(
        started("t"),
        { type: "turn.resumed", turn_id: "t", restarts: 1 },
        { type: "session.updated", status: "working", paused: true },
        { type: "session.updated", status: "working", autonomy: "full" },
        { type: "budget.updated", reserved_microusd: 0, spent_microusd: 0, limit_microusd: 2_500_000 },
        { type: "weather.changed", sky: "<b>blue</b>" },
      ),
    );
    expect(view.rows.flatMap((row) => (row.kind === "note" ? [row.text.slice(0, 40)] : []))).toEqual([
      "The server was restarted. This turn cont",
      "Paused.",
      "The mode is now Full.",
      "The limit is now $2.50.",
      'Event of an unknown kind: {"seq":6,"sess',
    ]);
  });

  it("an open turn tells what runs, and what it took so far", () => {
    const usage = { ...NO_USAGE, input_tokens: 10, model_calls: 1 };
    const spent = { type: "budget.updated", turn_id: "t", cost_microusd: 4, reserved_microusd: 0, spent_microusd: 4 };
    const begun = [
      started("t"),
      { type: "item.started", item: message("m", "") },
      { type: "item.started", item: subagent("s") },
      { type: "usage.updated", turn_id: "t", usage },
      spent,
      { type: "item.completed", item: message("m", "done", "completed") },
      { type: "usage.updated", turn_id: "t", usage },
      spent,
    ];
    const { open, running, turns } = shown(journal(...begun));
    expect({
      open,
      running: running.map(({ item }) => item.id),
      usages: turns.get("t")?.usages,
      cost: turns.get("t")?.cost_microusd,
    }).toEqual({
      open: "t",
      running: ["s"],
      usages: [usage, usage],
      cost: 8,
    });
    const end = { type: "turn.completed", turn_id: "t", usage: NO_USAGE, cost_microusd: 8, stop_reason: "end_turn" };
    const ended = shown(journal(...begun, end));
    expect([ended.open, ended.running, ended.turns.get("t")?.cost_microusd]).toEqual([undefined, [], 8]);
  });

  it("a waiting prompt that ends without having begun is told with its end", () => {
    const queued = { type: "turn.queued", turn_id: "q", prompt: { text: "later" }, by };
    const failed = { type: "turn.failed", turn_id: "q", error: { code: "aborted", message: "x" }, usage: NO_USAGE };
    const view = shown(journal(started("t"), queued, failed));
    expect(view.rows.map(({ key }) => key)).toEqual(["prompt-t", "prompt-q", "end-q"]);
    expect(view.open).toBe("t");
  });

  it("what an interrupted request cost is added to its ended turn", () => {
    const failed = {
      type: "turn.failed",
      turn_id: "t",
      error: { code: "aborted", message: "x" },
      usage: NO_USAGE,
      cost_microusd: 7,
    };
    const late = {
      type: "budget.updated",
      turn_id: "t",
      cost_microusd: 3,
      bound_microusd: 2,
      reserved_microusd: 0,
      spent_microusd: 10,
    };
    expect(shown(journal(started("t"), failed, late)).turns.get("t")).toMatchObject({
      cost_microusd: 10,
      bound_microusd: 2,
    });
  });

  it("each event has the row that shows it, also those of sub-agents and of items that overlap", () => {
    const view = shown(
      journal(
        started("t"),
        { type: "item.started", item: subagent("task") },
        { type: "item.started", item: message("other", "") },
        { type: "item.started", item: message("inner", "", "in_progress", "task") },
        { type: "usage.updated", turn_id: "t", usage: NO_USAGE },
        { type: "item.completed", item: message("inner", "x", "completed", "task") },
        { type: "item.completed", item: message("other", "y", "completed") },
      ),
    );
    expect(view.places.slice(1)).toEqual(["prompt-t", "task", "other", "task", "task", "task", "other"]);
    expect(view.rows.map(({ key }) => key)).toEqual(["prompt-t", "task", "other"]);
    expect(view.items.get("task")?.children).toEqual(["inner"]);
  });
});

describe("changed files", () => {
  const diff =
    "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b\n same\n--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+new\n";
  it("are counted by file, and a line that looks like a header is a line", () => {
    expect(Object.fromEntries(talliesOf(diff))).toEqual({
      "x.sql": { added: 1, removed: 1 },
      y: { added: 1, removed: 0 },
    });
  });

  it("add up over the items", () => {
    const item = (id: string): Item => ({
      type: "file_change",
      id,
      status: "completed",
      tool: "Edit",
      tool_use_id: id,
      input: {},
      changes: [{ path: "y", kind: "update" }],
      diff: "--- a/y\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n",
    });
    expect(changedFiles([{ item: item("1") }, { item: item("2") }])).toEqual([
      { path: "y", added: 2, removed: 2, item: "2" },
    ]);
  });
});

describe("what an open turn does now", () => {
  const ask = (id: string, item_id: string, preview: object): object => ({
    type: "approval.requested",
    approval: { id, turn_id: "t", item_id, reason: "", preview },
  });
  const budget = ask("a1", "", { type: "budget", summary: "The budget is used up." });
  const answer = (approval_id: string): object => ({ type: "approval.resolved", approval_id, outcome: "approved", by });
  const item: Item = {
    type: "command_execution",
    id: "c",
    status: "in_progress",
    tool: "Bash",
    tool_use_id: "c",
    input: { command: "ls" },
    command: "ls",
    aggregated_output: "",
  };
  const command = { type: "item.started", item };
  const model = { isAsked: false, words: "Waiting for the model", others: 0 };
  it.each([
    ["the model is asked", [], model],
    [
      "a person is asked about money",
      [budget],
      { isAsked: true, words: "Waiting for you: the budget is reached", others: 0 },
    ],
    ["the person has answered", [budget, answer("a1")], model],
    [
      "the turn ended before the answer",
      [budget, { type: "turn.completed", turn_id: "t", stop_reason: "end_turn", usage: NO_USAGE }, started("u")],
      model,
    ],
    ["a command runs", [command], { isAsked: false, words: "Bash", about: "ls", others: 0 }],
    [
      "a person is asked about a command",
      [command, ask("a2", "c", { type: "command", command: "ls", cwd: "." })],
      { isAsked: true, words: "Waiting for you: Bash", about: "ls", others: 0 },
    ],
  ])("%s", (_name, frames, words) => {
    expect(workingWords(shown(journal(started("t"), ...frames)))).toEqual(words);
  });
});

test("an approved call waits behind the question about an earlier one", () => {
  const item = (id: string): object => ({
    type: "item.started",
    item: { type: "tool_call", id, status: "in_progress", tool: "Read", tool_use_id: id, input: {} },
  });
  const ask = (id: string): object => ({
    type: "approval.requested",
    approval: { id: `ask-${id}`, turn_id: "t", item_id: id, reason: "", preview: { type: "generic", summary: "" } },
  });
  const yes = (id: string): object => ({
    type: "approval.resolved",
    approval_id: `ask-${id}`,
    outcome: "approved",
    by,
  });
  const asked = [started("t"), item("a"), item("b"), ask("a"), ask("b"), yes("b")];
  expect(waitingBehind(shown(journal(...asked)).running)).toEqual(["b"]);
  expect(waitingBehind(shown(journal(...asked, yes("a"))).running)).toEqual([]);
});
