import { describe, expect, test } from "vitest";
import {
  followRuntimeTurn,
  newRuntimeTurn,
  NO_USAGE,
  type Approval,
  type Item,
  type RuntimeMessage,
  type StreamFrame,
} from "../../src/protocol/index.ts";

const SESSION = "ses_1";
const by = { id: "tok_1", name: "me", role: "admin" } as const;
let seq = 0;

type Body = { readonly type: string } & Record<string, unknown>;

function event(body: Body, at = "2026-11-15T00:00:00.000Z"): StreamFrame {
  seq += 1;
  return { seq, session_id: SESSION, at, ...body } as unknown as StreamFrame;
}

const begins = (turn_id = "turn_1"): StreamFrame =>
  event({ type: "turn.started", turn_id, prompt: { text: "hi" }, by });
const says = (id: string, text: string, more: Partial<Item> = {}): Item =>
  ({ id, type: "agent_message", status: "in_progress", text, ...more }) as Item;
const started = (item: Item): StreamFrame => event({ type: "item.started", item });
const completed = (item: Item): StreamFrame =>
  event({
    type: "item.completed",
    item: { ...item, status: item.status === "in_progress" ? "completed" : item.status },
  });
const delta = (item_id: string, text: string, field = "text"): StreamFrame =>
  ({ type: "item.delta", session_id: SESSION, item_id, field, delta: text }) as StreamFrame;
const snapshot = (item: Item): StreamFrame => ({ type: "item.updated", session_id: SESSION, item });
const usage = {
  ...NO_USAGE,
  input_tokens: 12,
  output_tokens: 5,
  cache_read_tokens: 3,
  cache_write_tokens: 2,
  model_calls: 2,
};
const ends = (turn_id = "turn_1"): StreamFrame =>
  event(
    { type: "turn.completed", turn_id, usage, cost_microusd: 42_000, stop_reason: "end_turn" },
    "2026-11-15T00:00:01.500Z",
  );
const fails = (code: string, message: string): StreamFrame =>
  event({ type: "turn.failed", turn_id: "turn_1", error: { code, message }, usage });
const call = (more: Partial<Item> = {}): Item =>
  ({
    id: "item_t",
    type: "mcp_tool_call",
    server: "datagrok",
    status: "in_progress",
    tool: "mcp__datagrok__add_viewer",
    tool_use_id: "toolu_1",
    input: { viewerType: "Grid" },
    ...more,
  }) as Item;

/** Everything that these frames say. */
function told(...frames: readonly StreamFrame[]): readonly RuntimeMessage[] {
  let turn = newRuntimeTurn("c", "turn_1");
  return frames.flatMap((frame) => {
    const next = followRuntimeTurn(turn, frame);
    turn = next.turn;
    return next.messages;
  });
}

const chunk = (content: string): RuntimeMessage => ({ type: "chunk", sessionId: "c", content });
const revision = (content: string): RuntimeMessage => ({ type: "revision_start", sessionId: "c", content });

