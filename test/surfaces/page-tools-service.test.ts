import { describe, expect, it } from "vitest";
import { LIMITS, makeNewId, type AnswerCall, type DeclareTools, type PageMessage } from "../../src/protocol/index.ts";
import { PageService } from "../../src/sessions/services/page-service.ts";
import { ClientTools } from "../../src/tools/client-tools.ts";
import { openToolSession } from "../../src/tools/index.ts";
import { TestClock } from "./runtime-world.ts";

type Connection = ReturnType<PageService["connect"]>;
import { caller as callerOf } from "../support/caller.ts";

const caller = callerOf("tok_1", "operator");
const tool = (name: string, more: object = {}): DeclareTools["tools"][number] => ({
  name,
  description: name,
  input_schema: { type: "object" },
  ...more,
});
const declare = (more: Partial<DeclareTools> = {}): DeclareTools => ({
  type: "tools.declare",
  command_id: "c",
  session_id: "ses_1",
  page: "app",
  instance: "instance-1",
  tools: [tool("act")],
  ...more,
});
const result = (call_id: string, json: unknown): AnswerCall => ({ type: "tool.result", call_id, result: { json } });

/** A service for one session, with a clock that only the test moves. */
class World {
  readonly clock = new TestClock();
  readonly clientTools = new ClientTools();
  readonly service: PageService;

  constructor() {
    const newId = makeNewId(
      () => 0,
      (bytes) => void crypto.getRandomValues(bytes),
    );
    const service = {
      registerTools: async (_caller: unknown, _id: string, tools: never, instead?: never) =>
        this.clientTools.register(tools, { isTaken: () => false, instead }),
    };
    this.service = new PageService({ sessions: service, clock: this.clock, newId });
  }

  open(who = caller): { readonly page: Connection; readonly said: PageMessage[] } {
    const said: PageMessage[] = [];
    return { page: this.service.connect(who, { say: (message) => void said.push(message) }), said };
  }

  /** The agent calls a tool; what it is told. */
  async call(name: string, signal = new AbortController().signal): Promise<string> {
    const found = this.clientTools.get(`mcp__app__${name}`);
    if (found === undefined) return "no such tool";
    const session = openToolSession({} as never);
    const { content } = await found.execute({}, { ...session, signal, onOutput: () => undefined });
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join("");
  }

  get names(): readonly string[] {
    return this.clientTools.definitions().map(({ name }) => name);
  }
}

/** When the agent has gone on, the page is told. */
const soon = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });
const offers = (said: readonly PageMessage[]): readonly object[] =>
  said.flatMap((message) =>
    message.type === "tool.call" ? [{ id: message.call_id, attempt: message.attempt, left: message.deadline_ms }] : [],
  );
const settled = (said: readonly PageMessage[]): readonly string[] =>
  said.flatMap((message) => (message.type === "tool.settled" ? [message.how] : []));
const idOf = (said: readonly PageMessage[]): string =>
  said.flatMap((message) => (message.type === "tool.call" ? [message.call_id] : []))[0] ?? "none";

