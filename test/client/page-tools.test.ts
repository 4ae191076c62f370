import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { LiveConnection, type PageOffer, type PageTool } from "../../src/client/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";
import { countTool, later, Tab, toldBy, wireTap } from "./page-world.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const open: LiveConnection[] = [];
afterEach(() => {
  for (const live of open.splice(0)) live.close();
});
function connect(window?: Tab, Wire = WebSocket): LiveConnection {
  // Always the address that the server has now.
  class Here extends Wire {
    constructor(_url: string, protocols: string[]) {
      super(`${app.serving.url.replace("http", "ws")}/api/ws`, protocols);
    }
  }
  const live = new LiveConnection({ url: app.serving.url, token: app.serving.token, WebSocket: Here, window });
  open.push(live);
  return live;
}

async function session(): Promise<string> {
  return (await app.client.createSession({ autonomy: "full" })).id;
}

async function told(id: string, ...steps: readonly object[]): Promise<readonly string[]> {
  const { seq } = await app.client.prompt(id, { text: script(...steps) });
  return toldBy(await untilTurnEnds(app.client, id, { after: seq - 1 })).map(({ text }) => text);
}
const act = (n = 1): object => ({ tool: "mcp__app__count", input: { n } });

/** A tool that runs until the test lets it, and how often it was begun. */
function gated(): { readonly tool: PageTool<{ n: number }>; readonly begun: Promise<void>; go(): void; runs: number } {
  const [begun, gate] = [later(), later()];
  const self = {
    runs: 0,
    begun: begun.promise,
    go: () => gate.resolve(),
    tool: countTool({
      handler: async ({ n }) => {
        self.runs += 1;
        begun.resolve();
        await gate.promise;
        return `counted ${n}`;
      },
    }),
  };
  return self;
}

describe("a call that runs", () => {
  it("goes on over a lost connection and is answered over the next one", async () => {
    const id = await session();
    const { Wire, wires } = wireTap();
    const gate = gated();
    const page = connect(undefined, Wire).offer(id, { page: "app", tools: [gate.tool] });
    await page.ready();
    const answer = told(id, act());
    await gate.begun;
    wires.at(-1)?.terminate();
    gate.go();
    expect([await answer, gate.runs, wires.length]).toEqual([["counted 1"], 1, 2]);
  });

  it("is not run again by the page that was reloaded, whose tool the agent then has as before", async () => {
    const id = await session();
    const tab = new Tab();
    const [before, after] = [gated(), gated()];
    const live = connect(tab);
    await live.offer(id, { page: "app", tools: [before.tool] }).ready();
    const answer = told(id, act(1), act(2));
    await before.begun;
    tab.reload(live);
    after.go();
    await connect(tab)
      .offer(id, { page: "app", tools: [after.tool] })
      .ready();
    expect([await answer, before.runs, after.runs]).toEqual([
      ["Error (interrupted): interrupted by a reload of the page; its outcome is unknown", "counted 2"],
      1,
      1,
    ]);
  });

  it("is told that nobody waits for it any more", async () => {
    const id = await session();
    const stopped = later<boolean>();
    const over = later<string>();
    const handler = (_: object, { signal }: { readonly signal: AbortSignal }): Promise<string> => {
      signal.addEventListener("abort", () => stopped.resolve(true));
      // An answer at the last moment would still count.
      return over.promise;
    };
    await connect()
      .offer(id, { page: "app", tools: [countTool({ handler, timeoutMs: 50 })] })
      .ready();
    expect(await told(id, act())).toEqual(["Error: mcp__app__count did not answer within 0.05s"]);
    expect(await stopped.promise).toBe(true);
    over.resolve("late");
  });
});

