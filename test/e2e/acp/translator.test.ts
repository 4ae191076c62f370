import { describe, expect, it } from "vitest";
import { diffsOf } from "../../../src/cli/acp/diffs.ts";
import { fenced } from "../../../src/cli/acp/tool-calls.ts";
import { EditorTranslator } from "../../../src/cli/acp/translator.ts";
import { LIMITS, startToolItem, type EventBody, type Item, type StreamFrame } from "../../../src/protocol/index.ts";

const message = (change: Partial<Extract<Item, { type: "agent_message" }>> = {}): Item => ({
  id: "item_1",
  type: "agent_message",
  status: "in_progress",
  text: "",
  ...change,
});

function event(body: EventBody, seq = 1): StreamFrame {
  return { seq, session_id: "ses_1", at: "2026-01-01T00:00:00.000Z", ...body };
}

const delta = (text: string, field: "text" | "output" = "text"): StreamFrame => ({
  type: "item.delta",
  session_id: "ses_1",
  item_id: "item_1",
  field,
  delta: text,
});

const translator = (notices = false): EditorTranslator =>
  new EditorTranslator({ workspace: "/w", isOwn: (turn_id) => turn_id === "turn_own", notices });

const chunk = (text: string): object => ({
  sessionUpdate: "agent_message_chunk",
  messageId: "item_1",
  content: { type: "text", text },
});

describe("frames as an editor's updates", () => {
  it.each<{ readonly what: string; readonly frames: readonly StreamFrame[]; readonly updates: readonly object[] }>([
    {
      what: "streams words, and sends only the rest when they are complete",
      frames: [
        event({ type: "item.started", item: message() }),
        delta("Hel"),
        delta("lo"),
        event({ type: "item.completed", item: message({ status: "completed", text: "Hello you" }) }),
      ],
      updates: [chunk("Hel"), chunk("lo"), chunk(" you")],
    },
    {
      what: "catches up from a snapshot after a lost connection",
      frames: [
        event({ type: "item.started", item: message() }),
        delta("Hel"),
        { type: "item.updated", session_id: "ses_1", item: message({ text: "Hello" }) },
        delta("!"),
        event({ type: "item.completed", item: message({ status: "completed", text: "Hello!" }) }),
      ],
      updates: [chunk("Hel"), chunk("lo"), chunk("!")],
    },
    {
      what: "says words again that are not what was streamed",
      frames: [
        event({ type: "item.started", item: message() }),
        delta("key sk-1"),
        event({ type: "item.completed", item: message({ status: "completed", text: "key [redacted]" }) }),
      ],
      updates: [chunk("key sk-1"), chunk("\nkey [redacted]")],
    },
    {
      what: "tells of an answer that was cut off",
      frames: [
        event({ type: "item.started", item: message() }),
        delta("Hal"),
        event({ type: "item.completed", item: message({ status: "superseded", text: "Hal" }) }),
      ],
      updates: [
        chunk("Hal"),
        {
          sessionUpdate: "agent_thought_chunk",
          content: { type: "text", text: "\n[the model's answer was cut off; it begins again]\n" },
        },
      ],
    },
    {
      what: "says nothing of one that was cut off before its first word, and nothing of a sub-agent's words",
      frames: [
        event({ type: "item.completed", item: message({ status: "superseded" }) }),
        event({ type: "item.completed", item: message({ status: "completed", text: "inner", parent_id: "item_0" }) }),
      ],
      updates: [],
    },
    {
      what: "shows a prompt that somebody else sent, and not the editor's own",
      frames: ["turn_own", "turn_other"].map((turn_id) =>
        event({
          type: "turn.started",
          turn_id,
          prompt: { text: "hi", attachments: [{ type: "image", media_type: "image/png", data: "AA==" }] },
          by: { id: "x", name: "x", role: "admin" },
        }),
      ),
      updates: [
        { sessionUpdate: "user_message_chunk", messageId: "turn_other", content: { type: "text", text: "hi" } },
        {
          sessionUpdate: "user_message_chunk",
          messageId: "turn_other",
          content: { type: "image", mimeType: "image/png", data: "AA==" },
        },
      ],
    },
  ])("$what", ({ frames, updates }) => {
    const one = translator();
    expect(frames.flatMap((frame) => one.take(frame))).toEqual(updates);
  });

  it("tells a command's output while it runs, more seldom the longer it is, and never more than its end", () => {
    const one = translator();
    const item = startToolItem({ id: "item_1", tool: "Bash", tool_use_id: "tu_1", input: { command: "make" } });
    one.take(event({ type: "item.started", item }));
    let told = 0;
    for (let line = 0; line < 10_000; line += 1) told += one.take(delta(`${"x".repeat(99)}\n`, "output")).length;
    expect(told).toBeGreaterThan(10);
    expect(told).toBeLessThan(100);
    let last: unknown;
    for (let line = 0; line < 1_000; line += 1) last = one.take(delta(`${"y".repeat(99)}\n`, "output"))[0] ?? last;
    expect(JSON.stringify(last).length).toBeLessThan(LIMITS.acpOutputChars * 1.2);
  });

  it("gives notices to an editor that shows them", () => {
    expect(translator(true).take(event({ type: "error", message: "Oh." }))).toEqual([
      { sessionUpdate: "notice", severity: "error", title: "Oh." },
    ]);
  });

  it.each([
    ["no diff", "", []],
    [
      "two files, two pieces in one of them",
      [
        "--- a/x.txt\n+++ b/x.txt",
        "@@ -1,2 +1,2 @@\n a\n-b\n+c",
        "@@ -9 +9,2 @@\n z\n+y",
        "--- a/new.txt\n+++ b/new.txt",
        "@@ -0,0 +1 @@\n+n",
      ].join("\n"),
      [
        { path: "x.txt", oldText: "a\nb", newText: "a\nc" },
        { path: "x.txt", oldText: "z", newText: "z\ny" },
        { path: "new.txt", oldText: null, newText: "n" },
      ],
    ],
    [
      "lines that look like the head of a file",
      ["--- a/x", "+++ b/x", "@@ -1 +1 @@", "--- a/y", "+++ b/y"].join("\n"),
      [{ path: "x", oldText: "-- a/y", newText: "++ b/y" }],
    ],
    [
      "a diff that was cut off",
      ["--- a/x", "+++ b/x", "@@ -1,3 +1,3 @@", " a"].join("\n"),
      [{ path: "x", oldText: "a", newText: "a" }],
    ],
  ])("reads %s", (_what, unified, diffs) => {
    expect(diffsOf(unified, (path) => (path === "new.txt" ? "new" : "changed"))).toEqual(diffs);
  });

  it("fences a text that has fences itself", () => {
    expect(fenced("a ``` b")).toEqual({ type: "content", content: { type: "text", text: "````\na ``` b\n````" } });
  });
});
