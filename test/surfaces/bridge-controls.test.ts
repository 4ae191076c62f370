import { mkdir, realpath } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { BRIDGE_CONTROLS } from "../../src/protocol/index.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { BridgeClient, threadOf, type Row } from "./bridge-client.ts";

let app: TestApp;
let client: BridgeClient;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());
beforeEach(() => {
  client = new BridgeClient(app);
});
afterEach(() => client.close());

async function run(text: string, more: object = {}): Promise<string> {
  await client.submit(script({ say: text }), more);
  const rows = await client.turn();
  expect(rows.at(-1)?.type).toBe("turn.completed");
  return client.thread;
}

describe("controls that are wrong", () => {
  const unknown = (what: string): RegExp =>
    new RegExp(`^Unknown control: ${what}\\. There are: ${BRIDGE_CONTROLS.join(", ")}$`);

  it.each<[string, unknown, RegExp]>([
    ["no JSON", "{", /^Invalid JSON: /],
    ["two objects in one message", '{"control":"bridge.status"}\n{"control":"bridge.status"}', /^Invalid JSON: /],
    ["binary", Buffer.from('{"control":"bridge.status"}'), /^Invalid JSON: send text/],
    ["too deep", "[".repeat(5_000), /^JSON may nest/],
    ["no object", "[]", unknown("undefined")],
    ["null", "null", unknown("undefined")],
    ["a plain prompt", '"hello"', unknown("undefined")],
    ["no control", { type: "run.submit", text: "x" }, unknown("undefined")],
    ["a control that is no word", { control: 7 }, unknown("number")],
    ["an unknown control", { control: "fly", text: "x" }, unknown("fly")],
    ["no text", { control: "run.submit" }, /^run\.submit: text: /],
    ["an empty text", { control: "run.submit", text: " \n" }, /^run\.submit: text: Empty prompt$/],
    ["a text that is none", { control: "run.submit", text: { a: 1 } }, /^run\.submit: text: /],
    ["an unknown provider", { control: "run.submit", text: "x", provider: "grok" }, /^run\.submit: provider: /],
    ["an empty cwd", { control: "run.submit", text: "x", cwd: "" }, /^run\.submit: cwd: /],
    ["a resumeId that is no text", { control: "run.submit", text: "x", resumeId: 5 }, /^run\.submit: resumeId: /],
    ["a selection of nothing", { control: "provider.select" }, /^provider\.select: provider: /],
    ["an unknown style", { control: "options.select", outputStyle: "baroque" }, /^options\.select: outputStyle: /],
    [
      "an answer without its hash",
      { control: "approval.answer", approvalId: "apr_1", decision: "approve" },
      /^approval\.answer: inputHash: /,
    ],
    [
      "an answer that is none",
      { control: "approval.answer", approvalId: "apr_1", inputHash: "x", decision: "maybe" },
      /^approval\.answer: decision: /,
    ],
    ["an unknown mapping", { control: "mapping.select", mapping: "poor" }, /^mapping\.select: mapping: /],
    ["a session that is no text", { control: "claude.session.resume", sessionId: 1 }, /^claude\.session\.resume: /],
  ])("%s: a typed error, and nothing happens", async (_, message, text) => {
    const [sessions, before] = [await app.client.sessions({ limit: 1_000 }), await client.status()];
    expect(await client.refusal(message)).toEqual({
      type: "error",
      message: expect.stringMatching(text),
      code: "invalid_request",
    });
    expect(await client.status()).toEqual(before);
    expect(await app.client.sessions({ limit: 1_000 })).toEqual(sessions);
  });

  it.each<[string, object, string, RegExp]>([
    [
      "a thread that is not there",
      { control: "run.submit", text: "x", resumeId: "ses_none" },
      "not_found",
      /^there is no session ses_none$/,
    ],
    [
      "a session that is not there",
      { control: "claude.session.resume", sessionId: "ses_none" },
      "not_found",
      /^there is no session ses_none$/,
    ],
    [
      "a folder that is not there",
      { control: "run.submit", text: "x", cwd: "/nowhere/at/all" },
      "workspace_missing",
      /does not exist/,
    ],
    [
      "an answer to nothing",
      { control: "approval.answer", approvalId: "apr_none", inputHash: "x", decision: "approve" },
      "not_found",
      /^there is no approval apr_none$/,
    ],
    ["an abort of nothing", { control: "run.abort" }, "not_found", /^nothing runs$/],
    ["an abort elsewhere", { control: "run.abort", threadId: "ses_none" }, "not_found", /^there is no session/],
    [
      "codex, which is not here",
      { control: "run.submit", text: "x", provider: "codex" },
      "unsupported",
      /^codex cannot be used here: .* Or select another provider: claude$/,
    ],
    [
      "an engine that is not here",
      { control: "run.submit", text: "x", engine: "abacus" },
      "unsupported",
      /^there is no engine abacus/,
    ],
    [
      "opencode, which is not here",
      { control: "provider.select", provider: "opencode" },
      "unsupported",
      /^opencode cannot be used here: .* Or select another provider: claude$/,
    ],
  ])("%s: says so", async (_, message, code, text) => {
    const [sessions, before] = [await app.client.sessions({ limit: 1_000 }), await client.status()];
    expect(await client.refusal(message)).toEqual({ type: "error", message: expect.stringMatching(text), code });
    expect(await client.status()).toEqual(before);
    expect(await app.client.sessions({ limit: 1_000 })).toEqual(sessions);
  });

  it("takes a client with an unknown mapping, and says so", async () => {
    const odd = new BridgeClient(app, { query: "replay=off&mapping=poor" });
    expect((await odd.until("error")).at(-1)).toEqual({
      type: "error",
      message: "mapping: compat or rich or codex",
      code: "invalid_request",
    });
    expect((await odd.status())["mapping"]).toBe("compat");
    odd.close();
  });
});