describe("a tab", () => {
  it("that is duplicated is a page of its own", async () => {
    const id = await session();
    const tab = new Tab();
    await connect(tab)
      .offer(id, { page: "app", tools: [countTool()] })
      .ready();
    const refused = later<string>();
    connect(tab.duplicate()).offer(id, {
      page: "app",
      tools: [countTool({ handler: () => "the copy" })],
      onStatus: ({ failure }) => failure !== undefined && refused.resolve(failure.code),
    });
    expect([await refused.promise, await told(id, act())]).toEqual(["conflict", ["counted 1"]]);
  });

  it("that was left and is shown again as it was runs what waits, and nothing while it is away", async () => {
    const id = await session();
    const tab = new Tab();
    const page = connect(tab).offer(id, { page: "app", tools: [countTool()] });
    await page.ready();
    tab.tell("pagehide");
    const away = await told(id, act());
    tab.tell("pageshow");
    expect([away, await told(id, act())]).toEqual([
      ["Error (not_run): the page is being left; it was not run"],
      ["counted 1"],
    ]);
  });

  it("without a storage is a new page after a reload", async () => {
    const id = await session();
    const tab = new Tab();
    tab.sessionStorage.setItem = () => {
      throw new Error("the quota has been exceeded");
    };
    const gate = gated();
    const live = connect(tab);
    await live.offer(id, { page: "app", tools: [gate.tool] }).ready();
    const answer = told(id, act());
    await gate.begun;
    tab.reload(live);
    await connect(tab)
      .offer(id, { page: "app", tools: [countTool()] })
      .ready();
    expect(await answer).toEqual([expect.stringContaining("Error (page_gone): the page app is gone")]);
  });
});

describe("an offer", () => {
  it("is made again to a server that was started anew", async () => {
    const id = await session();
    const states: string[] = [];
    const live = connect();
    const page = live.offer(id, { page: "app", tools: [countTool()], onStatus: ({ state }) => states.push(state) });
    await page.ready();
    const declared = later();
    live.onStatus(({ state }) => state === "open" && declared.resolve());
    await app.restart();
    await declared.promise;
    await page.update([countTool({ handler: () => "after" })]);
    expect([await told(id, act()), states.at(-1)]).toEqual([["after"], "offered"]);
  });

  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)]);
  it.each<[string, () => unknown, string]>([
    ["as deep as it may be", () => deep(LIMITS.jsonDepth - 2), JSON.stringify(deep(LIMITS.jsonDepth - 2))],
    [
      "deeper",
      () => deep(LIMITS.jsonDepth - 1),
      "Error (too_large): it ran, but its result is nested more than 62 deep",
    ],
    [
      "too long",
      () => "x".repeat(LIMITS.pageResultBytes),
      `Error (too_large): it ran, but its result has ${LIMITS.pageResultBytes + 111} bytes, at most ${LIMITS.pageResultBytes} can be sent`,
    ],
    ["with brackets in a text", () => ['[{[{\\"['], JSON.stringify(['[{[{\\"['])],
    ["thrown as no error", () => Promise.reject("so"), "Error (failed): so"],
  ])("with a result %s is answered", async (_, handler, text) => {
    const id = await session();
    await connect()
      .offer(id, { page: "app", tools: [countTool({ handler })] })
      .ready();
    expect(await told(id, act())).toEqual([text]);
  });

  const words = z.object({ word: z.string() });
  const bare = { safeParse: (value: unknown) => words.safeParse(value), schema: words };
  it.each<[string, Partial<PageOffer>, string]>([
    ["nothing to write its schema with", {}, "give `toJSONSchema` with the offer, such as z.toJSONSchema"],
    ["a list that fails", { tools: undefined, server: failing("no list") }, "no list"],
  ])("with %s is refused", async (_, offer, message) => {
    const page = connect().offer("ses_any", {
      page: "app",
      tools: [{ name: "t", description: "", schema: bare, handler: () => 1 }],
      ...offer,
    });
    await expect(page.ready()).rejects.toMatchObject({ code: "invalid_request", message });
    expect(page.status.state).toBe("refused");
    await expect(page.update([])).rejects.toMatchObject({ code: "conflict" });
  });

  it("takes a schema that somebody else writes as JSON Schema", async () => {
    const id = await session();
    const tool: PageTool<{ word: string }> = {
      name: "count",
      description: "",
      schema: bare,
      handler: ({ word }) => word,
    };
    const toJSONSchema = (schema: typeof bare, options?: object): object => z.toJSONSchema(schema.schema, options);
    await connect()
      .offer(id, { page: "app", tools: [tool], toJSONSchema })
      .ready();
    expect(await told(id, { tool: "mcp__app__count", input: { word: "so" } }, act())).toEqual([
      "so",
      "Invalid input for mcp__app__count: word is required",
    ]);
  });

  it("ends with the connection", async () => {
    const id = await session();
    const live = connect();
    const page = live.offer(id, { page: "app", tools: [countTool()] });
    await page.ready();
    live.close();
    expect(page.status).toEqual({ state: "withdrawn" });
    await page.withdraw();
  });
});

function failing(message: string): NonNullable<PageOffer["server"]> {
  return { listTools: () => Promise.reject(new Error(message)), callTool: () => Promise.resolve(undefined) };
}
