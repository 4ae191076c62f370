import { expect, test } from "vitest";
import { NO_USAGE, type Approval, type EventBody, type Item, type StreamFrame } from "../../../src/protocol/index.ts";
import { answerText, PanelTranscript } from "../../../src/web/panel/transcript.ts";

const by = { id: "p1", name: "Ada", role: "admin" } as const;

/** The frames with their places in a journal. */
function told(
  ...bodies: readonly (EventBody | Omit<Extract<StreamFrame, { type: "item.delta" }>, "session_id">)[]
): PanelTranscript {
  const transcript = new PanelTranscript();
  for (const [index, body] of bodies.entries()) {
    const place = body.type === "item.delta" ? {} : { seq: index + 1, at: "2026-01-01T00:00:00Z" };
    transcript.apply({ ...body, ...place, session_id: "s1" } as StreamFrame);
  }
  return transcript;
}

const queued = (turn_id: string): EventBody => ({ type: "turn.queued", turn_id, prompt: { text: turn_id }, by });
const started = (turn_id: string): EventBody => ({ type: "turn.started", turn_id, prompt: { text: turn_id }, by });
const completed = (turn_id: string): EventBody => ({
  type: "turn.completed",
  turn_id,
  usage: NO_USAGE,
  cost_microusd: 42,
  stop_reason: "end_turn",
});
const message = (id: string, text: string, status: Item["status"] = "completed"): Item => ({
  type: "agent_message",
  id,
  status,
  text,
});
const call = (id: string, more: Partial<Extract<Item, { type: "mcp_tool_call" }>> = {}): Item => ({
  type: "mcp_tool_call",
  id,
  status: "in_progress",
  tool: "mcp__shop__add",
  tool_use_id: `use-${id}`,
  server: "shop",
  input: { a: 1 },
  ...more,
});
const start = (item: Item): EventBody => ({ type: "item.started", item });
const complete = (item: Item): EventBody => ({ type: "item.completed", item });
const delta = (item_id: string, text: string) => ({ type: "item.delta", item_id, field: "text", delta: text }) as const;
const approval = { id: "a1", turn_id: "t1", item_id: "i1", tool: "Bash" } as Approval;

test("a text grows, and the completed one is the truth", () => {
  const growing = told(started("t1"), start(message("m1", "", "in_progress")), delta("m1", "Hel"), delta("m1", "lo"));
  expect(growing.turns).toMatchObject([
    { id: "t1", state: "open", parts: [{ kind: "text", id: "m1", text: "Hello", done: false }] },
  ]);
  const done = told(
    started("t1"),
    start(message("m1", "", "in_progress")),
    delta("m1", "Hel"),
    complete(message("m1", "Hello!")),
    delta("m1", "late"),
    completed("t1"),
  );
  const parts = [{ kind: "text", id: "m1", text: "Hello!", done: true }];
  expect(done.turns).toMatchObject([{ id: "t1", state: "completed", cost_microusd: 42, parts }]);
  expect(done.open).toBeUndefined();
});

test("a step: its input, how it stands, its result", () => {
  const step = { kind: "step", id: "i1", tool: "mcp__shop__add", input: { a: 1 }, output: "", images: [] } as const;
  expect(told(started("t1"), start(call("i1"))).turns[0]?.parts).toEqual([{ ...step, status: "in_progress" }]);
  const picture = { type: "image", media_type: "image/png", data: "AA" } as const;
  const output = [{ type: "text", text: "one" } as const, picture, { type: "text", text: "two" } as const];
  const ended = call("i1", { status: "completed", output, approved_input: { a: 2 } });
  expect(told(started("t1"), start(call("i1")), complete(ended)).turns[0]?.parts).toEqual([
    { ...step, status: "completed", input: { a: 2 }, output: "one\ntwo", images: [picture] },
  ]);
});

test("what was open when its turn ended is not open any more", () => {
  const failed: EventBody = {
    type: "turn.failed",
    turn_id: "t1",
    usage: NO_USAGE,
    error: { code: "aborted", message: "stopped" },
  };
  const transcript = told(
    started("t1"),
    start(message("m1", "", "in_progress")),
    delta("m1", "Hal"),
    start(call("i1")),
    failed,
  );
  expect(transcript.turns[0]).toMatchObject({
    state: "failed",
    error: { code: "aborted", message: "stopped" },
    parts: [
      { kind: "text", id: "m1", text: "Hal", done: true },
      {
        kind: "step",
        id: "i1",
        tool: "mcp__shop__add",
        input: { a: 1 },
        output: "",
        images: [],
        status: "interrupted",
      },
    ],
  });
});

test("prompts that wait stand behind those that were begun", () => {
  const transcript = told(started("t1"), queued("t2"), queued("t3"), completed("t1"), started("t2"));
  expect(transcript.turns.map(({ id, state }) => [id, state])).toEqual([
    ["t1", "completed"],
    ["t2", "open"],
    ["t3", "queued"],
  ]);
  expect(transcript.open).toBe("t2");
});

test("a question stands where it was asked, and keeps its answer", () => {
  const transcript = told(
    started("t1"),
    start(call("i1")),
    { type: "approval.requested", approval },
    { type: "approval.resolved", approval_id: "a1", outcome: "rejected", by, feedback: "no" },
    complete(message("m1", "Fine.")),
  );
  expect(transcript.turns[0]?.parts.map(({ id }) => id)).toEqual(["i1", "ask a1", "m1"]);
  const ask = { approval, outcome: "rejected", by, feedback: "no" };
  expect(transcript.turns[0]?.parts[1]).toMatchObject({ kind: "ask", id: "ask a1", ask });
});

test("a message that died in a cut stream is gone; a sub-agent's words are not shown", () => {
  const transcript = told(
    started("t1"),
    start(message("m1", "Ha", "in_progress")),
    complete(message("m1", "Ha", "superseded")),
    complete({ ...message("m2", "for the agent"), parent_id: "i9" }),
    complete(message("m3", "Hallo")),
    complete(message("m4", " ")),
    completed("t1"),
  );
  const [first] = transcript.turns;
  expect(first?.parts.map(({ id }) => id)).toEqual(["m3", "m4"]);
  expect(first === undefined ? "" : answerText(first)).toBe("Hallo");
});

test("the end of the session, and what is not known", () => {
  const error = { code: "engine_failed", message: "gone" } as const;
  const transcript = told(started("t1"), { type: "something.new" } as unknown as EventBody, {
    type: "session.updated",
    status: "failed",
    error,
  });
  expect(transcript.ended).toMatchObject({ status: "failed", error });
});

test("a turn that did not change is the same object", () => {
  const transcript = told(started("t1"), complete(message("m1", "x")), completed("t1"), started("t2"));
  const [first] = transcript.turns;
  transcript.apply({ type: "item.started", item: message("m2", ""), seq: 9, at: "", session_id: "s1" });
  expect(transcript.turns[0]).toBe(first);
});
