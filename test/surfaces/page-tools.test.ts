import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { LiveConnection, pageTool, type PageTool } from "../../src/client/index.ts";
import { LIMITS, type CreateSession, type JournalEvent } from "../../src/protocol/index.ts";
import { countTool, later, NUMBERS, toldBy, wireTap, type Message } from "../client/page-world.ts";
import { approveWith, openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";

let app: TestApp;
beforeAll(async () => {
  app = await openTestApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const open: LiveConnection[] = [];
function connect(options: { Wire?: typeof WebSocket; token?: string } = {}): LiveConnection {
  const { Wire = WebSocket, token = app.serving.token } = options;
  const live = new LiveConnection({ url: app.serving.url, token, WebSocket: Wire });
  open.push(live);
  return live;
}
afterAll(() => {
  for (const live of open) live.close();
});

const FREE: CreateSession = { autonomy: "full" };
const count = (n: unknown): object => ({ tool: "mcp__app__count", input: { n } });

async function session(more: CreateSession = FREE): Promise<string> {
  return (await app.client.createSession(more)).id;
}

/** What the agent did in one more turn of a session. */
async function turn(id: string, ...steps: readonly object[]): Promise<readonly JournalEvent[]> {
  const { seq } = await app.client.prompt(id, { text: script(...steps) });
  return untilTurnEnds(app.client, id, { after: seq - 1, answer: approveWith(app.client) });
}

async function told(id: string, ...steps: readonly object[]): Promise<readonly { text: string; failed: boolean }[]> {
  return toldBy(await turn(id, ...steps));
}

describe("tools of a page", () => {
  it("are called by the agent and answer it with texts, JSON and images", async () => {
    const id = await session();
    const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
    const tools: PageTool<never>[] = [
      countTool(),
      { name: "facts", description: "Facts.", handler: () => ({ rows: 3, names: ["a", "b"] }) },
      { name: "nothing", description: "Does it.", handler: () => undefined },
      { name: "picture", description: "Looks.", handler: () => ({ content: [{ type: "text", text: "see" }, image] }) },
      {
        name: "broken",
        description: "Fails.",
        handler: () => {
          throw new Error("no table is open");
        },
      },
      { name: "loop", description: "Has no JSON.", handler: () => 10n },
    ];
    await connect().offer(id, { page: "app", tools }).ready();
    const steps = ["facts", "nothing", "picture", "broken", "loop"].map((name) => ({
      tool: `mcp__app__${name}`,
      input: {},
    }));
    const events = await turn(id, count(7), ...steps);
    expect(toldBy(events)).toEqual([
      { text: "counted 7", failed: false },
      { text: '{"rows":3,"names":["a","b"]}', failed: false },
      { text: "Done.", failed: false },
      { text: "see\n[image image/png]", failed: false },
      { text: "Error (failed): no table is open", failed: true },
      {
        text: expect.stringMatching(/^Error \(failed\): its result cannot be written as JSON: /) as string,
        failed: true,
      },
    ]);
    const pictures = events.flatMap((event) =>
      event.type === "item.completed" && "output" in event.item ? (event.item.output ?? []) : [],
    );
    expect(pictures.filter(({ type }) => type === "image")).toEqual([
      { type: "image", media_type: "image/png", data: image.data },
    ]);
  });

  it("get only inputs that fit, checked before they are sent and once more by the page's own schema", async () => {
    const id = await session();
    const { Wire, said } = wireTap();
    const typed = pageTool({
      name: "typed",
      description: "Typed.",
      schema: z.object({ word: z.string().default("none"), even: z.number().refine((n) => n % 2 === 0, "odd") }),
      handler: ({ word, even }) => `${word.toUpperCase()} ${even}`,
    });
    await connect({ Wire })
      .offer(id, { page: "app", tools: [countTool(), typed] })
      .ready();
    const type = (input: object): object => ({ tool: "mcp__app__typed", input });
    expect(await told(id, count("seven"), type({ even: 2 }), type({ word: "a", even: 3 }))).toEqual([
      { text: "Invalid input for mcp__app__count: n must be an integer", failed: true },
      { text: "NONE 2", failed: false },
      { text: expect.stringContaining("Error (invalid_input): ") as string, failed: true },
    ]);
    expect(said.filter((message) => message["type"] === "tool.call").map(({ tool }) => tool)).toEqual([
      "typed",
      "typed",
    ]);
  });

  it("promise what they answer, and the agent is told when they do not keep it", async () => {
    const id = await session();
    const answers: unknown[] = [{ n: 1 }, { n: "one" }, "text", { content: [{ type: "text", text: "t" }] }];
    const outputSchema = NUMBERS;
    const handler = (): unknown => answers.shift();
    await connect()
      .offer(id, { page: "app", tools: [{ name: "give", description: "Gives.", outputSchema, handler }] })
      .ready();
    const give = { tool: "mcp__app__give", input: {} };
    const broken = "Error (invalid_output): mcp__app__give ran, but what it answered is not what it promised: ";
    expect(await told(id, give, give, give, give)).toEqual([
      { text: '{"n":1}', failed: false },
      { text: `${broken}result.n must be an integer`, failed: true },
      { text: `${broken}it has no JSON`, failed: true },
      { text: `${broken}it has no JSON`, failed: true },
    ]);
  });

  it("ask a person first where the policy says so, as any tool does", async () => {
    const id = await session({ autonomy: "supervised" });
    await connect()
      .offer(id, { page: "app", tools: [countTool(), countTool({ name: "save", tier: "write" })] })
      .ready();
    const events = await turn(id, count(1), { tool: "mcp__app__save", input: { n: 2 } });
    const asked = events.flatMap((event) => (event.type === "approval.requested" ? [event.approval] : []));
    expect(asked.map(({ tool, input }) => ({ tool, input }))).toEqual([{ tool: "mcp__app__save", input: { n: 2 } }]);
    expect(toldBy(events).map(({ text }) => text)).toEqual(["counted 1", "counted 2"]);
  });

  it("come and go while the session lives, also during their own call", async () => {
    const id = await session();
    const { Wire } = wireTap();
    const live = connect({ Wire });
    const offered = live.offer(id, { page: "app", tools: [] });
    const tools = (names: readonly string[]): PageTool<never>[] =>
      names.map((name) => ({
        name,
        description: name,
        handler: async () => {
          if (name === "open") await offered.update(tools(["close"]));
          return name;
        },
      }));
    await offered.update(tools(["open", "other"]));
    const call = (name: string): object => ({ tool: `mcp__app__${name}`, input: {} });
    expect(await told(id, call("open"), call("other"), call("close"))).toEqual([
      { text: "open", failed: false },
      { text: "Error (page_gone): mcp__app__other cannot be called: it is not offered any more.", failed: true },
      { text: "close", failed: false },
    ]);
    await offered.withdraw();
    expect(await told(id, call("close"))).toEqual([
      { text: "Error (page_gone): mcp__app__close cannot be called: the page app has taken it back.", failed: true },
    ]);
    expect([offered.status, await offered.ready().catch((error: unknown) => (error as Error).message)]).toEqual([
      { state: "withdrawn" },
      "these tools were withdrawn; offer them again",
    ]);
  });

  it("may be those of an MCP server", async () => {
    const id = await session();
    const server = {
      listTools: async ({ cursor }: { cursor?: string } = {}) =>
        cursor === undefined
          ? { tools: [{ name: "add", description: "Adds.", inputSchema: NUMBERS }], nextCursor: "2" }
          : { tools: [{ name: "fail", inputSchema: { type: "object" } }] },
      callTool: async ({ name, arguments: input }: { name: string; arguments: Record<string, unknown> }) =>
        name === "add"
          ? {
              content: [
                { type: "text", text: String(Number(input["n"]) + 1) },
                { type: "audio", data: "", mimeType: "audio/wav" },
              ],
            }
          : { content: [{ type: "text", text: "cannot" }], isError: true },
    };
    await connect().offer(id, { page: "mcp", server, tier: "read" }).ready();
    expect(await told(id, { tool: "mcp__mcp__add", input: { n: 1 } }, { tool: "mcp__mcp__fail", input: {} })).toEqual([
      { text: '2\n{"type":"audio","data":"","mimeType":"audio/wav"}', failed: false },
      { text: "cannot", failed: true },
    ]);
  });
});

describe("a page", () => {
  it("sees no call but its own: two tabs, two sessions, and two pages at one session", async () => {
    const [first, second] = [await session(), await session()];
    const taps = [wireTap(), wireTap(), wireTap()] as const;
    const pages = [
      { tap: taps[0], id: first, page: "app" },
      { tap: taps[1], id: second, page: "app" },
      { tap: taps[2], id: first, page: "side" },
    ];
    for (const { tap, id, page } of pages)
      await connect({ Wire: tap.Wire })
        .offer(id, { page, tools: [countTool()] })
        .ready();
    await Promise.all([turn(first, count(1), { tool: "mcp__side__count", input: { n: 2 } }), turn(second, count(3))]);
    const seen = taps.map(({ said }) =>
      said
        .filter(({ type }) => type === "tool.call")
        .map(({ session_id, page, input }) => ({ session_id, page, input })),
    );
    expect(seen).toEqual([
      [{ session_id: first, page: "app", input: { n: 1 } }],
      [{ session_id: second, page: "app", input: { n: 3 } }],
      [{ session_id: first, page: "side", input: { n: 2 } }],
    ]);
  });

  it("cannot answer a call of another, nor one that is over; nonsense ends its own call", async () => {
    const id = await session();
    const answer = later<Message>();
    const raw = await greet();
    raw.hear((message) => message["type"] === "tool.call" && answer.resolve(message));
    const declare = { type: "tools.declare", command_id: "c1", session_id: id, page: "raw", instance: "instance-1" };
    raw.say({ ...declare, tools: [{ name: "t", description: "T.", input_schema: { type: "object" } }] });
    await raw.next("receipt");
    const ended = told(id, { tool: "mcp__raw__t", input: {} });
    const { call_id } = await answer.promise;
    const stranger = await greet();
    stranger.say({ type: "tool.result", call_id, result: { json: "stolen" } });
    expect(await stranger.next("tool.settled")).toEqual({ type: "tool.settled", call_id, how: "late" });
    raw.say({ type: "tool.result", call_id, result: { content: [{ type: "video" }] } });
    expect(await raw.next("tool.settled")).toEqual({ type: "tool.settled", call_id, how: "answered" });
    expect(await ended).toEqual([
      {
        text: expect.stringMatching(
          /^Error \(invalid_output\): mcp__raw__t ran, but its answer cannot be read: /,
        ) as string,
        failed: true,
      },
    ]);
    raw.say({ type: "tool.result", call_id, result: {} });
    expect(await raw.next("tool.settled")).toEqual({ type: "tool.settled", call_id, how: "late" });
    for (const peer of [raw, stranger]) peer.socket.close();
  });

  it.each([
    ["a session that is not there", { session_id: "ses_none" }, "not_found"],
    ["a name with two _", { page: "a__b" }, "invalid_request"],
    [
      "a schema that is none",
      { tools: [{ name: "t", description: "", input_schema: { type: "string" } }] },
      "invalid_request",
    ],
    ["one name twice", { tools: [TOOL("t"), TOOL("t")] }, "conflict"],
    ["too long a time", { tools: [{ ...TOOL("t"), timeout_ms: LIMITS.pageToolMaxMs + 1 }] }, "invalid_request"],
    [
      "a name that is too long with the page's",
      { page: "p".repeat(64), tools: [TOOL("t".repeat(64))] },
      "invalid_request",
    ],
    ["a short mark", { instance: "short" }, "invalid_request"],
  ])("is refused with %s, and nothing changes", async (_, wrong, code) => {
    const raw = await greet();
    const id = await session();
    const right = { type: "tools.declare", session_id: id, page: "raw", instance: "instance-1", tools: [TOOL("kept")] };
    raw.say({ ...right, command_id: "c1" });
    await raw.next("receipt");
    raw.say({ ...right, command_id: "c2", ...wrong });
    expect(await raw.next("refused")).toMatchObject({ error: { code } });
    raw.hear(
      ({ type, call_id }) => type === "tool.call" && raw.say({ type: "tool.result", call_id, result: { json: 1 } }),
    );
    expect(await told(id, { tool: "mcp__raw__kept", input: {} }, { tool: "mcp__raw__t", input: {} })).toEqual([
      { text: "1", failed: false },
      { text: "Unknown tool: mcp__raw__t", failed: true },
    ]);
    raw.socket.close();
  });

  it("keeps its name from another page while it is there, and leaves it to one when it is gone", async () => {
    const id = await session();
    const first = connect();
    await first.offer(id, { page: "app", tools: [countTool()] }).ready();
    const states: unknown[] = [];
    const second = connect().offer(id, {
      page: "app",
      tools: [countTool({ handler: () => "the second" })],
      onStatus: ({ state, failure }) => {
        states.push([state, failure?.code]);
        if (failure !== undefined) first.close();
      },
    });
    await second.ready();
    expect(states).toEqual([
      ["waiting", undefined],
      ["waiting", "conflict"],
      ["offered", undefined],
    ]);
    expect(await told(id, count(1))).toEqual([{ text: "the second", failed: false }]);
  });

  it("of somebody who may not control the session is refused", async () => {
    const id = await session();
    const { token } = await app.as("viewer");
    const offered = connect({ token }).offer(id, { page: "app", tools: [countTool()] });
    await expect(offered.ready()).rejects.toMatchObject({ code: "forbidden" });
    expect(offered.status.state).toBe("refused");
  });
});

function TOOL(name: string): object {
  return { name, description: name, input_schema: { type: "object" } };
}

/** A socket that says what a test wants it to, after the greeting. */
async function greet(): Promise<{
  readonly socket: WebSocket;
  say(message: object): void;
  hear(listener: (message: Message) => unknown): void;
  next(type: string): Promise<Message>;
}> {
  const protocol = `sallyport.token.${app.serving.token}`;
  const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws`, [protocol]);
  const heard: Message[] = [];
  let changed: () => void = () => undefined;
  const listeners: ((message: Message) => unknown)[] = [];
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as Message;
    heard.push(message);
    for (const listener of listeners) listener(message);
    changed();
  });
  await new Promise((resolve) => {
    socket.once("open", resolve);
  });
  const next = async (type: string): Promise<Message> => {
    for (;;) {
      const at = heard.findIndex((message) => message["type"] === type);
      if (at !== -1) return heard.splice(0, at + 1).at(-1) as Message;
      await new Promise<void>((resolve) => {
        changed = resolve;
      });
    }
  };
  const say = (message: object): void => socket.send(JSON.stringify(message));
  say({ type: "hello", protocol: "1.0" });
  await next("welcome");
  return { socket, say, hear: (listener) => void listeners.push(listener), next };
}
