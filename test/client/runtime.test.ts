import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { Subject } from "rxjs";
import { WebSocket, WebSocketServer } from "ws";
import { ClaudeRuntimeClient, type RuntimeClientOptions } from "../../src/client/runtime.ts";
import { openRuntimeApp, type RuntimeApp } from "../surfaces/runtime-world.ts";
import { script } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";

let app: RuntimeApp;
beforeAll(async () => {
  app = await openRuntimeApp();
});
afterAll(() => app[Symbol.asyncDispose]());

const clients: ClaudeRuntimeClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.disconnect();
});
function make(options: RuntimeClientOptions = {}): ClaudeRuntimeClient {
  const client = new ClaudeRuntimeClient({ url: address(), token: TEST_TOKEN, WebSocket, ...options });
  clients.push(client);
  return client;
}
const address = (): string => `${app.url.replace("http", "ws")}/ws`;

/** Everything that the Subjects say, until one of an answer's ends. */
function collect(client: ClaudeRuntimeClient): { readonly heard: [string, object][]; readonly end: Promise<void> } {
  const heard: [string, object][] = [];
  const end = new Promise<void>((resolve) => {
    client.onChunk.subscribe((chunk) => heard.push(["chunk", chunk]));
    client.onToolUse.subscribe((use) => heard.push(["tool_use", use]));
    client.onFinal.subscribe((final) => {
      heard.push(["final", final]);
      resolve();
    });
    client.onError.subscribe((error) => {
      heard.push(["error", error]);
      resolve();
    });
  });
  return { heard, end };
}

describe("document 000's client", () => {
  it("connects, sends, and tells of chunks and the end", async () => {
    const client = make();
    expect(client.connected).toBe(false);
    expect(() => client.send("s", "too early")).toThrow("the Claude runtime is not connected: call connect() first");
    await Promise.all([client.connect(), client.connect()]);
    expect(client.connected).toBe(true);
    const { heard, end } = collect(client);
    client.send("talk", script({ say: "one two three" }));
    await end;
    const chunks = heard.flatMap(([kind, value]) => (kind === "chunk" ? [(value as { content: string }).content] : []));
    expect([chunks.join(""), heard.at(-1)]).toEqual([
      "one two three",
      [
        "final",
        expect.objectContaining({
          sessionId: "talk",
          content: "one two three",
          usage: expect.objectContaining({ output_tokens: expect.any(Number) as number }) as object,
          cost_usd: expect.any(Number) as number,
          num_turns: 1,
        }),
      ],
    ]);
  });

  it("runs the tools of the page: the result goes back, and whoever shows the steps is told", async () => {
    const calls: object[] = [];
    const client = make({
      toolExecutor: {
        execute: async (call) => {
          calls.push({ tool: call.tool, args: call.args });
          if (call.tool === "describe_viewer") throw new Error("no such viewer");
          return "Added viewer with ID: viewer-1";
        },
      },
    });
    await client.connect();
    const { heard, end } = collect(client);
    const histogram = { viewerType: "Histogram", viewerProperties: { valueColumnName: "Age" } };
    const steps = script(
      { tool: "mcp__datagrok__add_viewer", input: histogram },
      { tool: "mcp__datagrok__describe_viewer", input: { viewerType: "None" } },
      { say: "done" },
    );
    client.send("tools", steps, { viewType: "TABLE_VIEW" });
    await end;
    expect(calls).toEqual([
      { tool: "add_viewer", args: histogram },
      { tool: "describe_viewer", args: { viewerType: "None" } },
    ]);
    const own = heard.filter(([kind, use]) => kind === "tool_use" && "tool" in use && use.tool === "add_viewer");
    expect(own.map(([, use]) => use)).toContainEqual({
      sessionId: "tools",
      tool: "add_viewer",
      input: histogram,
      status: "completed",
    });
    expect(heard.at(-1)).toEqual(["final", expect.objectContaining({ sessionId: "tools", content: "done" })]);
  });

  it("answers for a page without tools, and takes another executor later", async () => {
    const client = make();
    await client.connect();
    const ask = (): Promise<unknown> =>
      client.query(script({ tool: "mcp__datagrok__list_current_viewers", input: {} }, { say: "so" }), {
        context: { viewType: "TABLE_VIEW" },
      });
    const errors: unknown[] = [];
    client.onMessage.subscribe((message) => message["error"] !== undefined && errors.push(message["error"]));
    await ask();
    client.toolExecutor = { execute: () => "No viewers currently added." };
    await ask();
    expect(errors).toEqual(["Error: this page has no tools"]);
  });

  it("asks one question and gets its answer; two at once get each their own", async () => {
    const client = make();
    const answers = await Promise.all([client.query(script({ say: "one" })), client.query(script({ say: "two" }))]);
    expect(answers.map(({ content }) => content)).toEqual(["one", "two"]);
  });

  it.each<[string, (client: ClaudeRuntimeClient) => Promise<unknown>, string]>([
    [
      "the time is over",
      (client) => client.query(script({ delay_ms: 5_000 }), { timeoutMs: 50 }),
      "there was no answer within 0.05s",
    ],
    [
      "it is aborted",
      (client) => {
        const stop = new AbortController();
        const asked = client.query(script({ delay_ms: 5_000 }), { signal: stop.signal });
        stop.abort(new Error("not any more"));
        return asked;
      },
      "not any more",
    ],
    ["the server refuses it", (client) => client.query(" "), "Empty message"],
    [
      "the client is disconnected",
      async (client) => {
        await client.connect();
        const asked = client.query(script({ delay_ms: 5_000 }));
        setImmediate(() => client.disconnect());
        return asked;
      },
      "disconnected",
    ],
  ])("a question has no answer when %s", async (_, ask, message) => {
    await expect(ask(make())).rejects.toThrow(message);
  });

  it("disconnects: who listened is told so, and who listens then hears the next connection", async () => {
    const client = make();
    await client.connect();
    const before = [client.onChunk, client.onToolUse, client.onFinal, client.onError];
    let completed = 0;
    for (const subject of before as Subject<unknown>[]) subject.subscribe({ complete: () => (completed += 1) });
    client.disconnect();
    const after = [client.onChunk, client.onToolUse, client.onFinal, client.onError];
    expect([completed, client.connected, after.some((subject) => (before as unknown[]).includes(subject))]).toEqual([
      4,
      false,
      false,
    ]);
    expect((await client.query(script({ say: "again" }))).content).toBe("again");
  });

  it("is one for the whole page", () => {
    expect(ClaudeRuntimeClient.getInstance()).toBe(ClaudeRuntimeClient.getInstance({ url: "ws://elsewhere" }));
  });
});

