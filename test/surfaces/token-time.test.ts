import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { LiveConnection, SallyportClient } from "../../src/client/index.ts";
import { LIMITS, type CreateToken, type TokenCreated } from "../../src/protocol/index.ts";
import { MovableClock } from "../support/clock.ts";
import { openTestApp, script, untilTurnEnds, type TestApp } from "../support/app.ts";

const clock = new MovableClock({ stands: true });
let app: TestApp;
beforeAll(async () => {
  app = await openTestApp({ SALLYPORT_REQUESTS_PER_MINUTE: "100000" }, { clock });
});
afterAll(() => app[Symbol.asyncDispose]());

const clientOf = (token: string): SallyportClient => new SallyportClient({ url: app.serving.url, token });

async function outcome(act: Promise<unknown>): Promise<string> {
  return act.then(
    () => "done",
    (error: { code: string }) => error.code,
  );
}

const SOCKETS = ["/api/ws", "/ws", "/bridge", "/api/terminal/ws/agent"] as const;

interface Connected {
  readonly what: string;
  /** How it ended. */
  readonly ended: Promise<string>;
}

/** A socket that nothing is said on. */
async function socketAt(path: string, token: string): Promise<Connected> {
  const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}${path}?token=${token}`);
  const ended = new Promise<string>((resolve) => {
    socket.once("close", (code, reason) => resolve(`${code} ${reason.toString()}`));
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return { what: path, ended };
}

/** An answer that is never whole. */
async function streamOf(path: string, token: string, more: Readonly<Record<string, string>> = {}): Promise<Connected> {
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream", ...more };
  const response = await fetch(`${app.serving.url}${path}`, { headers });
  expect([path, response.status]).toEqual([path, 200]);
  const ended = response.text().then(
    () => "whole",
    () => "cut off",
  );
  return { what: path, ended };
}

/** What an MCP client listens to. */
async function mcpStream(token: string): Promise<Connected> {
  const response = await fetch(`${app.serving.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-03-26", capabilities: {}, clientInfo: { name: "test", version: "0" } },
    }),
  });
  await response.text();
  return streamOf("/mcp", token, { "mcp-session-id": response.headers.get("mcp-session-id") ?? "" });
}

/** Everything that stays open, with this token: nothing is said and nothing happens. */
async function connectAll(token: string): Promise<readonly Connected[]> {
  const { id } = await clientOf(token).createSession({});
  return Promise.all([
    ...SOCKETS.map((path) => socketAt(path, token)),
    streamOf(`/api/sessions/${id}/events`, token),
    mcpStream(token),
    streamOf(`/claude/sessions/${id}/output?follow=1`, token),
  ]);
}

const ENDED = [
  ...SOCKETS.map((path) => [path, "1008 the token was deleted or has expired"]),
  ["stream", "cut off"],
  ["stream", "cut off"],
  ["stream", "cut off"],
];

async function endsOf(connected: readonly Connected[]): Promise<unknown> {
  return Promise.all(
    connected.map(async ({ what, ended }) => [
      (SOCKETS as readonly string[]).includes(what) ? what : "stream",
      await ended,
    ]),
  );
}

