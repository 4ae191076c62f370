import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { MountClient, type SallyportClient } from "../../src/client/index.ts";
import type { JournalEvent } from "../../src/protocol/index.ts";
import { Place } from "../cli/place.ts";
import { Editor } from "../e2e/acp/editor.ts";
import { openTestApp, script, type TestApp } from "../support/app.ts";
import { BridgeClient } from "./bridge-client.ts";
import { PageClient } from "./runtime-world.ts";

const SLOW = script({ stream: { tokens: 100_000, per_second: 100 } });
const NEXT = script({ say: "next" });
const WRITE = { tool: "Write", input: { file_path: "no.txt", content: "no\n" } };

/** Stopping never starts what waits: whatever the protocol calls it, and whoever sent what waits. */
describe("a stop starts nothing", () => {
  let app: TestApp;
  let mine: SallyportClient & { readonly token: string };
  beforeAll(async () => {
    app = await openTestApp();
    mine = await app.as("operator", "person");
  });
  afterAll(() => app[Symbol.asyncDispose]());

  /** Reads the journal until it has so many events of a type. */
  async function until(id: string, type: JournalEvent["type"], count: number): Promise<readonly JournalEvent[]> {
    const events: JournalEvent[] = [];
    for await (const frame of app.client.watch(id)) {
      if (!("seq" in frame)) continue;
      events.push(frame);
      if (events.filter((event) => event.type === type).length === count) return events;
    }
    throw new Error("the session has ended");
  }

  const other = async (id: string): Promise<string> => (await app.client.prompt(id, { text: NEXT })).turn_id;

  /** What began, how each turn ended, and what waits. */
  async function progress(id: string): Promise<unknown> {
    const [{ events }, { status, queue }] = [
      await app.client.events(id, { limit: 1_000 }),
      await app.client.session(id),
    ];
    return {
      status,
      begun: events.filter(({ type }) => type === "turn.started").length,
      ended: events.flatMap((event) => (event.type === "turn.failed" ? [event.error.code] : [])),
      queue: queue.map(({ turn_id, held }) => [turn_id, held]),
    };
  }

  function terminalSocket(id: string): { say: (message: object) => void; opened: Promise<unknown>; close: () => void } {
    const url = `${app.serving.url.replace("http", "ws")}/api/terminal/ws/agent`;
    const socket = new WebSocket(`${url}?token=${mine.token}&session_id=${id}`);
    const opened = new Promise((resolve) => {
      socket.once("open", resolve);
    });
    return { opened, say: (message) => socket.send(JSON.stringify(message)), close: () => socket.terminate() };
  }

  it("document 001's cancel: own prompts are removed, those of others held", async () => {
    const { id } = await mine.createSession({ prompt: { text: SLOW } });
    const held = await other(id);
    const socket = terminalSocket(id);
    await socket.opened;
    socket.say({ command: "run", prompt: NEXT });
    await until(id, "turn.queued", 2);
    socket.say({ command: "cancel" });
    await until(id, "turn.failed", 2);
    expect(await progress(id)).toEqual({
      status: "idle",
      begun: 1,
      ended: ["aborted", "aborted"],
      queue: [[held, true]],
    });
    socket.close();
  });

  it("document 001's rejection with interrupt: the same", async () => {
    const { id } = await mine.createSession({ prompt: { text: script(WRITE, { say: "On." }) } });
    const asked = (await until(id, "approval.requested", 1)).at(-1);
    const held = await other(id);
    const socket = terminalSocket(id);
    await socket.opened;
    socket.say({ command: "run", prompt: NEXT });
    await until(id, "turn.queued", 2);
    if (asked?.type !== "approval.requested") throw new Error("nothing was asked");
    socket.say({
      command: "tool_approval_response",
      request_id: asked.approval.id,
      approved: false,
      interrupt: true,
    });
    const ended = (await until(id, "turn.failed", 2)).flatMap((event) =>
      event.type === "turn.failed" ? [event.error.code] : [],
    );
    expect(ended.toSorted()).toEqual(["aborted", "rejected_and_stopped"]);
    expect(await progress(id)).toMatchObject({ status: "idle", begun: 1, queue: [[held, true]] });
    socket.close();
  });

  it("document 002's run.abort: own prompts are removed, those of others held", async () => {
    const { id } = await mine.createSession({ prompt: { text: SLOW } });
    const held = await other(id);
    const client = new BridgeClient(app, { token: mine.token });
    await client.say({ control: "run.submit", text: NEXT, resumeId: id });
    await until(id, "turn.queued", 2);
    await client.say({ control: "run.abort", threadId: id });
    await until(id, "turn.failed", 2);
    expect(await progress(id)).toEqual({
      status: "idle",
      begun: 1,
      ended: ["aborted", "aborted"],
      queue: [[held, true]],
    });
    client.close();
  });

  it("document 000's abort: each message is told so; what others sent is held", async () => {
    const page = new PageClient(app.serving.url, mine.token);
    await page.opened;
    page.ask("stops", SLOW);
    await page.next("chunk");
    const [session] = (await mine.sessions({ limit: 1 })).sessions;
    const id = session?.id ?? "";
    const held = await other(id);
    page.ask("stops", NEXT);
    await page.next("queued");
    page.say({ type: "abort", sessionId: "stops" });
    await page.next("aborted");
    await page.next("aborted");
    expect(await progress(id)).toEqual({ status: "idle", begun: 1, ended: ["aborted"], queue: [[held, true]] });
    await page.close();
  });

  it("document 000's abort of a message behind somebody else's turn: that turn goes on", async () => {
    const page = new PageClient(app.serving.url, mine.token);
    await page.opened;
    page.ask("behind", NEXT);
    await page.next("final");
    const [session] = (await mine.sessions({ limit: 1 })).sessions;
    const id = session?.id ?? "";
    const open = (await app.client.prompt(id, { text: SLOW })).turn_id;
    page.ask("behind", NEXT);
    await page.next("queued");
    await until(id, "turn.queued", 1);
    page.say({ type: "abort", sessionId: "behind" });
    await page.next("aborted");
    expect(await progress(id)).toEqual({ status: "working", begun: 2, ended: ["aborted"], queue: [] });
    expect((await app.client.session(id)).turn_id).toBe(open);
    await app.client.interrupt(id);
    await page.close();
  });

  it("document 003's interrupt holds all; resume lets them begin", async () => {
    const { id } = await mine.createSession({ prompt: { text: SLOW } });
    const held = [await other(id), (await mine.prompt(id, { text: NEXT })).turn_id];
    const mount = new MountClient({ url: app.serving.url, token: mine.token });
    await mount.write(`/claude/sessions/${id}/ctl`, "interrupt");
    await until(id, "turn.failed", 1);
    expect(await progress(id)).toEqual({
      status: "idle",
      begun: 1,
      ended: ["aborted"],
      queue: held.map((turn) => [turn, true]),
    });
    await mount.write(`/claude/sessions/${id}/ctl`, "resume");
    await until(id, "turn.completed", 2);
  });

  it("an editor's session/cancel: each of its prompts ends with cancelled, those of others are held", async () => {
    const editor = await Editor.open({
      words: ["--server", app.serving.url, "--token", mine.token, "acp"],
      folder: app.place.workspace,
    });
    const { sessionId: id } = await editor.newSession(app.place.workspace);
    const first = editor.prompt(id, SLOW);
    await until(id, "turn.started", 1);
    const held = await other(id);
    const second = editor.prompt(id, NEXT);
    await until(id, "turn.queued", 2);
    await editor.cancel(id);
    expect([await first, await second]).toMatchObject([{ stopReason: "cancelled" }, { stopReason: "cancelled" }]);
    expect(await progress(id)).toEqual({
      status: "idle",
      begun: 1,
      ended: ["aborted", "aborted"],
      queue: [[held, true]],
    });
    await editor.leave();
  });

  it("Ctrl-C of sallyport run holds what waits behind its turn", async () => {
    await using place = new Place();
    const words = ["--server", app.serving.url, "--token", mine.token, "run", "--json"];
    const { id } = await mine.createSession({});
    const running = place.start([...words, "--resume", id, SLOW]);
    await running.reads('"turn.started"');
    const held = await other(id);
    running.signal("SIGINT");
    expect((await running.ended).code).toBe(130);
    expect(await progress(id)).toEqual({ status: "idle", begun: 1, ended: ["aborted"], queue: [[held, true]] });
  });

  it("Ctrl-C of sallyport run that still waits takes out its own prompt and ends nobody else's turn", async () => {
    await using place = new Place();
    const { id, turn_id } = await app.client.createSession({ prompt: { text: SLOW } });
    const words = ["--server", app.serving.url, "--token", mine.token, "run", "--json", "--resume", id, NEXT];
    const running = place.start(words);
    await running.reads('"turn.queued"');
    running.signal("SIGINT");
    expect((await running.ended).code).toBe(130);
    expect(await progress(id)).toEqual({ status: "working", begun: 1, ended: ["aborted"], queue: [] });
    expect((await app.client.session(id)).turn_id).toBe(turn_id);
    await app.client.interrupt(id);
  });

  it("sallyport approve --reject --stop holds what waits", async () => {
    await using place = new Place();
    const { id } = await mine.createSession({ prompt: { text: script(WRITE, { say: "On." }) } });
    const asked = (await until(id, "approval.requested", 1)).at(-1);
    if (asked?.type !== "approval.requested") throw new Error("nothing was asked");
    const held = await other(id);
    const words = ["--server", app.serving.url, "--token", mine.token, "approve", asked.approval.id];
    expect(await place.run([...words, "--reject", "--stop"])).toMatchObject({ code: 0 });
    await until(id, "turn.failed", 1);
    expect(await progress(id)).toEqual({
      status: "idle",
      begun: 1,
      ended: ["rejected_and_stopped"],
      queue: [[held, true]],
    });
  });
});