describe("a turn in document 000's words", () => {
  test("ends with the whole answer, its cost in dollars and its time", () => {
    const frames = [
      begins(),
      started(says("a", "")),
      delta("a", "Hel"),
      delta("a", "lo"),
      completed(says("a", "Hello")),
      ends(),
    ];
    expect(told(...frames)).toEqual([
      chunk("Hel"),
      chunk("lo"),
      {
        type: "final",
        sessionId: "c",
        content: "Hello",
        usage: {
          input_tokens: 12,
          output_tokens: 5,
          cache_read_input_tokens: 3,
          cache_creation_input_tokens: 2,
        },
        cost_usd: 0.042,
        num_turns: 2,
        metrics: {
          inputTokens: 12,
          outputTokens: 5,
          cacheReadTokens: 3,
          cacheCreationTokens: 2,
          costUsd: 0.042,
          numTurns: 2,
          durationMs: 1_500,
          durationApiMs: null,
        },
      },
    ]);
  });

  const answer = (...frames: readonly StreamFrame[]): readonly unknown[] =>
    told(begins(), ...frames, ends()).map((message) =>
      message.type === "final" ? ["final", message.content] : message.type === "chunk" ? message.content : message,
    );

  test.each<[string, readonly StreamFrame[], readonly unknown[]]>([
    ["no deltas at all", [started(says("a", "")), completed(says("a", "Hi"))], ["Hi", ["final", "Hi"]]],
    [
      "a watcher who came late",
      [snapshot(says("a", "Hel")), delta("a", "lo"), completed(says("a", "Hello"))],
      ["Hel", "lo", ["final", "Hello"]],
    ],
    [
      "a text so far that is older than the last delta",
      [started(says("a", "")), delta("a", "Hello"), snapshot(says("a", "Hel")), completed(says("a", "Hello!"))],
      ["Hello", "!", ["final", "Hello!"]],
    ],
    [
      "two messages",
      [completed(says("a", "One.")), started(says("b", "")), delta("b", "Tw"), completed(says("b", "Two."))],
      ["One.", "\n\nTw", "o.", ["final", "One.\n\nTwo."]],
    ],
    [
      "two parts of one message",
      [completed(says("a", "One", { message_id: "m" })), completed(says("b", "Two", { message_id: "m" }))],
      ["One", "Two", ["final", "OneTwo"]],
    ],
    [
      "an empty message between",
      [completed(says("a", "1")), completed(says("b", "")), completed(says("c", "2"))],
      ["1", "\n\n2", ["final", "1\n\n2"]],
    ],
    [
      "a message that died and was said again",
      [
        completed(says("a", "One.")),
        started(says("b", "")),
        delta("b", "Tw"),
        completed(says("b", "Tw", { status: "superseded" })),
        completed(says("b2", "Two.")),
      ],
      ["One.", "\n\nTw", revision("One."), "\n\nTwo.", ["final", "One.\n\nTwo."]],
    ],
    [
      "one that died before it said anything",
      [started(says("a", "")), completed(says("a", "", { status: "superseded" })), completed(says("b", "x"))],
      ["x", ["final", "x"]],
    ],
    [
      "a text that turned out another one",
      [
        completed(says("z", "0")),
        started(says("a", "")),
        delta("a", "key sk-1"),
        completed(says("a", "key [redacted]")),
      ],
      ["0", "\n\nkey sk-1", revision("0"), "\n\nkey [redacted]", ["final", "0\n\nkey [redacted]"]],
    ],
    [
      "thoughts and what sub-agents say are not part of it",
      [
        started({ id: "r", type: "reasoning", status: "in_progress", text: "" }),
        delta("r", "hmm"),
        started(says("s", "", { parent_id: "item_sub" })),
        delta("s", "sub"),
        completed(says("s", "sub", { parent_id: "item_sub" })),
        completed(says("a", "Hi")),
      ],
      ["Hi", ["final", "Hi"]],
    ],
    [
      "output of a tool is no text",
      [started(says("a", "")), delta("a", "x", "output"), completed(says("a", ""))],
      [["final", ""]],
    ],
  ])("%s", (_name, frames, expected) => {
    expect(answer(...frames)).toEqual(expected);
  });

  test("tells of tools by the page's own names, and how they ended", () => {
    const output = [{ type: "text" as const, text: "Error: no such column" }];
    const use = { type: "tool_use", sessionId: "c", tool_use_id: "toolu_1" };
    const viewer = { ...use, tool: "add_viewer", input: { viewerType: "Grid" } };
    const read = call({ tool: "Read", input: { file_path: "/src/package.ts" } });
    expect(
      told(
        begins(),
        started(call()),
        completed(call()),
        completed(call({ status: "failed", output })),
        completed(call({ status: "declined", output, approved_input: { viewerType: "Form" } })),
        started(read),
      ),
    ).toEqual([
      { ...viewer, status: "running" },
      { ...viewer, status: "completed" },
      { ...viewer, status: "failed", error: "Error: no such column" },
      {
        ...viewer,
        input: { viewerType: "Form" },
        askedInput: { viewerType: "Grid" },
        status: "failed",
        error: "Error: no such column",
      },
      { ...use, tool: "Read", input: { file_path: "/src/package.ts" }, status: "running" },
    ]);
  });

  test.each<[string, string, object]>([
    ["aborted", "aborted", { type: "aborted" }],
    ["rejected_and_stopped", "User rejected: no", { type: "aborted", note: "User rejected: no" }],
    ["max_turns", "stopped after 15", { type: "error", message: "Max turns reached", code: "max_turns" }],
    [
      "model_unauthenticated",
      "401",
      { type: "error", message: "Authentication failed", code: "model_unauthenticated" },
    ],
    ["model_error", "it broke", { type: "error", message: "it broke", code: "model_error" }],
  ])("that fails with %s", (code, message, expected) => {
    expect(told(begins(), fails(code, message))).toEqual([{ sessionId: "c", ...expected }]);
    // Also one that never began, as when the session is closed before it.
    expect(told(fails(code, message))).toEqual([{ sessionId: "c", ...expected }]);
  });

  test("says nothing of other turns, and nothing after its end", () => {
    const other = [begins("turn_0"), completed(says("a", "other")), started(call()), ends("turn_0")];
    expect(told(...other)).toEqual([]);
    expect(told(begins(), fails("aborted", "aborted"), ...other, ends()).map(({ type }) => type)).toEqual(["aborted"]);
  });

  test("shows questions and how they ended", () => {
    const approval = {
      id: "apr_1",
      session_id: SESSION,
      tool: "mcp__datagrok__try_sql",
      tool_use_id: "toolu_1",
      input: { sql: "DROP TABLE x" },
      input_hash: "hash",
      preview: { type: "generic", summary: "" },
      warnings: [] as unknown[],
      tier: "page",
      reason: "The policy asks.",
      status: "pending",
      created_at: "now",
    } as unknown as Approval;
    const resolved = (approval_id: string): StreamFrame =>
      event({ type: "approval.resolved", approval_id, outcome: "approved", by });
    const messages = told(
      begins(),
      event({ type: "approval.requested", approval }),
      resolved("apr_0"),
      resolved("apr_1"),
    );
    expect(messages).toEqual([
      expect.objectContaining({
        type: "approval_request",
        sessionId: "c",
        requestId: "apr_1",
        toolName: "try_sql",
        input: { sql: "DROP TABLE x" },
        request_id: "apr_1",
        tool_name: "mcp__datagrok__try_sql",
        tool_input: { sql: "DROP TABLE x" },
        preview_type: "generic",
        input_hash: "hash",
      }),
      { type: "approval_resolved", sessionId: "c", requestId: "apr_1", status: "approved" },
    ]);
  });
});