describe("the sockets and streams of a token end with it, idle ones too", () => {
  const agent: CreateToken = { role: "agent", name: "short", expires_in_s: 120 };

  it("when its time has passed", async () => {
    const { token } = await app.client.createToken(agent);
    const connected = await connectAll(token);
    clock.pass(119_999);
    expect(await outcome(clientOf(token).me())).toBe("done");
    clock.pass(1);
    expect(await endsOf(connected)).toEqual(ENDED);
    await expect(clientOf(token).me()).rejects.toMatchObject({
      code: "unauthenticated",
      message: "this token has expired; get a new one",
    });
  });

  it("when the machine slept, or somebody set its clock: at the next look, and before it at the next message", async () => {
    const { token } = await app.client.createToken(agent);
    const connected = await connectAll(token);
    clock.jump(3_600_000);
    // Nothing is told that time went by: its own timers stood still. They look often enough.
    clock.pass(LIMITS.tokenCheckMs);
    expect(await endsOf(connected)).toEqual(ENDED);
  });

  it("at its next message, though no timer has rung", async () => {
    const { token } = await app.client.createToken(agent);
    const connected = await connectAll(token);
    clock.jump(3_600_000);
    expect(await outcome(clientOf(token).me())).toBe("unauthenticated");
    expect(await endsOf(connected)).toEqual(ENDED);
  });

  it("and it stays so when the clock is set back afterwards", async () => {
    const { token } = await app.client.createToken(agent);
    clock.pass(120_000);
    expect(await outcome(clientOf(token).me())).toBe("unauthenticated");
    clock.jump(-60_000);
    expect(await outcome(clientOf(token).me())).toBe("unauthenticated");
    clock.jump(60_000);
  });

  it("not while the clock on the wall is set back; when it comes there again", async () => {
    const { token } = await app.client.createToken(agent);
    const connected = await connectAll(token);
    clock.jump(-3_600_000);
    clock.pass(3_600_000);
    expect(await outcome(clientOf(token).me())).toBe("done");
    clock.pass(120_000);
    expect(await endsOf(connected)).toEqual(ENDED);
  });

  it("when it is deleted", async () => {
    const { token, id } = await app.client.createToken(agent);
    const connected = await connectAll(token);
    await app.client.deleteToken(id);
    expect(await endsOf(connected)).toEqual(ENDED);
    await expect(clientOf(token).me()).rejects.toMatchObject({
      code: "unauthenticated",
      message: "That token is not valid: it was deleted, or never was one of this server.",
    });
  });

  it.each(["deleted", "expired"])("when the token that it was made with is %s", async (how) => {
    const maker = await app.client.createToken({ role: "operator", name: "lead", expires_in_s: 60 });
    const { token } = await clientOf(maker.token).createToken({ ...agent, expires_in_s: 3_000 });
    const connected = await connectAll(token);
    if (how === "deleted") await app.client.deleteToken(maker.id);
    else clock.pass(60_000);
    expect(await endsOf(connected)).toEqual(ENDED);
    expect(await outcome(clientOf(token).me())).toBe("unauthenticated");
  });

  it("is listed for a day after it expired, and then forgotten", async () => {
    const { id } = await app.client.createToken(agent);
    const isListed = async (): Promise<boolean> =>
      (await app.client.tokens({ role: "agent", limit: 1_000 })).tokens.some((made) => made.id === id);
    clock.pass(120_000 + LIMITS.expiredTokenKeptMs);
    expect(await isListed()).toBe(true);
    clock.pass(3_600_000);
    await expect.poll(isListed).toBe(false);
  });
});

describe("a visitor's token expires in the middle of a turn", () => {
  const tools = [{ name: "pay", description: "Pays.", handler: () => "paid" }];
  const PAY = script({ tool: "mcp__shop__pay", input: {} }, { say: "end" });
  const visitor = (): Promise<TokenCreated> =>
    app.client.createToken({ role: "visitor", name: "ann", subject: "ann", expires_in_s: 60 });

  it("the page gets another token and goes on: its call is answered, the turn ends well", async () => {
    const token = async (): Promise<string> => (await visitor()).token;
    const client = new SallyportClient({ url: app.serving.url, token });
    const live = new LiveConnection({ url: app.serving.url, token, WebSocket });
    const { id } = await client.createSession({});
    let calls = 0;
    const handler = (): string => {
      calls += 1;
      if (calls === 1) clock.pass(60_000);
      return "paid";
    };
    await live.offer(id, { page: "shop", tools: [{ name: "pay", description: "Pays.", handler }] }).ready();
    await client.prompt(id, { text: PAY });
    const events = await untilTurnEnds(app.client, id);
    live.close();
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(calls).toBe(1);
  });

  it("nobody comes back: the call ends with an error that the model reads, and the turn ends", async () => {
    const { token } = await visitor();
    const live = new LiveConnection({ url: app.serving.url, token, WebSocket });
    const { id } = await clientOf(token).createSession({});
    const [page] = tools;
    let called = (): void => undefined;
    const isCalled = new Promise<void>((resolve) => {
      called = resolve;
    });
    const handler = (): Promise<string> => {
      called();
      return new Promise(() => undefined);
    };
    if (page !== undefined) await live.offer(id, { page: "shop", tools: [{ ...page, handler }] }).ready();
    await clientOf(token).prompt(id, { text: PAY });
    await isCalled;
    const ended = untilTurnEnds(app.client, id);
    const left = new Promise<void>((resolve) => {
      const off = live.onStatus(({ state }) => {
        if (state === "open") return;
        off();
        resolve();
      });
    });
    clock.pass(60_000);
    await left;
    clock.pass(LIMITS.pageToolMs);
    const events = await ended;
    live.close();
    expect(events.at(-1)).toMatchObject({ type: "turn.completed" });
    expect(
      events.flatMap((event) => (event.type === "item.completed" && "tool" in event.item ? [event.item] : [])),
    ).toMatchObject([{ tool: "mcp__shop__pay", status: "failed", is_error: true }]);
    expect(await outcome(clientOf(token).session(id))).toBe("unauthenticated");
    const again = await visitor();
    expect(await outcome(clientOf(again.token).session(id))).toBe("done");
  });
});

