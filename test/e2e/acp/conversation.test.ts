import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { methods, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestApp, script, type TestApp } from "../../support/app.ts";
import { allow, Editor, type EditorOptions } from "./editor.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

let app: TestApp;
const editors: Editor[] = [];

beforeAll(async () => {
  app = await openTestApp();
});

afterAll(async () => {
  await Promise.all(editors.map((editor) => editor.leave()));
  await app[Symbol.asyncDispose]();
});

async function open(options: Partial<EditorOptions> & { readonly token?: string } = {}): Promise<Editor> {
  const { token = app.serving.token, words = [], ...rest } = options;
  const editor = await Editor.open({
    words: ["--server", app.serving.url, "--token", token, "acp", ...words],
    folder: app.place.workspace,
    ...rest,
  });
  editors.push(editor);
  return editor;
}

describe("an editor's conversation, with the protocol's own client", () => {
  it("says what it can do, and only speaks the protocol on standard output", async () => {
    const editor = await open();
    const answer = await editor.connection.agent.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: {},
    });
    expect(answer).toEqual({
      protocolVersion: 1,
      agentInfo: { name: "sallyport", title: "Sallyport", version: "0.0.0-test" },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: true, sse: true },
        sessionCapabilities: { list: {}, resume: {}, close: {} },
      },
      authMethods: [],
    });
    for (const line of editor.stdout.trim().split("\n")) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("streams words, thoughts, calls with kinds and places, and a plan", async () => {
    await writeFile(join(app.place.workspace, "notes.txt"), "one\ntwo\n");
    const editor = await open();
    const { sessionId, modes } = await editor.newSession(app.place.workspace);
    expect(modes?.currentModeId).toBe("default");
    const { stopReason } = await editor.prompt(
      sessionId,
      script(
        { think: "Let me look." },
        { say: "Reading. " },
        {
          tools: [
            { tool: "Read", input: { file_path: join(app.place.workspace, "notes.txt"), offset: 2 } },
            { tool: "Grep", input: { pattern: "one" } },
            {
              tool: "TodoWrite",
              input: {
                todos: [
                  { content: "read", status: "completed", activeForm: "Reading" },
                  { content: "write", status: "pending", activeForm: "Writing" },
                ],
              },
            },
          ],
        },
        { say: "Done." },
      ),
    );
    expect(stopReason).toBe("end_turn");
    expect(editor.spoken()).toBe("Reading. Done.");
    expect(editor.spoken("agent_thought_chunk")).toBe("Let me look.");
    // What the editor sent itself is on its screen already.
    expect(editor.spoken("user_message_chunk")).toBe("");
    expect(editor.updates.find(({ sessionUpdate }) => sessionUpdate === "plan")).toEqual({
      sessionUpdate: "plan",
      entries: [
        { content: "read", status: "completed", priority: "medium" },
        { content: "write", status: "pending", priority: "medium" },
      ],
    });
    expect(editor.calls()).toMatchObject([
      {
        title: "Read notes.txt",
        name: "Read",
        kind: "read",
        status: "completed",
        locations: [{ path: join(app.place.workspace, "notes.txt"), line: 2 }],
        rawOutput: { status: "completed", is_error: false },
      },
      { title: "Grep one", name: "Grep", kind: "search", status: "completed", locations: [] },
    ]);
  });

  it("asks, shows the whole diff, allows once, and shows what was changed", async () => {
    const path = join(app.place.workspace, "greeting.txt");
    await writeFile(path, "hello\nworld\n");
    const editor = await open({ permission: allow("allow_once") });
    const { sessionId } = await editor.newSession(app.place.workspace);
    const { stopReason } = await editor.prompt(
      sessionId,
      script(
        { tool: "Read", input: { file_path: path } },
        { tool: "Edit", input: { file_path: path, old_string: "hello", new_string: "good day" } },
        { tool: "Write", input: { file_path: join(app.place.workspace, "new.txt"), content: "new\n" } },
        { say: "Changed." },
      ),
    );
    expect(stopReason).toBe("end_turn");
    expect(await readFile(path, "utf8")).toBe("good day\nworld\n");
    expect(editor.asked.map(({ toolCall, options }) => ({ content: toolCall.content, options }))).toEqual([
      {
        content: [{ type: "diff", path, oldText: "hello\nworld\n", newText: "good day\nworld\n" }],
        options: [
          { optionId: "allow_once", name: "Allow", kind: "allow_once" },
          {
            optionId: "allow_always",
            name: expect.stringMatching(/^Always allow Edit\(.*\) in this session$/),
            kind: "allow_always",
          },
          { optionId: "reject_once", name: "Reject", kind: "reject_once" },
        ],
      },
      {
        content: [{ type: "diff", path: join(app.place.workspace, "new.txt"), oldText: null, newText: "new\n" }],
        options: expect.any(Array) as unknown,
      },
    ]);
    expect(editor.calls().slice(1)).toMatchObject([
      {
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path, oldText: "hello\nworld", newText: "good day\nworld" }],
        locations: [{ path }],
      },
      {
        kind: "edit",
        status: "completed",
        content: [{ type: "diff", path: join(app.place.workspace, "new.txt"), oldText: null, newText: "new" }],
      },
    ]);
  });

  it("allows always by the session's rule, and then asks no more", async () => {
    const editor = await open({ permission: allow("allow_always") });
    const { sessionId } = await editor.newSession(app.place.workspace);
    const call = { tool: "Bash", input: { command: "echo same" } };
    expect(await editor.prompt(sessionId, script(call, call, { say: "end" }))).toMatchObject({
      stopReason: "end_turn",
    });
    expect(editor.asked.length).toBe(1);
    expect((await app.client.session(sessionId)).grants.length).toBe(1);
    expect(editor.calls()).toMatchObject([
      { title: "echo same", kind: "execute", status: "completed", rawOutput: { exit_code: 0 } },
      { status: "completed", content: [{ type: "content", content: { type: "text", text: "```\nsame\n```" } }] },
    ]);
  });

  it("rejects once: the call fails, the agent reads it and goes on", async () => {
    const editor = await open({ permission: allow("reject_once") });
    const { sessionId } = await editor.newSession(app.place.workspace);
    const { stopReason } = await editor.prompt(
      sessionId,
      script({ tool: "Bash", input: { command: "rm -rf x" } }, { say: "Then not." }),
    );
    expect(stopReason).toBe("end_turn");
    expect(editor.calls()).toMatchObject([{ status: "failed", rawOutput: { status: "declined" } }]);
    expect(editor.spoken()).toBe("Then not.");
    expect(editor.asked[0]?.toolCall.content).toEqual([
      { type: "content", content: { type: "text", text: "```\nrm -rf x\n```" } },
      { type: "content", content: { type: "text", text: expect.stringContaining("⚠") as unknown } },
    ]);
  });

  it("withdraws a question that somebody answered elsewhere", async () => {
    let withdrawn = false;
    const editor = await open({
      permission: (_request, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            withdrawn = true;
            resolve({ outcome: { outcome: "cancelled" } });
          });
        }),
    });
    const { sessionId } = await editor.newSession(app.place.workspace);
    const turn = editor.prompt(sessionId, script({ tool: "Bash", input: { command: "echo hi" } }, { say: "end" }));
    await editor.until(() => editor.asked.length > 0);
    const [approval] = (await app.client.approvals({ status: "pending", session_id: sessionId })).approvals;
    await app.client.decide(approval?.id ?? "", { decision: "approve", input_hash: approval?.input_hash ?? "" });
    expect(await turn).toMatchObject({ stopReason: "end_turn" });
    expect({ withdrawn, calls: editor.calls() }).toMatchObject({ withdrawn: true, calls: [{ status: "completed" }] });
  });

  it("puts an agent's own questions as choices, one after the other", async () => {
    const option = (label: string): object => ({ label, description: `about ${label}` });
    const questions = [
      { question: "Which colour?", header: "Colour", options: [option("red"), option("blue")], multiSelect: false },
      { question: "Which sizes?", header: "Size", options: [option("small"), option("large")], multiSelect: true },
    ];
    const editor = await open({ permission: allow("answer_2") });
    const { sessionId } = await editor.newSession(app.place.workspace);
    await editor.prompt(sessionId, script({ tool: "AskUserQuestion", input: { questions } }, { say: "end" }));
    expect(editor.asked.map(({ toolCall, options }) => [toolCall.title, options.map(({ name }) => name)])).toEqual([
      ["Which colour?", ["red", "blue", "No answer"]],
      ["Which sizes?", ["small", "large", "No answer"]],
    ]);
    const [call] = editor.calls();
    expect(JSON.stringify(call?.["content"])).toContain('\\"Which colour?\\" = \\"blue\\"');
    expect(JSON.stringify(call?.["content"])).toContain('\\"Which sizes?\\" = \\"large\\"');
  });

  it("cancels: a turn that works, and one that waits for a person", async () => {
    const editor = await open({
      permission: (_request, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => resolve({ outcome: { outcome: "cancelled" } }));
        }),
    });
    const { sessionId } = await editor.newSession(app.place.workspace);
    const working = editor.prompt(sessionId, script({ say: "Begun." }, { delay_ms: 60_000 }, { say: "never" }));
    await editor.until(() => editor.spoken().includes("Begun."));
    await editor.cancel(sessionId);
    expect(await working).toEqual({ stopReason: "cancelled" });
    const waiting = editor.prompt(sessionId, script({ tool: "Bash", input: { command: "echo hi" } }));
    await editor.until(() => editor.asked.length > 0);
    await editor.cancel(sessionId);
    expect(await waiting).toEqual({ stopReason: "cancelled" });
    expect(editor.calls()).toMatchObject([{ status: "failed" }]);
    // The session is still good.
    expect(await editor.prompt(sessionId, script({ say: "again" }))).toEqual({ stopReason: "end_turn" });
  });

  it("cancels a prompt that has only just been sent", async () => {
    const editor = await open();
    const { sessionId } = await editor.newSession(app.place.workspace);
    const turn = editor.prompt(sessionId, script({ delay_ms: 60_000 }, { say: "never" }));
    await editor.cancel(sessionId);
    // Either it was cancelled, or the notification came first and had nothing to cancel.
    const first = await Promise.race([turn, app.client.session(sessionId).then(() => undefined)]);
    if (first === undefined) await editor.cancel(sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  it("cancels by the request itself too", async () => {
    const editor = await open();
    const { sessionId } = await editor.newSession(app.place.workspace);
    const stop = new AbortController();
    const turn = editor.connection.agent.request(
      methods.agent.session.prompt,
      { sessionId, prompt: [{ type: "text", text: script({ say: "Begun." }, { delay_ms: 60_000 }) }] },
      { cancellationSignal: stop.signal },
    );
    await editor.until(() => editor.spoken().includes("Begun."));
    stop.abort();
    expect(await turn).toEqual({ stopReason: "cancelled" });
  });

  it("tells how a turn ended", async () => {
    const editor = await open();
    const { sessionId } = await editor.newSession(app.place.workspace);
    expect(await editor.prompt(sessionId, script({ say: "No." }, { stop_reason: "refusal" }))).toEqual({
      stopReason: "refusal",
    });
    expect(await editor.prompt(sessionId, script({ say: "Much" }, { stop_reason: "max_tokens" }))).toEqual({
      stopReason: "max_tokens",
    });
    await expect(
      editor.prompt(sessionId, script({ error: { status: 400, message: "bad", times: 99 } })),
    ).rejects.toMatchObject({
      code: -32_603,
      data: { code: "model_error" },
    });
  });

  it("takes images, files and links", async () => {
    const editor = await open();
    const { sessionId } = await editor.newSession(app.place.workspace);
    const { stopReason } = await editor.prompt(sessionId, [
      { type: "text", text: script({ say: "Seen." }) },
      { type: "image", mimeType: "image/png", data: PIXEL },
      { type: "resource_link", uri: "file:///tmp/a%20b.txt", name: "a b.txt" },
      { type: "resource", resource: { uri: "file:///tmp/c.txt", text: "inside" } },
    ]);
    expect(stopReason).toBe("end_turn");
    const { events } = await app.client.events(sessionId);
    const started = events.find(({ type }) => type === "turn.started");
    expect(started).toMatchObject({
      prompt: {
        text: `${script({ say: "Seen." })}\n@/tmp/a b.txt\n@/tmp/c.txt`,
        attachments: [
          { type: "image", media_type: "image/png", data: PIXEL },
          { type: "text", text: "inside", name: "/tmp/c.txt" },
        ],
      },
    });
  });

  it.each([
    ["no words", [{ type: "text" as const, text: "  " }], "Empty prompt"],
    ["sound", [{ type: "audio" as const, mimeType: "audio/wav", data: "AAAA" }], "sound"],
    ["an image of another kind", [{ type: "image" as const, mimeType: "image/tiff", data: PIXEL }], "image/tiff"],
    ["an image that is no base64", [{ type: "image" as const, mimeType: "image/png", data: "§" }], "base64"],
    [
      "a file that is no text",
      [{ type: "resource" as const, resource: { uri: "file:///x", blob: "AAAA" } }],
      "not text",
    ],
  ])("refuses %s, and nothing happens", async (_what, blocks, words) => {
    const editor = await open();
    const { sessionId } = await editor.newSession(app.place.workspace);
    await expect(editor.prompt(sessionId, [...blocks])).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining(words) as unknown,
    });
    expect((await app.client.session(sessionId)).turns).toBe(0);
  });

  it("refuses sessions that are not there, folders that are not, and modes that are not", async () => {
    const editor = await open();
    const { agent } = editor.connection;
    await expect(editor.prompt("ses_none", "hi")).rejects.toMatchObject({ code: -32_002 });
    await expect(
      agent.request(methods.agent.session.load, { sessionId: "ses_none", cwd: "/", mcpServers: [] }),
    ).rejects.toMatchObject({ code: -32_002, data: { code: "not_found" } });
    await expect(editor.newSession("relative")).rejects.toMatchObject({ code: -32_602 });
    await expect(editor.newSession("/does/not/exist")).rejects.toMatchObject({ data: { code: "workspace_missing" } });
    const { sessionId } = await editor.newSession(app.place.workspace);
    await expect(agent.request(methods.agent.session.setMode, { sessionId, modeId: "wild" })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  it("switches the mode, and tells when somebody else did", async () => {
    const editor = await open();
    const { sessionId, modes } = await editor.newSession(app.place.workspace);
    expect(modes?.availableModes.map(({ id, name }) => `${id}: ${name}`)).toEqual([
      "default: Default",
      "sdk: Review & Approve (SDK)",
      "toolApproval: Review & Approve (CLI)",
      "acceptEdits: Accept Edits",
      "plan: Plan",
      "dontAsk: Don't Ask",
      "bypassPermissions: Auto Execute",
    ]);
    await editor.connection.agent.request(methods.agent.session.setMode, { sessionId, modeId: "bypassPermissions" });
    await editor.prompt(sessionId, script({ tool: "Bash", input: { command: "echo free" } }, { say: "end" }));
    expect(editor.asked).toEqual([]);
    await app.client.configure(sessionId, { permission_mode: "plan" });
    const modesTold = (): readonly unknown[] =>
      editor.updates.flatMap((update) =>
        update.sessionUpdate === "current_mode_update" ? [update.currentModeId] : [],
      );
    await editor.until(() => modesTold().length === 2);
    expect(modesTold()).toEqual(["bypassPermissions", "plan"]);
  });

  it("shows an agent's token its questions, and answers none of them", async () => {
    const { token } = await app.as("agent", "editor agent");
    const editor = await open({ token, permission: allow("allow_once") });
    const { sessionId } = await editor.newSession(app.place.workspace);
    const turn = editor.prompt(sessionId, script({ tool: "Bash", input: { command: "echo hi" } }, { say: "end" }));
    await editor.until(() => editor.spoken("agent_thought_chunk").includes("waits for somebody who may approve it"));
    const [approval] = (await app.client.approvals({ status: "pending", session_id: sessionId })).approvals;
    await app.client.decide(approval?.id ?? "", { decision: "reject", input_hash: approval?.input_hash ?? "" });
    expect(await turn).toEqual({ stopReason: "end_turn" });
    expect(editor.asked).toEqual([]);
    await expect(
      editor.connection.agent.request(methods.agent.session.setMode, { sessionId, modeId: "bypassPermissions" }),
    ).rejects.toMatchObject({ data: { code: "forbidden" } });
  });

  it("lists the sessions of a folder, goes on with one without its past, and closes it", async () => {
    const first = await open();
    const { sessionId } = await first.newSession(app.place.workspace);
    await first.prompt(sessionId, script({ say: "past" }));
    const editor = await open();
    const { agent } = editor.connection;
    const listed = await agent.request(methods.agent.session.list, { cwd: app.place.workspace });
    expect(listed.sessions.map((session) => session.sessionId)).toContain(sessionId);
    expect((await agent.request(methods.agent.session.list, { cwd: "/elsewhere" })).sessions).toEqual([]);
    await agent.request(methods.agent.session.resume, { sessionId, cwd: app.place.workspace, mcpServers: [] });
    expect(await editor.prompt(sessionId, script({ say: "present" }))).toEqual({ stopReason: "end_turn" });
    expect(editor.spoken()).toBe("present");
    await first.until(() => first.spoken() === "pastpresent");
    await agent.request(methods.agent.session.close, { sessionId });
    await expect(editor.prompt(sessionId, "hi")).rejects.toMatchObject({ code: -32_002 });
    expect((await app.client.session(sessionId)).status).toBe("idle");
  });
});
