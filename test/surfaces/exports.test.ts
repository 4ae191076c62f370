import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ExportFormat, ImportSession } from "../../src/protocol/index.ts";
import { approveWith, runScript, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { openRecordedApp, type RecordedApp } from "../support/recorded-model.ts";

let recorded: RecordedApp;
let app: TestApp;
beforeAll(async () => {
  recorded = await openRecordedApp();
  app = recorded.app;
});
afterAll(() => recorded[Symbol.asyncDispose]());

const HOSTILE = "</pre><script>alert(1)</script> ``` & \"quoted\" 'too'";

async function talk(): Promise<string> {
  const { session } = await runScript(
    app.client,
    {
      prompt: {
        text: script(
          { say: "I write." },
          { tool: "Write", input: { file_path: "a.txt", content: `${HOSTILE}\n` } },
          { tool: "Read", input: { file_path: "a.txt" } },
          { say: `Done: ${HOSTILE}` },
        ),
      },
    },
    approveWith(app.client),
  );
  return session.id;
}

const exported = async (id: string, format: ExportFormat): Promise<string> =>
  (await app.client.exports.file(id, format)).text();

describe("an export", () => {
  it("as Markdown has prompts, answers and calls, with text of tools in fences that it cannot end", async () => {
    const id = await talk();
    const text = await exported(id, "markdown");
    expect(text).toMatch(/^# Do as told\.\n\n- Engine: loop, model: sim \(recorded\)\n- Started: \d{4}-/);
    expect(text).toContain("\n## 1. Prompt\n");
    expect(text).toContain("\n### Write: `a.txt`\n");
    expect(text).toContain(`\nDone: ${HOSTILE}\n`);
    // The fence around what was read is longer than the one in it.
    expect(text).toMatch(/\n````\n[^\n]*<script>alert\(1\)<\/script> ``` &/);
  });

  it("as HTML shows everything as text, runs nothing and loads nothing", async () => {
    const id = await talk();
    const response = await app.client.exports.file(id, "html");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${id}.html"`);
    const text = await response.text();
    expect(text).toContain(`content="default-src 'none'; style-src 'unsafe-inline'; img-src data:"`);
    expect(text).toContain("&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(text).not.toMatch(/<script|https?:\/\/(?!127)/);
    expect(text).toContain("<summary>Write <code>a.txt</code></summary>");
    expect(text.trimEnd().endsWith("</html>")).toBe(true);
  });

  it("as JSON has the session and every event of its journal", async () => {
    const id = await talk();
    const file = JSON.parse(await exported(id, "json")) as object;
    const { events } = await app.client.events(id, { limit: 200 });
    expect(file).toEqual({ format: "sallyport-session", version: 1, session: await app.client.session(id), events });
  });

  it("shows the open turn of a session that works, and a fork with what came before it", async () => {
    const id = await talk();
    const fork = await app.client.fork(id);
    expect(await exported(fork.id, "markdown")).toContain("### Write: `a.txt`");
    const waiting = await app.client.createSession({
      prompt: { text: script({ tool: "Write", input: { file_path: "b.txt", content: "b" } }) },
    });
    await expect.poll(async () => (await app.client.session(waiting.id)).status).toBe("pending_approval");
    expect(await exported(waiting.id, "markdown")).toContain("This turn had not ended when it was exported.");
    await app.client.control(waiting.id, "close");
  });

  it("is for those who may read the session", async () => {
    const id = await talk();
    const agent = await app.as("agent");
    await expect(agent.exports.file(id, "json")).rejects.toMatchObject({ code: "not_found" });
    await expect(app.client.exports.file(id, "pdf" as "json")).rejects.toMatchObject({ code: "invalid_request" });
    await expect(app.client.exports.file("ses_none", "json")).rejects.toMatchObject({ code: "not_found" });
  });
});

const CONVERSATION: ImportSession["conversation"] = {
  source: "claude-code",
  source_id: "0b6e2f1c",
  turns: [
    {
      prompt: "Which files are there?",
      at: "2026-10-01T10:00:00.000Z",
      items: [
        { type: "thought", text: "I look." },
        { type: "tool", tool: "Bash", input: { command: "ls" }, output: "a.txt" },
        { type: "tool", tool: "Read", input: { file_path: "b.txt" }, output: "no such file", is_error: true },
        { type: "message", text: "Only a.txt." },
      ],
    },
    { prompt: "Delete it.", items: [{ type: "tool", tool: "Bash", input: { command: "rm a.txt" } }] },
  ],
};

describe("an import", () => {
  it("is a session with that conversation, of which nothing ran and nothing was paid", async () => {
    const session = await app.client.exports.import({ conversation: CONVERSATION });
    expect(session).toMatchObject({ status: "idle", turns: 2, cost_microusd: 0, title: "Which files are there?" });
    const { events } = await app.client.events(session.id, { limit: 200 });
    const items = events.flatMap((event) => (event.type === "item.completed" ? [event.item] : []));
    expect(items).toMatchObject([
      { type: "reasoning", text: "I look." },
      { type: "command_execution", command: "ls", aggregated_output: "a.txt", status: "completed" },
      { type: "tool_call", tool: "Read", status: "failed", is_error: true },
      { type: "agent_message", text: "Only a.txt." },
      { type: "command_execution", command: "rm a.txt", status: "interrupted" },
    ]);
    expect(events.filter(({ type }) => type === "turn.completed")).toHaveLength(2);
    expect(events.filter(({ type }) => type === "error")).toMatchObject([
      { message: "Imported from claude-code: 2 turns. Nothing of it ran here." },
    ]);
  });

  it("goes on where the conversation was, also after a restart", async () => {
    const session = await app.client.exports.import({ conversation: CONVERSATION });
    await app.restart();
    await app.client.prompt(session.id, { text: script({ say: "I remember." }) });
    const events = await untilTurnEnds(app.client, session.id, { after: session.seq });
    expect(events.at(-1)).toMatchObject({ type: "turn.completed", stop_reason: "end_turn" });
    const told = JSON.stringify(recorded.asked.at(-1)?.messages);
    for (const text of ["Which files are there?", "Only a.txt.", "no such file", "Delete it.", "outcome unknown"])
      expect(told).toContain(text);
  });

  it("is the same session when it is asked for again with its key", async () => {
    const first = await app.client.exports.import({ conversation: CONVERSATION }, { key: "import-1" });
    const again = await app.client.exports.import({ conversation: CONVERSATION }, { key: "import-1" });
    expect(again.id).toBe(first.id);
    const other = { ...CONVERSATION, source: "codex" };
    await expect(app.client.exports.import({ conversation: other }, { key: "import-1" })).rejects.toMatchObject({
      code: "idempotency_mismatch",
    });
  });

  it.each<[string, object]>([
    ["no turn", { conversation: { ...CONVERSATION, turns: [] } }],
    ["a source that is no name", { conversation: { ...CONVERSATION, source: "Claude Code!" } }],
    ["a turn without a prompt", { conversation: { ...CONVERSATION, turns: [{ prompt: "", items: [] }] } }],
    [
      "an item of another kind",
      { conversation: { ...CONVERSATION, turns: [{ prompt: "x", items: [{ type: "run" }] }] } },
    ],
    ["a field that is not known", { conversation: CONVERSATION, run: true }],
    ["a prompt beside it", { conversation: CONVERSATION, session: { prompt: "go" } }],
  ])("is refused with %s, and nothing is made", async (_what, request) => {
    const before = (await app.client.sessions({ limit: 200 })).sessions.length;
    await expect(app.client.exports.import(request as ImportSession)).rejects.toMatchObject({
      code: "invalid_request",
    });
    expect((await app.client.sessions({ limit: 200 })).sessions.length).toBe(before);
  });
});