describe("requests of a token in a minute", () => {
  const ask = (token: string): Promise<string> => outcome(clientOf(token).me());
  const times = async (token: string, count: number): Promise<readonly string[]> => {
    const all: string[] = [];
    for (let each = 0; each < count; each += 1) all.push(await ask(token));
    return all;
  };

  it.each([1, 3, 7, 49])("%i are taken, the next one is not, until the minute is over", async (limit) => {
    const { token } = await app.client.createToken({ role: "viewer", name: "r", requests_per_minute: limit });
    expect(await times(token, limit)).toEqual(Array.from({ length: limit }, () => "done"));
    const refused = await fetch(`${app.serving.url}/api/me`, { headers: { authorization: `Bearer ${token}` } });
    expect([refused.status, refused.headers.get("retry-after"), await refused.json()]).toEqual([
      429,
      "60",
      {
        error: {
          code: "rate_limited",
          message: `more than ${limit} requests a minute; try again in 60 s`,
          details: { retry_after_s: 60 },
        },
        request_id: expect.any(String) as unknown,
      },
    ]);
    // Not by the clock on the wall, which can be set.
    clock.jump(3_600_000);
    clock.pass(59_999);
    expect(await ask(token)).toBe("rate_limited");
    clock.pass(1);
    expect(await ask(token)).toBe("done");
  });

  it("are shared with the tokens that it made; what is refused to one takes nothing from the others", async () => {
    const maker = await app.client.createToken({ role: "operator", name: "lead", requests_per_minute: 10 });
    const made = async (more: Partial<CreateToken>): Promise<string> =>
      (await clientOf(maker.token).createToken({ role: "viewer", name: "child", ...more })).token;
    const [noisy, quiet] = [await made({ requests_per_minute: 4 }), await made({})];
    const all = await times(noisy, 20);
    expect(all.filter((each) => each === "done")).toHaveLength(4);
    // Six of ten are left, though the other one asked twenty times.
    expect((await times(quiet, 7)).filter((each) => each === "done")).toHaveLength(6);
    clock.pass(60_000);
    expect(await ask(quiet)).toBe("done");
  });

  it("count messages on sockets, too", async () => {
    const { token } = await app.client.createToken({ role: "viewer", name: "ws", requests_per_minute: 3 });
    const socket = new WebSocket(`${app.serving.url.replace("http", "ws")}/api/ws?token=${token}`);
    const said: string[] = [];
    let heard = (): void => undefined;
    socket.on("message", (data: Buffer) => {
      const message = JSON.parse(data.toString()) as { type: string; error?: { code: string } };
      said.push(message.error?.code ?? message.type);
      heard();
    });
    await new Promise((resolve) => {
      socket.once("open", resolve);
    });
    const all = new Promise<void>((resolve) => {
      heard = () => {
        if (said.length === 4) resolve();
      };
    });
    for (const message of [{ type: "hello", protocol: "1.0" }, { type: "ping" }, { type: "ping" }, { type: "ping" }])
      socket.send(JSON.stringify(message));
    await all;
    // The upgrade was the first one.
    expect(said).toEqual(["welcome", "pong", "rate_limited", "rate_limited"]);
    socket.terminate();
  });
});

it("model requests in a minute are shared by the tokens of one maker", async () => {
  const maker = await app.client.createToken({
    role: "operator",
    name: "lead",
    model_rate: { requests_per_minute: 2 },
  });
  const children = await Promise.all(
    ["one", "two", "three"].map((name) => clientOf(maker.token).createToken({ role: "agent", name })),
  );
  const turn = async ({ token }: TokenCreated): Promise<readonly string[]> => {
    const { id } = await clientOf(token).createSession({ prompt: { text: script({ say: "hi" }) } });
    let isRefused = false;
    let hasEnded = false;
    const ending = untilTurnEnds(app.client, id, {
      onFrame: ({ type }) => {
        isRefused ||= type === "error";
        hasEnded ||= type === "turn.completed" || type === "turn.failed";
      },
    });
    // A busy machine may begin to wait after the refusal was told: the minute passes until the turn has ended.
    const passed = (): boolean => {
      if (isRefused && !hasEnded) clock.pass(65_000);
      return hasEnded;
    };
    await expect.poll(passed, { interval: 300 }).toBe(true);
    const events = await ending;
    return events.flatMap((event) =>
      event.type === "error" ? [event.message] : event.type.startsWith("turn.") ? [event.type] : [],
    );
  };
  const [one, two, three] = children as [TokenCreated, TokenCreated, TokenCreated];
  for (const child of [one, two]) expect(await turn(child)).toEqual(["turn.started", "turn.completed"]);
  expect(await turn(three)).toEqual([
    "turn.started",
    expect.stringContaining("2 model requests a minute"),
    "turn.completed",
  ]);
});