describe("run.submit", () => {
  it("starts a new session each time, in the folder that is named, with fields of older clients left alone", async () => {
    const inner = join(app.place.workspace, "inner");
    await mkdir(inner);
    const first = await run("a", { threadDocId: "doc", projectId: "p" });
    const second = await run("b", { cwd: inner, provider: "claude", model: "sim" });
    expect(first).not.toBe(second);
    const [one, two] = await Promise.all([app.client.session(first), app.client.session(second)]);
    expect([one.settings.workspace, two.settings.workspace]).toEqual([
      await realpath(app.place.workspace),
      await realpath(inner),
    ]);
    expect(one.settings.metadata).toEqual({ surface: "thread" });
    expect([one.turns, two.turns]).toEqual([1, 1]);
  });

  it("goes on with a session by its id, by `last`, or with a new one", async () => {
    const first = await run("a");
    const second = await run("b");
    expect(await run("c", { resumeId: first })).toBe(first);
    expect(await run("d", { resumeId: "last" })).toBe(first);
    expect(await run("e", { resumeId: second, provider: "claude" })).toBe(second);
    for (const resumeId of ["new", "none"]) expect([first, second]).not.toContain(await run("f", { resumeId }));
    expect((await app.client.session(first)).turns).toBe(3);
    // Another socket of the same caller has the same newest thread.
    const newest = await run("g");
    const other = new BridgeClient(app);
    await other.submit(script({ say: "h" }), { resumeId: "last" });
    expect(threadOf(await other.turn())).toBe(newest);
    other.close();
  });

  it("finds the last thread of a folder", async () => {
    const folder = await realpath(app.place.workspace);
    const inner = join(folder, "project");
    await mkdir(inner);
    const there = await run("a", { cwd: inner });
    const here = await run("b");
    expect(await run("c", { resumeId: "last", cwd: inner })).toBe(there);
    expect(await run("d", { resumeId: "last", cwd: folder })).toBe(here);
  });

  it("does not go on with a session of another agent", async () => {
    const id = await run("a");
    for (const other of [{ provider: "codex" }, { engine: "abacus" }]) {
      expect(await client.refusal({ control: "run.submit", text: "x", resumeId: id, ...other })).toEqual({
        type: "error",
        message: `session ${id} runs on loop, not on ${Object.values(other)[0]}: leave that out, or start a new run`,
        code: "conflict",
      });
    }
    expect((await app.client.session(id)).turns).toBe(1);
  });

  it("goes on with a session that was closed as a fork of it", async () => {
    const closed = await run("a");
    await app.client.control(closed, "close");
    await client.say({ control: "claude.session.resume", sessionId: closed });
    const fork = await run("b");
    expect(fork).not.toBe(closed);
    expect((await app.client.session(fork)).forked_from?.session_id).toBe(closed);
    expect(await run("c")).toBe(fork);
  });

  it("does nothing twice for the same idempotencyKey", async () => {
    const text = script({ say: "once" });
    await client.submit(text, { idempotencyKey: "k1" });
    const id = threadOf(await client.turn());
    await client.submit(text, { idempotencyKey: "k1" });
    expect((await client.status())["last_thread_id"]).toBe(id);
    expect((await app.client.session(id)).turns).toBe(1);
  });
});

