import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isToolItem, LIMITS, outputText, type JournalEvent } from "../../src/protocol/index.ts";
import { script, untilTurnEnds } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";
import {
  journalOf,
  openRuntimeApp,
  PageClient,
  sessionOf,
  TestClock,
  withoutChunks,
  type Message,
  type RuntimeApp,
} from "./runtime-world.ts";

let app: RuntimeApp;
let clock: TestClock;
beforeAll(async () => {
  clock = new TestClock();
  app = await openRuntimeApp({ clock });
});
afterAll(() => app[Symbol.asyncDispose]());

const open = async (token?: string): Promise<PageClient> => {
  const page = new PageClient(app.url, token);
  await page.opened;
  return page;
};

const TABLE = { context: { viewType: "TableView" } };
const VIEWER = { tool: "mcp__datagrok__add_viewer", input: { viewerType: "Grid", viewerProperties: {} } };
const LOOK = { tool: "mcp__datagrok__list_current_viewers", input: {} };

function results(events: readonly JournalEvent[]): readonly (readonly [string, string])[] {
  return events.flatMap((event) =>
    event.type === "item.completed" && isToolItem(event.item)
      ? [[event.item.status, outputText(event.item.output ?? [])] as const]
      : [],
  );
}

/** Says its last words only after everything that the server has to say so far has arrived. */
async function nothingElse(page: PageClient): Promise<void> {
  page.say({ type: "abort", sessionId: "nobody" });
  expect(await page.until("aborted")).toEqual([{ type: "aborted", sessionId: "nobody", note: "No running query" }]);
}

describe("a call that the page does not answer", () => {
  it("ends after 30 seconds, and the model reads so", async () => {
    const page = await open();
    page.ask("late", script(VIEWER, { say: "ok" }), TABLE);
    const call = await page.next("tool_execute");
    clock.pass(LIMITS.pageToolMs - 1);
    await nothingElse(page);
    clock.pass(1);
    const messages = await page.until("final");
    const error = "Error: browser did not respond to add_viewer within 30s";
    expect(messages.find(({ type }) => type === "tool_use")).toMatchObject({ status: "failed", error });
    expect(results(await journalOf(app, "late"))).toEqual([["failed", error]]);
    // An answer that comes now is nobody's.
    page.say({ type: "tool_result", callId: call["callId"], result: "late" });
    await nothingElse(page);
    await page.close();
  });

  it("ends after the time that was configured", async () => {
    await using quick = await openRuntimeApp({ toolMs: 30 });
    const page = new PageClient(quick.url);
    await page.opened;
    page.ask("quick", script(LOOK, { say: "ok" }), TABLE);
    await page.next("final");
    expect(results(await journalOf(quick, "quick"))).toEqual([
      ["failed", "Error: browser did not respond to list_current_viewers within 0.03s"],
    ]);
    await page.close();
  });

  it("ends when the page is gone, as does every later call of the turn", async () => {
    const page = await open();
    page.ask("gone", script({ tools: [LOOK, LOOK] }, VIEWER, { say: "ok" }), TABLE);
    await page.next("tool_execute");
    await page.next("tool_execute");
    const { id } = await sessionOf(app, "gone");
    page.socket.terminate();
    const events = await untilTurnEnds(app.client, id);
    const error = ["failed", "Error: WebSocket disconnected"];
    expect([results(events), events.at(-1)?.type]).toEqual([[error, error, error], "turn.completed"]);
    expect(await app.tools(id)).toEqual(["Glob", "Grep", "Read", "WebFetch"]);
  });

  it("is not answered by another page", async () => {
    const [owner, other] = [await open(), await open()];
    owner.ask("mine", script(LOOK, { say: "ok" }), TABLE);
    const call = await owner.next("tool_execute");
    other.say({ type: "tool_result", callId: call["callId"], result: "injected" });
    await nothingElse(other);
    owner.say({ type: "tool_result", callId: call["callId"], result: "mine" });
    owner.say({ type: "tool_result", callId: call["callId"], result: "again" });
    await owner.next("final");
    expect(results(await journalOf(app, "mine"))).toEqual([["completed", "mine"]]);
    await owner.close();
    await other.close();
  });
});