describe("a server that speaks badly or goes away", () => {
  /** A socket that says what a test wants, and how it is asked for. */
  async function speaker(say: (socket: WebSocket) => void): Promise<{ url: string; close(): Promise<void> }> {
    const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    server.on("connection", say);
    await new Promise((resolve) => {
      server.once("listening", resolve);
    });
    const { port } = server.address() as { port: number };
    return {
      url: `ws://127.0.0.1:${port}/ws`,
      close: () =>
        new Promise((resolve) => {
          for (const socket of server.clients) socket.terminate();
          server.close(() => resolve());
        }),
    };
  }

  it("is not available: that is said, and the next try may succeed", async () => {
    const client = make({ url: "ws://127.0.0.1:1/ws" });
    await expect(client.connect()).rejects.toThrow("Claude runtime container not available");
    await client.connect(address());
    expect(client.connected).toBe(true);
  });

  it("does not answer in time", async () => {
    const client = make({ connectTimeoutMs: 30, openSocket: () => new Promise(() => undefined) });
    await expect(client.connect()).rejects.toThrow(
      "Claude runtime container not available: no connection within 0.03s; is it deployed?",
    );
  });

  it("says what is not JSON, or what is not known: it is ignored", async () => {
    const server = await speaker((socket) => {
      socket.on("message", () => {
        for (const text of ["CONNECTED", "{", '{"type":"new"}', '{"type":"final","sessionId":"s","content":"ok"}'])
          socket.send(text);
      });
    });
    const log: string[] = [];
    const client = make({ url: server.url, log: (message) => log.push(message) });
    expect(await client.query("hello", { sessionId: "s" })).toMatchObject({ content: "ok" });
    expect(log.length).toBe(2);
    await server.close();
  });

  it("closes while it answers: that is an error of the conversations that wait, and connect makes a new one", async () => {
    let connections = 0;
    const server = await speaker((socket) => {
      connections += 1;
      socket.on("message", () => (connections === 1 ? socket.terminate() : undefined));
    });
    const client = make({ url: server.url });
    await client.connect();
    const lost = new Promise((resolve) => {
      client.onError.subscribe(resolve);
    });
    client.send("s", "hello");
    expect(await lost).toEqual({ sessionId: "s", message: "Connection to Claude runtime lost" });
    expect(client.connected).toBe(false);
    await client.connect();
    expect([client.connected, connections]).toEqual([true, 2]);
    await server.close();
  });

  it("is not wanted any more when it opens at last", async () => {
    const server = await speaker(() => undefined);
    const client = make({ url: server.url });
    const connecting = client.connect();
    client.disconnect();
    await expect(connecting).rejects.toThrow("disconnected");
    expect(client.connected).toBe(false);
    await server.close();
  });

  it("is reached over a way of the platform's own", async () => {
    const client = make({
      openSocket: async () => {
        const socket = new WebSocket(address(), [`sallyport.token.${TEST_TOKEN}`]);
        await new Promise((resolve) => {
          socket.once("open", resolve);
        });
        return socket;
      },
    });
    expect((await client.query(script({ say: "through" }))).content).toBe("through");
  });
});