describe("claude.session.resume", () => {
  it("carries the context over until it is switched off", async () => {
    const first = await run("a");
    await client.say({ control: "claude.session.resume", sessionId: first });
    expect((await client.until("bridge.status")).at(-1)).toMatchObject({ resume: first });
    expect(await run("b")).toBe(first);
    const other = await run("c", { resumeId: "new" });
    expect(other).not.toBe(first);
    expect(await run("d")).toBe(first);
    await client.say({ control: "claude.session.resume" });
    expect((await client.until("bridge.status")).at(-1)).toMatchObject({ resume: "last" });
    expect(await run("e")).toBe(first);
    for (const sessionId of [null, "none", "new"]) {
      await client.say({ control: "claude.session.resume", sessionId });
      expect((await client.until("bridge.status")).at(-1)).toMatchObject({ resume: "none" });
    }
    expect(await run("f")).not.toBe(first);
  });

  it("`last` starts a new one where there is none yet", async () => {
    const fresh = await app.as("agent", "fresh");
    const agent = new BridgeClient(app, { token: fresh.token });
    await agent.say({ control: "claude.session.resume" });
    await agent.submit(script({ say: "a" }));
    const id = threadOf(await agent.turn());
    await agent.submit(script({ say: "b" }));
    await agent.turn();
    expect(agent.thread).toBe(id);
    agent.close();
  });
});

describe("run.abort", () => {
  const long = script({ stream: { tokens: 100_000, per_second: 500 } });

  it("ends the newest run of this socket, at once after it was submitted", async () => {
    await client.submit(long);
    const first = threadOf(await client.until("turn.started"));
    await client.submit(long);
    await client.say({ control: "run.abort" });
    const rows = await client.until("turn.failed");
    const second = rows.findLast(({ type }) => type === "thread.started")?.["thread_id"];
    expect(second).not.toBe(first);
    expect((await app.client.session(String(second))).status).toBe("idle");
    expect(await client.status()).toMatchObject({ running: [first], last_thread_id: second });
    await client.say({ control: "run.abort" });
    await client.until("turn.failed");
    expect(await client.refusal({ control: "run.abort" })).toMatchObject({ code: "not_found" });
  });

  it("ends the only open run for a socket that submitted none, and wants a name where there are several", async () => {
    const other = new BridgeClient(app);
    await client.status();
    await other.submit(long);
    const one = threadOf(await client.until("turn.started"));
    await client.say({ control: "run.abort" });
    expect((await other.turn()).at(-1)).toEqual({ type: "turn.failed", error: { message: "aborted" } });
    await client.turn();
    await other.submit(long);
    await other.submit(long);
    const two = threadOf(await client.until("turn.started"));
    const three = threadOf(await client.until("turn.started"));
    expect(await client.refusal({ control: "run.abort" })).toMatchObject({
      code: "conflict",
      message: expect.stringContaining(`${two}, ${three}`),
    });
    for (const threadId of [two, three]) {
      await client.say({ control: "run.abort", threadId });
      await client.until("turn.failed");
    }
    expect(await client.refusal({ control: "run.abort", threadId: one })).toMatchObject({
      code: "not_found",
      message: `nothing runs in thread ${one}`,
    });
    other.close();
  });
});

describe("selections", () => {
  it("tells how things stand", async () => {
    expect(await client.status()).toEqual({
      type: "bridge.status",
      provider: "claude",
      providers: { codex: null, opencode: null, claude: expect.any(String) },
      mapping: "compat",
      model: null,
      output_style: "default",
      verbosity: "normal",
      resume: "none",
      last_thread_id: null,
      running: [],
      cwd: app.place.workspace,
    });
    await client.say({ control: "provider.select", provider: "claude" });
    expect((await client.until("bridge.status")).at(-1)).toMatchObject({ provider: "claude" });
  });

  it("changes the mapping from the next turn on", async () => {
    await client.submit(script({ tool: "Bash", input: { command: "true" } }, { say: "end" }));
    const id = threadOf(await client.until("item.started"));
    await client.say({ control: "mapping.select", mapping: "rich" });
    await client.until("bridge.status");
    await client.say({ control: "run.abort" });
    expect((await client.turn()).at(-1)).toEqual({ type: "turn.failed", error: { message: "aborted" } });
    await client.submit(script({ say: "rich" }), { resumeId: id });
    const rows = await client.turn();
    expect(rows[1]).toMatchObject({ type: "turn.started", turn_id: expect.any(String) });
    expect(rows.at(-1)).toMatchObject({ type: "turn.completed", cost_microusd: 0 } satisfies Partial<Row>);
  });
});