describe("a second message of the same session", () => {
  it("waits, is told so, and runs with its own tools when the first has ended", async () => {
    const page = await open();
    page.ask("queue", script(LOOK, { say: "one" }), TABLE);
    await page.next("tool_execute");
    page.ask("queue", script(LOOK, { say: "two" }));
    expect(await page.next("queued")).toEqual({ type: "queued", sessionId: "queue" });
    clock.pass(LIMITS.pageToolMs);
    // So the first call's time is over.
    expect(await page.next("final")).toMatchObject({ sessionId: "queue", content: "one" });
    expect(await page.next("final")).toMatchObject({ sessionId: "queue", content: "two" });
    expect(results(await journalOf(app, "queue"))).toEqual([
      ["failed", "Error: browser did not respond to list_current_viewers within 30s"],
      ["failed", "Unknown tool: mcp__datagrok__list_current_viewers"],
    ]);
    await page.close();
  });

  it("is told again after 60 seconds, as often as it takes", async () => {
    const page = await open();
    page.ask("minutes", script({ stream: { tokens: 100_000, per_second: 200 } }));
    await page.next("chunk");
    page.ask("minutes", "next");
    await page.next("queued");
    for (let minute = 0; minute < 3; minute += 1) {
      clock.pass(LIMITS.runtimeQueuedMs - 1);
      await nothingElseBut(page, "chunk");
      clock.pass(1);
      expect(await page.next("queued")).toEqual({ type: "queued", sessionId: "minutes" });
    }
    page.say({ type: "abort", sessionId: "minutes" });
    await page.next("aborted");
    await page.next("aborted");
    const before = clock.alarms;
    clock.pass(LIMITS.runtimeQueuedMs);
    await nothingElseBut(page, "chunk");
    expect(before).toBe(0);
    await page.close();
  });

  it("waits for another socket's message, too", async () => {
    const [first, second] = [await open(), await open()];
    first.ask("shared", script(LOOK, { say: "one" }), TABLE);
    const call = await first.next("tool_execute");
    second.ask("shared", script(LOOK, { say: "two" }), TABLE);
    await second.next("queued");
    first.say({ type: "tool_result", callId: call["callId"], result: "first" });
    await first.next("final");
    const later = await second.next("tool_execute");
    second.say({ type: "tool_result", callId: later["callId"], result: "second" });
    expect(withoutChunks(await second.until("final")).at(-1)).toMatchObject({ content: "two" });
    expect(results(await journalOf(app, "shared"))).toEqual([
      ["completed", "first"],
      ["completed", "second"],
    ]);
    expect(first.heard.filter(({ type }) => type !== "chunk")).toEqual([]);
    await first.close();
    await second.close();
  });

  it("is dropped when its page leaves before it began", async () => {
    const [first, second] = [await open(), await open()];
    first.ask("left", script(LOOK, { say: "one" }), TABLE);
    const call = await first.next("tool_execute");
    second.ask("left", script({ say: "two" }));
    await second.next("queued");
    await second.close();
    first.ask("left", script({ say: "three" }));
    await first.next("queued");
    first.say({ type: "tool_result", callId: call["callId"], result: "x" });
    expect(await first.next("final")).toMatchObject({ content: "one" });
    expect(await first.next("final")).toMatchObject({ content: "three" });
    expect((await sessionOf(app, "left")).turns).toBe(2);
    await first.close();
  });

  it("waits behind a prompt that came in another way", async () => {
    const page = await open();
    page.ask("rest", script({ say: "one" }));
    await page.next("final");
    const { id } = await sessionOf(app, "rest");
    await app.client.control(id, "pause");
    page.ask("rest", script({ say: "two" }));
    await page.next("queued");
    clock.pass(LIMITS.runtimeQueuedMs);
    await page.next("queued");
    await app.client.control(id, "resume");
    expect(await page.next("final")).toMatchObject({ content: "two" });
    expect(clock.alarms).toBe(0);
    await page.close();
  });

  it("is refused when too many wait", async () => {
    const page = await open();
    page.ask("flood", script(LOOK, { say: "one" }), TABLE);
    await page.next("tool_execute");
    for (let count = 0; count < LIMITS.runtimePromptsPerSocket; count += 1) page.ask("flood", "next");
    expect(await page.next("error")).toMatchObject({ sessionId: "flood", code: "queue_full" });
    page.say({ type: "abort", sessionId: "flood" });
    for (let count = 0; count < LIMITS.runtimePromptsPerSocket; count += 1) await page.next("aborted");
    page.ask("flood", script({ say: "again" }));
    await page.next("final");
    await page.close();
  });
});

/** The same where a stream goes on. */
async function nothingElseBut(page: PageClient, but: string): Promise<void> {
  page.say({ type: "abort", sessionId: "nobody" });
  const messages = (await page.until("aborted")).filter(({ type }) => type !== but);
  expect(messages).toEqual([{ type: "aborted", sessionId: "nobody", note: "No running query" }]);
}

