import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { LIMITS } from "../../src/protocol/limits.ts";
import { ReaderTurns } from "../../src/sessions/core/reader-turns.ts";
import { SocketConnection } from "../../src/surfaces/connection.ts";
import { SSE_STREAM, sseText, writeStream } from "../../src/surfaces/stream.ts";
import { openTestApp } from "../support/app.ts";
import { TEST_TOKEN } from "../support/server.ts";

type Frames = Parameters<typeof sseText>[0];

/** What a reader that does not read may cost (the promise of docs/operations/limits.md). */
const READER_BYTES = 65_536;
const FRAME_TEXT = `{"type":"notice","text":"${"x".repeat(200)}"}`;

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const frame = (): Frames[number] =>
  ({ bytes: Buffer.from(FRAME_TEXT), sse: `event: notice\ndata: ${FRAME_TEXT}\n\n` }) as unknown as Frames[number];
const batch = (): Frames => Array.from({ length: LIMITS.watchBatchFrames }, frame);

const opened: (() => unknown)[] = [];
afterEach(() => {
  for (const close of opened.splice(0)) close();
});

async function socketPair(): Promise<{
  readonly client: WebSocket;
  readonly served: WebSocket;
  readonly stream: Socket;
}> {
  const server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  opened.push(
    () => server.close(),
    () => client.terminate(),
  );
  const [[served, { socket: stream }]] = (await Promise.all([once(server, "connection"), once(client, "open")])) as [
    [WebSocket, IncomingMessage],
    unknown,
  ];
  return { client, served, stream };
}

async function httpPair(): Promise<{ readonly outgoing: ServerResponse; readonly client: IncomingMessage }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const asked = get({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, agent: false });
  opened.push(
    () => server.close(),
    () => server.closeAllConnections(),
    () => asked.destroy(),
  );
  const [, outgoing] = (await once(server, "request")) as [IncomingMessage, ServerResponse];
  outgoing.writeHead(200);
  outgoing.flushHeaders();
  const [client] = (await once(asked, "response")) as [IncomingMessage];
  client.pause();
  return { outgoing, client };
}

describe("a reader that does not read", () => {
  it("holds little of a WebSocket's frames, and gets all of them once it reads", async () => {
    const { client, served, stream } = await socketPair();
    let seen = 0;
    client.on("message", () => (seen += 1));
    client.pause();
    const connection = new SocketConnection(served, stream);
    const batches = 2_000;
    let pushed = 0;
    const pushing = (async () => {
      for (; pushed < batches; pushed += 1) await connection.push(batch());
    })();
    // The kernel takes some megabytes; then nothing moves any more.
    for (let last = -1; last !== pushed;) {
      last = pushed;
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    }
    expect(pushed).toBeLessThan(batches);
    expect(served.bufferedAmount).toBeLessThan(LIMITS.socketBacklogBytes + 2 * FRAME_TEXT.length);
    client.resume();
    await pushing;
    while (seen < batches * LIMITS.watchBatchFrames) await once(client, "message");
    expect(seen).toBe(batches * LIMITS.watchBatchFrames);
  });

  it("is not listened to while its answers wait", async () => {
    const { client, served, stream } = await socketPair();
    client.pause();
    const connection = new SocketConnection(served, stream);
    let taken = 0;
    connection.listen(
      () => {
        taken += 1;
        connection.say({ type: "pong", text: "x".repeat(30_000) });
      },
      () => undefined,
    );
    const asked = 900;
    for (let index = 0; index < asked; index += 1) client.send("{}");
    for (let last = -1; last !== taken;) {
      last = taken;
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    }
    expect(taken).toBeLessThan(asked);
    expect(served.bufferedAmount).toBeLessThan(2 * 30_100);
    const answers: unknown[] = [];
    client.on("message", (data) => answers.push(data));
    client.resume();
    while (answers.length < asked) await once(client, "message");
    expect([taken, answers.length]).toEqual([asked, asked]);
  });

  it("holds little of a stream of events, and no batch", async () => {
    const { outgoing, client } = await httpPair();
    const handed: Frames[] = [];
    const total = 2_000;
    const frames = (async function* () {
      while (handed.length < total) {
        const next = batch();
        handed.push(next);
        yield next;
      }
    })();
    const written = writeStream(headless(outgoing), {
      ...SSE_STREAM,
      pieces: frames,
      encode: sseText,
      failed: () => undefined,
      stop: () => undefined,
    });
    for (let last = -1; last !== handed.length;) {
      last = handed.length;
      for (let turn = 0; turn < 50; turn += 1) await nextTurn();
    }
    expect(handed.length).toBeLessThan(total);
    expect(outgoing.writableLength).toBeLessThan(READER_BYTES);
    expect(handed.reduce((sum, held) => sum + held.length, 0)).toBe(0);
    let bytes = 0;
    client.on("data", (chunk: Buffer) => (bytes += chunk.length));
    client.resume();
    await written;
    await once(client, "end");
    expect(bytes).toBe(total * LIMITS.watchBatchFrames * Buffer.byteLength(frame().sse));
  });

  it("needs no sign of life", async () => {
    const { outgoing } = await httpPair();
    const beats: (() => void)[] = [];
    const real = globalThis.setInterval;
    globalThis.setInterval = ((beat: () => void) => void beats.push(beat)) as unknown as typeof setInterval;
    void writeStream(headless(outgoing), {
      ...SSE_STREAM,
      pieces: stuck(),
      encode: () => "",
      failed: () => undefined,
      stop: () => undefined,
    });
    globalThis.setInterval = real;
    while (!outgoing.writableNeedDrain) outgoing.write("x".repeat(100_000));
    const before = outgoing.writableLength;
    for (const beat of beats) beat();
    expect([beats.length, outgoing.writableLength]).toEqual([1, before]);
  });
});