describe("a page that is gone", () => {
  it("may come back in time: the call is offered once more under its id, with the time that is left", async () => {
    const world = new World();
    const before = world.open();
    await before.page.declare(declare());
    const told = world.call("act");
    const id = idOf(before.said);
    before.page.close();
    world.clock.pass(LIMITS.pageGraceMs - 1);
    const after = world.open();
    await after.page.declare(declare());
    after.page.answer(result(id, "yes"));
    await soon();
    expect([await told, offers(before.said), offers(after.said), settled(after.said)]).toEqual([
      "yes",
      [{ id, attempt: 1, left: LIMITS.pageToolMs }],
      [{ id, attempt: 2, left: LIMITS.pageToolMs - LIMITS.pageGraceMs + 1 }],
      ["answered"],
    ]);
    // It is here again: nobody waits for its end.
    world.clock.pass(LIMITS.pageGraceMs);
    expect(world.names).toEqual(["mcp__app__act"]);
  });

  it("and does not come back: its calls end, its tools go, and who calls one later is told why", async () => {
    const world = new World();
    const { page } = world.open();
    await page.declare(declare());
    const begun = world.call("act");
    page.close();
    const waiting = world.call("act");
    world.clock.pass(LIMITS.pageGraceMs);
    const gone = "Error (page_gone): the page app is gone and did not come back in time.";
    expect([await begun, await waiting, await world.call("act"), world.names]).toEqual([
      `${gone} Whether it was run is not known. Ask the user to open the page`,
      `${gone} It was not run. Ask the user to open the page`,
      "Error (page_gone): mcp__app__act cannot be called: the page app, which had it, is gone.",
      [],
    ]);
  });

  it("twice while a call runs: it is not offered a third time", async () => {
    const world = new World();
    const pages = [world.open(), world.open(), world.open()];
    const [first, second, third] = pages as [(typeof pages)[0], (typeof pages)[0], (typeof pages)[0]];
    await first.page.declare(declare());
    const told = world.call("act");
    first.page.close();
    await second.page.declare(declare());
    second.page.close();
    expect(await told).toContain("Error (page_gone)");
    await third.page.declare(declare());
    expect(pages.map(({ said }) => offers(said).length)).toEqual([1, 1, 0]);
  });

  it("and comes back before it is known to be gone: the new connection has the calls, the first answer counts", async () => {
    const world = new World();
    const [old, now] = [world.open(), world.open()];
    await old.page.declare(declare());
    const told = world.call("act");
    await now.page.declare(declare());
    const id = idOf(old.said);
    old.page.answer(result(id, "old"));
    now.page.answer(result(id, "now"));
    old.page.close();
    world.clock.pass(LIMITS.pageGraceMs);
    const next = world.call("act");
    now.page.answer(result(offers(now.said).map((offer) => (offer as { id: string }).id)[1] ?? "", "next"));
    await soon();
    expect([await told, await next, settled(old.said), settled(now.said), offers(now.said).length]).toEqual([
      "old",
      "next",
      ["answered"],
      ["late", "answered", "answered"],
      2,
    ]);
  });

  it.each([
    ["another mark", caller, { instance: "instance-2" }],
    ["another principal", { ...caller, id: "tok_2" }, {}],
  ])("leaves its name, but not its calls, to a page with %s", async (_, who, more) => {
    const world = new World();
    const [old, other] = [world.open(), world.open(who)];
    await old.page.declare(declare());
    const told = world.call("act");
    await expect(other.page.declare(declare(more))).rejects.toMatchObject({ code: "conflict" });
    old.page.close();
    await other.page.declare(declare({ ...more, tools: [tool("act"), tool("more")] }));
    const id = idOf(old.said);
    other.page.answer(result(id, "stolen"));
    expect([await told, offers(other.said), settled(other.said), world.names]).toEqual([
      expect.stringContaining("Error (page_gone)"),
      [],
      ["late"],
      ["mcp__app__act", "mcp__app__more"],
    ]);
  });

  it("and left before its declaration was through is waited for like any other", async () => {
    const world = new World();
    const { page } = world.open();
    const declared = page.declare(declare());
    page.close();
    await declared;
    expect(world.names).toEqual(["mcp__app__act"]);
    world.clock.pass(LIMITS.pageGraceMs);
    expect([world.names, world.clock.alarms]).toEqual([[], 0]);
  });
});

describe("a call", () => {
  it("that nobody waits for any more is over for the page, too", async () => {
    const world = new World();
    const { page, said } = world.open();
    await page.declare(declare({ tools: [tool("slow", { timeout_ms: 5 }), tool("act")] }));
    const stop = new AbortController();
    const [late, stopped] = [world.call("slow"), world.call("act", stop.signal)];
    stop.abort();
    expect(await stopped).toBe("Interrupted; outcome unknown.");
    world.clock.pass(5);
    expect(await late).toBe("Error: mcp__app__slow did not answer within 0.005s");
    await soon();
    page.answer(result(idOf(said), "late"));
    expect(settled(said)).toEqual(["cancelled", "timed_out", "late"]);
    expect([page.awaits(idOf(said)), world.clock.alarms]).toEqual([false, 0]);
  });

  it("too many of them are refused at once", async () => {
    const world = new World();
    const { page, said } = world.open();
    await page.declare(declare());
    const calls = Array.from({ length: LIMITS.pageCalls }, () => world.call("act"));
    expect(await world.call("act")).toBe(
      `Error (busy): the page app has ${LIMITS.pageCalls} calls to answer; wait for them`,
    );
    for (const message of said) if (message.type === "tool.call") page.answer(result(message.call_id, 1));
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["1"]));
  });

  it("of a tool that is withdrawn while it runs may end", async () => {
    const world = new World();
    const { page, said } = world.open();
    await page.declare(declare());
    const told = world.call("act");
    await page.withdraw({ session_id: "ses_1", page: "app" });
    await page.declare(declare({ instance: "instance-2", tools: [tool("other")] }));
    page.answer(result(idOf(said), "done"));
    expect([await told, world.names]).toEqual(["done", ["mcp__app__other"]]);
  });
});

it("a connection may have so many pages, and withdraws only its own", async () => {
  const world = new World();
  const { page } = world.open();
  for (let index = 0; index < LIMITS.pagesPerConnection; index += 1) await page.declare(declare({ page: `p${index}` }));
  await page.declare(declare({ page: "p0" }));
  expect(() => page.declare(declare({ page: "one-more" }))).toThrow(/a connection may have 64 pages/);
  const withdraw = { type: "tools.withdraw", command_id: "c", session_id: "ses_1", page: "p1" } as const;
  await expect(world.open().page.withdraw(withdraw)).rejects.toMatchObject({ code: "not_found" });
  await page.withdraw(withdraw);
  await page.declare(declare({ page: "one-more" }));
  expect(world.names.length).toBe(LIMITS.pagesPerConnection);
});