describe("abort", () => {
  it.each<[string, string, readonly object[]]>([
    ["in the middle of the text", "chunk", [{ stream: { tokens: 100_000, per_second: 200 } }]],
    ["in the middle of a call", "tool_execute", [VIEWER, { say: "never" }]],
  ])("%s ends the turn at once, and the next message goes on", async (name, at, steps) => {
    const page = await open();
    page.ask(`abort ${name}`, script(...steps), TABLE);
    await page.next(at);
    page.say({ type: "abort", sessionId: `abort ${name}` });
    const messages = await page.until("aborted");
    expect(messages.at(-1)).toEqual({ type: "aborted", sessionId: `abort ${name}` });
    page.ask(`abort ${name}`, script({ say: "on" }));
    expect(await page.next("final")).toMatchObject({ content: "on" });
    const { turns, status } = await sessionOf(app, `abort ${name}`);
    expect([turns, status]).toEqual([2, "idle"]);
    await page.close();
  });

  it("right after the message ends it wherever it is, with one answer", async () => {
    const page = await open();
    for (let round = 0; round < 10; round += 1) {
      page.ask("at once", script({ stream: { tokens: 100_000, per_second: 200 } }));
      page.say({ type: "abort", sessionId: "at once" });
      expect((await page.until("aborted", "final", "error")).at(-1)).toEqual({ type: "aborted", sessionId: "at once" });
    }
    await nothingElse(page);
    page.ask("at once", script({ say: "on" }));
    expect(await page.next("final")).toMatchObject({ content: "on" });
    await page.close();
  });

  it("ends what runs and what waits, and each message gets its own answer", async () => {
    const page = await open();
    page.ask("all", script(VIEWER, { say: "never" }), TABLE);
    await page.next("tool_execute");
    page.ask("all", "second");
    page.ask("all", "third");
    await page.next("queued");
    await page.next("queued");
    page.say({ type: "abort", sessionId: "all" });
    const ended = [await page.next("aborted"), await page.next("aborted"), await page.next("aborted")];
    expect(ended).toEqual(ended.map(() => ({ type: "aborted", sessionId: "all" })));
    await nothingElse(page);
    expect((await sessionOf(app, "all")).turns).toBe(1);
    await page.close();
  });

  it("from another socket of the same principal ends it, too; a stranger's does not", async () => {
    const [page, other] = [await open(), await open()];
    const stranger = await open(await app.as("operator", "stranger"));
    page.ask("theirs", script(VIEWER, { say: "never" }), TABLE);
    await page.next("tool_execute");
    stranger.say({ type: "abort", sessionId: "theirs" });
    expect(await stranger.next("aborted")).toMatchObject({ note: "No running query" });
    await nothingElse(page);
    other.say({ type: "abort", sessionId: "theirs" });
    expect(await other.next("aborted")).toEqual({ type: "aborted", sessionId: "theirs", note: "Stopped" });
    expect(await page.next("aborted")).toEqual({ type: "aborted", sessionId: "theirs" });
    for (const client of [page, other, stranger]) await client.close();
  });
});

describe("a new chat", () => {
  it.each(["new_chat", "session.clear"])("by %s begins a new session under the same name", async (type) => {
    const page = await open();
    page.ask(type, script({ say: "one" }));
    await page.next("final");
    const before = await sessionOf(app, type);
    page.say({ type, sessionId: type });
    page.ask(type, script({ say: "two" }));
    expect(withoutChunks(await page.until("final"))).toEqual([
      { type: "queued", sessionId: type },
      { type: "session_reset", sessionId: type, reason: "new_chat" },
      expect.objectContaining({ type: "final", content: "two" }),
    ]);
    const after = await sessionOf(app, type);
    expect([after.id === before.id, after.turns, (await app.client.session(before.id)).status]).toEqual([
      false,
      1,
      "complete",
    ]);
    await page.close();
  });

  it("ends what runs and what waits; of an unknown session it changes nothing", async () => {
    const page = await open();
    page.say({ type: "new_chat", sessionId: "busy" });
    expect(await page.next("session_reset")).toEqual({ type: "session_reset", sessionId: "busy", reason: "new_chat" });
    page.ask("busy", script(VIEWER, { say: "never" }), TABLE);
    await page.next("tool_execute");
    page.ask("busy", "second");
    page.say({ type: "new_chat", sessionId: "busy" });
    const messages: readonly Message[] = withoutChunks(await page.until("session_reset"));
    expect(messages.map(({ type }) => type).toSorted()).toEqual([
      "aborted",
      "aborted",
      "queued",
      "session_reset",
      "tool_use",
    ]);
    await page.close();
  });
});