/** A response whose head is sent already. */
function headless(outgoing: ServerResponse): ServerResponse {
  return new Proxy(outgoing, {
    get: (target, key) => {
      if (key === "writeHead" || key === "flushHeaders") return () => target;
      const value = Reflect.get(target, key, target) as unknown;
      return typeof value === "function" ? (value as (...words: unknown[]) => unknown).bind(target) : value;
    },
  });
}

async function* stuck(): AsyncGenerator<never> {
  await new Promise<void>(() => undefined);
  yield undefined as never;
}

describe("many readers that replay a journal", () => {
  it("share each turn of the event loop, first come, first served", async () => {
    const turns = new ReaderTurns();
    const order: number[] = [];
    const readers = 50;
    for (let index = 0; index < readers; index += 1) void turns.next().then(() => order.push(index));
    for (let turn = 1; order.length < readers; turn += 1) {
      await nextTurn();
      expect(order.length).toBeLessThanOrEqual((turn + 1) * LIMITS.readerStepsPerTurn);
    }
    expect(order).toEqual(Array.from({ length: readers }, (_, index) => index));
  });

  it("leave time for input between two turns", async () => {
    const turns = new ReaderTurns();
    let pages = 0;
    const stop = new AbortController();
    const reader = async (): Promise<void> => {
      while (!stop.signal.aborted) {
        await turns.next();
        pages += 1;
      }
    };
    for (let index = 0; index < 500; index += 1) void reader();
    const counts: number[] = [];
    for (let round = 0; round < 20; round += 1) {
      const before = pages;
      await nextTurn();
      counts.push(pages - before);
    }
    stop.abort();
    expect(Math.max(...counts)).toBeLessThanOrEqual(2 * LIMITS.readerStepsPerTurn);
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it("hardly get on while connections come, but are not forgotten", async () => {
    const turns = new ReaderTurns();
    let steps = 0;
    turns.connected();
    for (let index = 0; index < 100; index += 1) void turns.next().then(() => (steps += 1));
    const counts: number[] = [];
    for (let turn = 0; turn < 3 * LIMITS.readerTurnsBusy; turn += 1) {
      turns.connected();
      await nextTurn();
      counts.push(steps);
    }
    expect(counts.at(-1)).toBe(3);
    await nextTurn();
    await nextTurn();
    expect(steps).toBeGreaterThan(3 + LIMITS.readerStepsPerTurn);
  });
});

describe("many that open a stream in one moment", () => {
  const ask = (path: string, more: string): string =>
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${TEST_TOKEN}\r\n${more}\r\n`;
  const upgrade =
    "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";

  it.each([
    { kind: "events", opening: (id: string) => ask(`/api/sessions/${id}/events`, "Accept: text/event-stream\r\n") },
    { kind: "WebSocket", opening: () => ask("/api/ws", upgrade) },
  ])("are opened after /health, which came last, is answered: $kind", async ({ opening }) => {
    await using app = await openTestApp();
    const { id } = await app.client.createSession({});
    const answered: string[] = [];
    const open = (name: string, request: string): Promise<unknown> => {
      const socket = connect(Number(new URL(app.serving.url).port), "127.0.0.1");
      opened.push(() => socket.destroy());
      socket.write(request);
      return once(socket, "data").then(() => answered.push(name));
    };
    const openings = Array.from({ length: 200 }, () => open("stream", opening(id)));
    await Promise.all([...openings, open("health", ask("/health", ""))]);
    // Streams of the turns in which nothing else came, and of those that the answer itself takes.
    expect(answered.indexOf("health")).toBeLessThan(100);
    expect(answered).toHaveLength(201);
    for (const close of opened.splice(0)) close();
  });
});
