import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LIMITS, type Role, type SessionView } from "../../src/protocol/index.ts";
import type { Caller, ClientTool } from "../../src/sessions/index.ts";
import { PageService } from "../../src/sessions/services/page-service.ts";
import { AnnouncedCalls } from "../../src/surfaces/runtime/announced-calls.ts";
import { RuntimeBridge } from "../../src/surfaces/runtime/bridge.ts";
import { ClientTools } from "../../src/tools/client-tools.ts";
import { openToolSession, type Unregister } from "../../src/tools/index.ts";
import { script } from "../support/app.ts";
import { caller as callerWith } from "../support/caller.ts";
import { TEST_TOKEN } from "../support/server.ts";
import { openRuntimeApp, PageClient, sessionOf, TestClock, type Message, type RuntimeApp } from "./runtime-world.ts";

let app: RuntimeApp;
beforeAll(async () => {
  app = await openRuntimeApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const open = async (token?: string): Promise<PageClient> => {
  const page = new PageClient(app.url, token);
  await page.opened;
  return page;
};

describe("the names of client sessions", () => {
  const callerOf = async (own: RuntimeApp, role: Role, name: string): Promise<Caller> =>
    own.gateway.tokens.authenticate(await own.as(role, name));
  it("are kept, found, changed and dropped, each principal's for itself", async () => {
    const { clients, sessions } = app.gateway;
    const [anna, ben] = [await callerOf(app, "agent", "anna"), await callerOf(app, "agent", "ben")];
    expect(await clients.find(anna, "a")).toBeUndefined();
    const first = await clients.create(anna, "a", { request: {} });
    expect([await clients.find(anna, "a"), await clients.find(ben, "a"), await clients.find(anna, "A")]).toEqual([
      first.id,
      undefined,
      undefined,
    ]);
    const second = await clients.create(anna, "a", { request: {} });
    expect(await clients.find(anna, "a")).toBe(second.id);
    await clients.drop(anna, "a");
    await clients.drop(anna, "a");
    expect(await clients.find(anna, "a")).toBeUndefined();
    // Whoever loses its name ends.
    const ended = await Promise.all([first.id, second.id].map((id) => sessions.get(anna, id)));
    expect(ended.map(({ status }) => status)).toEqual(["complete", "complete"]);
  });

  it("are not for a viewer", async () => {
    const viewer = await callerOf(app, "viewer", "viewer");
    await expect(app.gateway.clients.find(viewer, "a")).rejects.toMatchObject({ code: "forbidden" });
  });

  it(`are ${LIMITS.clientSessions}: the least recently used goes first, unless it is at work; also across a restart`, async () => {
    await using own = await openRuntimeApp();
    const caller = await own.gateway.tokens.authenticate(TEST_TOKEN);
    const make = (name: string): Promise<SessionView> => own.gateway.clients.create(caller, name, { request: {} });
    /** Somebody works under a name until this is called. */
    const work = (name: string): (() => void) => {
      let end = (): void => undefined;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      own.gateway.clients.queue(caller, name).add({ run: () => ended });
      return end;
    };
    const ended = async (id: string | undefined): Promise<boolean> =>
      (await own.client.session(id ?? "")).status === "complete";
    const ids: string[] = [];
    for (let count = 0; count < LIMITS.clientSessions; count += 1) ids.push((await make(`n${count}`)).id);
    // A use makes the oldest the newest.
    expect(await own.gateway.clients.find(caller, "n0")).toBe(ids[0]);
    await make("more");
    const working = [work("n2")];
    await make("busy");
    expect(await Promise.all([0, 1, 2, 3, 4].map((index) => ended(ids[index])))).toEqual([
      false,
      true,
      false,
      true,
      false,
    ]);
    for (let count = 0; count < LIMITS.clientSessions; count += 1) working.push(work(`n${count}`));
    working.push(work("more"), work("busy"));
    await expect(make("none")).rejects.toMatchObject({ code: "limit_reached" });
    expect(await own.gateway.clients.find(caller, "none")).toBeUndefined();
    for (const end of working) end();
    const known = async (): Promise<readonly boolean[]> =>
      Promise.all(
        ["n0", "n1", "n2", "n3", "more", "busy", "n4", "n199"].map(
          async (name) => (await own.gateway.clients.find(caller, name)) !== undefined,
        ),
      );
    const expected = [true, false, true, false, true, true, true, true];
    expect(await known()).toEqual(expected);
    await own.restart();
    expect(await known()).toEqual(expected);
    // After a restart the sessions' own times count: nothing was ever said in n0 since it was made first.
    await own.restart();
    await make("after");
    expect(await ended(ids[0])).toBe(true);
  });

  it("that are forgotten begin anew, and their session ends", async () => {
    await using own = await openRuntimeApp();
    const caller = await own.gateway.tokens.authenticate(TEST_TOKEN);
    const page = new PageClient(own.url);
    await page.opened;
    page.ask("old", script({ say: "one" }));
    await page.next("final");
    const before = await sessionOf(own, "old");
    for (let count = 1; count < LIMITS.clientSessions; count += 1)
      await own.gateway.clients.create(caller, `n${count}`, { request: {} });
    page.ask("new", script({ say: "two" }));
    await page.next("final");
    expect((await own.client.session(before.id)).status).toBe("complete");
    page.ask("old", script({ say: "three" }), { resumeExpected: true });
    expect(await page.next("session_reset")).toMatchObject({ reason: "not_found" });
    await page.close();
  });
});

describe("who may use the socket", () => {
  it.each<[string, string, Record<string, string>, number]>([
    ["no token", "", {}, 401],
    ["a wrong token", "?token=sp_wrong", {}, 401],
    ["another site's page", `?token=${TEST_TOKEN}`, { origin: "https://evil.example" }, 403],
    ["a name that only points here", `?token=${TEST_TOKEN}`, { host: "evil.example" }, 403],
  ])("not with %s", async (_name, query, headers, status) => {
    const socket = new WebSocket(`${app.url.replace("http", "ws")}/ws${query}`, { headers });
    const answered = await new Promise<number | undefined>((resolve) => {
      socket.once("unexpected-response", (_request, response) => resolve(response.statusCode));
      socket.once("open", () => resolve(0));
      socket.once("error", () => undefined);
    });
    socket.terminate();
    expect(answered).toBe(status);
  });

  it.each<[Role, string, object]>([
    ["admin", "final", { content: "hi" }],
    ["operator", "final", { content: "hi" }],
    ["agent", "final", { content: "hi" }],
    ["viewer", "error", { code: "forbidden", sessionId: "as viewer" }],
  ])("as %s: %s", async (role, type, expected) => {
    const page = await open(await app.as(role));
    page.ask(`as ${role}`, script({ say: "hi" }));
    expect(await page.next(type)).toMatchObject(expected);
    await page.close();
  });

  it("each for itself: one principal's session is another's nothing", async () => {
    const [anna, ben] = [await open(await app.as("agent", "anna2")), await open(await app.as("agent", "ben2"))];
    anna.ask("same", script({ say: "anna" }));
    await anna.next("final");
    ben.ask("same", "hi", { resumeExpected: true });
    expect(await ben.next("session_reset")).toMatchObject({ reason: "not_found" });
    ben.say({ type: "new_chat", sessionId: "same" });
    await ben.next("session_reset");
    anna.ask("same", script({ say: "anna again" }), { resumeExpected: true });
    expect(await anna.next("final")).toMatchObject({ content: "anna again" });
    await anna.close();
    await ben.close();
  });

  it("not more often than a token may", async () => {
    await using own = await openRuntimeApp({ requestsPerMinute: 20 });
    const page = new PageClient(own.url);
    await page.opened;
    for (let count = 0; count < 30; count += 1) page.say({ type: "abort", sessionId: "s" });
    expect(await page.next("error")).toMatchObject({ sessionId: "s", code: "rate_limited" });
    await page.close();
  });
});

describe("registering through the service", () => {
  const tool = (name: string) => ({
    name: `mcp__page__${name}`,
    description: "",
    input_schema: { type: "object" },
    tier: "write" as const,
    call: async () => ({ content: [{ type: "text" as const, text: "done" }], is_error: false }),
  });

  it("is for those who control the session, as long as it lives", async () => {
    const { sessions, tokens } = app.gateway;
    const owner = await tokens.authenticate(await app.as("agent", "owner"));
    const other = await tokens.authenticate(await app.as("agent", "other"));
    const viewer = await tokens.authenticate(await app.as("viewer", "watcher"));
    const { id } = await sessions.create(owner, {}, undefined);
    await expect(sessions.registerTools(other, id, [tool("a")])).rejects.toMatchObject({ code: "not_found" });
    await expect(sessions.registerTools(viewer, id, [tool("a")])).rejects.toMatchObject({ code: "forbidden" });
    const unregister = await sessions.registerTools(owner, id, [tool("a")]);
    await expect(sessions.registerTools(owner, id, [tool("a")])).rejects.toMatchObject({ code: "conflict" });
    expect(await app.tools(id)).toContain("mcp__page__a");
    unregister();
    expect(await app.tools(id)).not.toContain("mcp__page__a");
    await sessions.close(owner, id);
    await expect(sessions.registerTools(owner, id, [tool("a")])).rejects.toMatchObject({ code: "session_closed" });
  });

  it("passes the same pipeline: what a person must see, waits for a person", async () => {
    const { sessions, tokens } = app.gateway;
    const admin = await tokens.authenticate(TEST_TOKEN);
    const { id } = await sessions.create(admin, {}, undefined);
    const unregister = await sessions.registerTools(admin, id, [tool("save")]);
    const ruling = await app.client.testPolicy({ session: id, tool: "mcp__page__save", input: {} });
    expect(ruling).toMatchObject({ effect: "ask", rule: "supervised: write" });
    const asked: string[] = [];
    await app.client.prompt(id, { text: script({ tool: "mcp__page__save", input: { a: 1 } }, { say: "ok" }) });
    for await (const frame of app.client.watch(id)) {
      if (frame.type === "approval.requested") {
        const { id: approval, input_hash, session_rule, input } = frame.approval;
        asked.push(String(session_rule), JSON.stringify(input));
        await app.client.decide(approval, { decision: "approve", input_hash });
      }
      if (frame.type === "item.completed" && frame.item.type === "mcp_tool_call")
        asked.push(frame.item.server, frame.item.status, JSON.stringify(frame.item.output));
      if (frame.type === "turn.completed") break;
    }
    expect(asked).toEqual([
      'mcp__page__save({"a":1})',
      '{"a":1}',
      "page",
      "completed",
      '[{"type":"text","text":"done"}]',
    ]);
    unregister();
  });
});

describe("the bridge to a page", () => {
  /** A page at one session, with a clock that only the test moves. */
  const bridge = async () => {
    const said: Message[] = [];
    const clock = new TestClock();
    const clientTools = new ClientTools();
    const sessions = {
      registerTools: async (_caller: Caller, _id: string, tools: readonly ClientTool[], instead?: Unregister) =>
        clientTools.register(tools, { isTaken: () => false, instead }),
    };
    const pages = new PageService({ sessions, clock, newId: (prefix) => `${prefix}_1` });
    const caller = callerWith("tok_1", "operator");
    const say = (message: object): void => void said.push(message as Message);
    const made = new RuntimeBridge({ pages, caller, clock, toolMs: 30_000, say });
    const announced = new AnnouncedCalls();
    const tools = ["t", "list_joins", "try_sql"].map((name) => ({
      name,
      description: name,
      input_schema: { type: "object" },
      tier: "read" as const,
    }));
    const unregister = await made.register({ session_id: "ses_1", name: "s", tools, announced });
    const call = async (name: string, more: { readonly signal?: AbortSignal; readonly tool_use_id?: string } = {}) => {
      const session = openToolSession({} as never);
      const context = { ...session, signal: new AbortController().signal, onOutput: () => undefined, ...more };
      return clientTools.get(`mcp__datagrok__${name}`)?.execute({ a: 1 }, context);
    };
    const answer = (callId: unknown, result: string): void =>
      made.answer({ type: "tool_result", callId: String(callId), result });
    return { said, clock, call, answer, made, announced, unregister, clientTools };
  };
  const text = (value: string, is_error: boolean): object => ({ content: [{ type: "text", text: value }], is_error });

  it("sends tool_execute, and tool_result resolves it once", async () => {
    const { said, clock, call, answer, unregister, clientTools } = await bridge();
    const running = call("list_joins");
    await Promise.resolve();
    const callId = said[0]?.["callId"];
    expect(said).toEqual([{ type: "tool_execute", callId, tool: "list_joins", args: { a: 1 }, sessionId: "s" }]);
    expect(callId).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    answer("unknown", "x");
    answer(callId, "first");
    answer(callId, "Error: second");
    expect([await running, clock.alarms]).toEqual([text("first", false), 0]);
    await unregister();
    expect([clientTools.size, await call("list_joins")]).toEqual([0, undefined]);
  });

  it("answers after 30 s, on a stop, and when the page is gone; nothing is left pending", async () => {
    const { clock, call, made, unregister, clientTools } = await bridge();
    const late = call("try_sql");
    clock.pass(30_000);
    expect(await late).toEqual(text("Error: browser did not respond to try_sql within 30s", true));
    const stop = new AbortController();
    const stopped = call("try_sql", { signal: stop.signal });
    stop.abort();
    expect(await stopped).toEqual(text("Interrupted; outcome unknown.", true));
    expect(await call("try_sql", { signal: stop.signal })).toEqual(text("Interrupted; not run.", true));
    const pending = [call("t"), call("list_joins")];
    made.close();
    const gone = text("Error: WebSocket disconnected", true);
    expect(await Promise.all([...pending, call("try_sql")])).toEqual([gone, gone, gone]);
    expect(clock.alarms).toBe(0);
    await unregister();
    expect(clientTools.size).toBe(0);
  });

  it("does not send what ended before the page was told what led to it", async () => {
    const { said, clock, call, announced } = await bridge();
    const running = call("t", { tool_use_id: "use_1" });
    clock.pass(30_000);
    await running;
    announced.mark("use_1");
    await new Promise((resolve) => setImmediate(resolve));
    expect(said).toEqual([]);
  });

  it("holds a bounded number of calls", async () => {
    const { said, call, made } = await bridge();
    const running = Array.from({ length: LIMITS.pageCalls }, () => call("t"));
    expect(await call("t")).toEqual(
      text(`Error: the browser has ${LIMITS.pageCalls} calls to answer; wait for them`, true),
    );
    made.close();
    await Promise.all(running);
    expect(said.length).toBe(LIMITS.pageCalls);
  });
});

describe("the door", () => {
  it("is healthy for who looks and for who only asks, and answers nothing but JSON", async () => {
    const health = await fetch(`${app.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: "ok" })]);
    const spider = await fetch(`${app.url}/health`, { method: "HEAD" });
    expect(spider.status).toBe(200);
    const nowhere = await fetch(`${app.url}/nowhere?token=${TEST_TOKEN}`);
    expect([nowhere.status, await nowhere.json()]).toEqual([
      404,
      {
        error: { code: "not_found", message: "there is no GET /nowhere" },
        request_id: nowhere.headers.get("x-request-id"),
      },
    ]);
  });
});