describe("questions", () => {
  it("are shown to the page, and its answer decides", async () => {
    await using asking = await openRuntimeApp();
    const { profiles } = await asking.client.policy();
    const server = { ...profiles["server"], ask: ["mcp__datagrok__add_viewer"] };
    await asking.client.setPolicy({ default_profile: "full", profiles: { server } });
    const page = new PageClient(asking.url, TEST_TOKEN, { add_viewer: (args) => `added ${JSON.stringify(args)}` });
    await page.opened;
    const turn = script(VIEWER, { say: "ok" });
    const input = VIEWER.input;
    page.ask("ask", turn, TABLE);
    const request = await page.next("approval_request");
    expect(request).toMatchObject({
      sessionId: "ask",
      toolName: "add_viewer",
      input,
      preview_type: "generic",
      tier: "page",
      reason: "The policy asks about mcp__datagrok__add_viewer.",
    });
    page.say({ type: "input_response", sessionId: "ask", requestId: request["requestId"], value: true });
    expect(await page.next("approval_resolved")).toEqual({
      type: "approval_resolved",
      sessionId: "ask",
      requestId: request["requestId"],
      status: "approved",
    });
    await page.next("final");
    // Without a name it is the oldest question; other words than yes are the reason of a no.
    page.ask("ask", turn, TABLE);
    await page.next("approval_request");
    page.say({ type: "input_response", sessionId: "ask", value: "use a histogram" });
    await page.next("final");
    page.ask("ask", turn, TABLE);
    await page.next("approval_request");
    const edited = { viewerType: "Form", viewerProperties: {} };
    page.say({ type: "input_response", sessionId: "ask", value: { approved: true, updated_input: edited } });
    await page.next("final");
    page.ask("ask", turn, TABLE);
    await page.next("approval_request");
    page.say({
      type: "input_response",
      sessionId: "ask",
      value: { approved: false, feedback: "stop", interrupt: true },
    });
    expect(await page.next("aborted")).toMatchObject({ sessionId: "ask", note: "User rejected: stop" });
    expect(results(await journalOf(asking, "ask"))).toEqual([
      ["completed", `added ${JSON.stringify(input)}`],
      ["declined", "User rejected: use a histogram"],
      ["completed", `added ${JSON.stringify(edited)}`],
      ["declined", "User rejected: stop"],
    ]);
    await page.close();
  });

  it("are not answered by who may not, nor over another session", async () => {
    await using asking = await openRuntimeApp();
    const { profiles } = await asking.client.policy();
    const server = { ...profiles["server"], ask: ["mcp__datagrok__*"] };
    await asking.client.setPolicy({ default_profile: "full", profiles: { server } });
    const { token } = await asking.client.createToken({ role: "agent", name: "agent", profile: "server" });
    const agent = new PageClient(asking.url, token, { list_current_viewers: () => "none" });
    const admin = new PageClient(asking.url);
    await Promise.all([agent.opened, admin.opened]);
    agent.ask("own", script(LOOK, { say: "ok" }), TABLE);
    const { requestId } = await agent.next("approval_request");
    agent.say({ type: "input_response", sessionId: "own", requestId, value: true });
    expect(await agent.next("error")).toMatchObject({ sessionId: "own", code: "forbidden" });
    admin.say({ type: "input_response", sessionId: "own", requestId, value: true });
    expect(await admin.next("error")).toMatchObject({ sessionId: "own", code: "not_found" });
    const { input_hash } = await asking.client.approval(String(requestId));
    await asking.client.decide(String(requestId), { decision: "approve", input_hash });
    await agent.next("final");
    await agent.close();
    await admin.close();
  });

  it("of the model itself are answered with the answers", async () => {
    await using asking = await openRuntimeApp();
    const { profiles } = await asking.client.policy();
    const server = { ...profiles["server"], tools: ["AskUserQuestion"] };
    await asking.client.setPolicy({ default_profile: "full", profiles: { server } });
    const page = new PageClient(asking.url);
    await page.opened;
    const option = (label: string): object => ({ label, description: label });
    const question = {
      question: "Which chart?",
      header: "Chart",
      options: [option("Bar"), option("Pie")],
      multiSelect: false,
    };
    page.ask("question", script({ tool: "AskUserQuestion", input: { questions: [question] } }, { say: "ok" }));
    expect(await page.next("approval_request")).toMatchObject({
      toolName: "AskUserQuestion",
      input: { questions: [question] },
    });
    page.say({ type: "input_response", sessionId: "question", value: { "Which chart?": "Pie" } });
    await page.next("final");
    expect(results(await journalOf(asking, "question"))).toEqual([
      ["completed", 'The user answered:\n"Which chart?" = "Pie"'],
    ]);
    await page.close();
  });
});
