import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { LiveConnection } from "../../src/client/index.ts";
import { LIMITS, type StreamFrame } from "../../src/protocol/index.ts";

/** A server that says what a test tells it to: what no real one can be made to say at a given moment. */
class Speaker {
  readonly http = createServer((_request, response) => response.writeHead(503).end());
  readonly heard: Record<string, unknown>[] = [];
  socket: WebSocket | undefined;
  answer: (message: Record<string, unknown>) => void = () => undefined;
  #changed: () => void = () => undefined;

  async open(): Promise<void> {
    const sockets = new WebSocketServer({ server: this.http, path: "/api/ws" });
    sockets.on("connection", (socket) => {
      this.socket = socket;
      socket.on("message", (data: Buffer) => {
        const message = JSON.parse(data.toString()) as Record<string, unknown>;
        this.heard.push(message);
        if (message["type"] === "hello") this.say({ type: "welcome", protocol: "1.0", server: "test" });
        this.answer(message);
        this.#changed();
      });
    });
    await new Promise<void>((resolve) => {
      this.http.listen(0, "127.0.0.1", resolve);
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.http.address() as AddressInfo).port}`;
  }

  say(message: unknown): void {
    this.socket?.send(JSON.stringify(message));
  }

  async until(count: number, type: string): Promise<void> {
    while (this.heard.filter((message) => message["type"] === type).length < count)
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
  }
}

const session_id = "ses_1";
const event = (seq: number): object => ({
  seq,
  session_id,
  at: "2026-11-15T00:00:00.000Z",
  type: "error",
  message: "m",
});
const delta = (text: string): object => ({ type: "item.delta", session_id, item_id: "i", field: "text", delta: text });

let server: Speaker;
let live: LiveConnection;
beforeEach(async () => {
  server = new Speaker();
  await server.open();
  live = new LiveConnection({ url: server.url, token: "t", WebSocket });
});
afterEach(async () => {
  live.close();
  server.http.closeAllConnections();
  await new Promise((resolve) => {
    server.http.close(resolve);
  });
});

async function take(watch: AsyncGenerator<StreamFrame>, count: number): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  while (seen.length < count) {
    const { value, done } = await watch.next();
    if (done === true) break;
    seen.push("seq" in value ? value.seq : value.type === "item.delta" ? value.delta : value.type);
  }
  return seen;
}

describe("what comes over the wire", () => {
  it("is not heard twice, and not before the server has said which subscription it belongs to", async () => {
    let subscriptions = 0;
    server.answer = ({ type, after }) => {
      if (type === "unsubscribe") {
        // Sent before the server heard of it: of the older subscription.
        server.say(event(9));
        server.say({ type: "unsubscribed", session_id });
      }
      if (type !== "subscribe") return;
      subscriptions += 1;
      server.say({ type: "subscribed", session_id, after });
      for (let seq = Number(after) + 1; seq <= 3; seq += 1) server.say(event(seq));
      if (subscriptions === 2) for (const message of [event(3), event(4), delta("x"), event(5)]) server.say(message);
    };
    const first = live.watch(session_id, { after: 1 });
    expect(await take(first, 2)).toEqual([2, 3]);
    const second = live.watch(session_id);
    expect(await take(second, 6)).toEqual([1, 2, 3, 4, "x", 5]);
    expect(await take(first, 3)).toEqual([4, "x", 5]);
    expect(server.heard).toEqual([
      { type: "hello", protocol: "1.0" },
      { type: "subscribe", session_id, after: 1 },
      { type: "unsubscribe", session_id },
      { type: "subscribe", session_id, after: 0 },
    ]);
  });

  it("waits for a slow reader with bounded memory: the rest is asked for when it has caught up", async () => {
    const all = LIMITS.liveQueueFrames * 2 + 10;
    server.answer = ({ type, after }) => {
      if (type === "unsubscribe") server.say({ type: "unsubscribed", session_id });
      if (type !== "subscribe") return;
      server.say({ type: "subscribed", session_id, after });
      for (let seq = Number(after) + 1; seq <= all; seq += 1) server.say(event(seq));
      server.say({ type: "unsubscribed", session_id, ended: true });
    };
    const watch = live.watch(session_id);
    expect(await take(watch, 1)).toEqual([1]);
    await server.until(1, "unsubscribe");
    const rest = await take(watch, all);
    expect(rest).toEqual(Array.from({ length: all - 1 }, (_, index) => index + 2));
    const asked = server.heard.flatMap((message) => (message["type"] === "subscribe" ? [message["after"]] : []));
    expect(asked[0]).toBe(0);
    expect(asked.length).toBeGreaterThanOrEqual(2);
  });

  it.each(["rate_limited", "shutting_down"])("asks again when it was refused for now: %s", async (code) => {
    let refusals = 0;
    server.answer = ({ type, after }) => {
      if (type !== "subscribe") return;
      refusals += 1;
      if (refusals < 3) server.say({ type: "refused", session_id, error: { code, message: "not now" } });
      else for (const message of [{ type: "subscribed", session_id, after }, event(1)]) server.say(message);
    };
    expect(await take(live.watch(session_id), 1)).toEqual([1]);
    expect(refusals).toBe(3);
  });

  it("asks again when the server let a session go that has not ended", async () => {
    let asked = 0;
    server.answer = ({ type, after }) => {
      if (type !== "subscribe") return;
      asked += 1;
      server.say({ type: "subscribed", session_id, after });
      server.say(event(asked));
      server.say({ type: "unsubscribed", session_id, ended: asked === 3 });
    };
    expect(await take(live.watch(session_id), 10)).toEqual([1, 2, 3]);
  });

  it("is refused for good by a server of another protocol", async () => {
    const refusal = { type: "refused", error: { code: "protocol_mismatch", message: "this server speaks 2.0" } };
    const stranger = new WebSocketServer({ port: 0, host: "127.0.0.1" });
    stranger.on("connection", (socket) => socket.on("message", () => socket.send(JSON.stringify(refusal))));
    await new Promise((resolve) => {
      stranger.once("listening", resolve);
    });
    const { port } = stranger.address() as AddressInfo;
    const other = new LiveConnection({ url: `http://127.0.0.1:${port}`, token: "t", WebSocket });
    await expect(other.watch(session_id).next()).rejects.toMatchObject({ code: "protocol_mismatch" });
    expect(other.status).toEqual({ state: "closed", attempt: 0 });
    stranger.close();
  });

  it("says what is wrong with a token that cannot be sent", async () => {
    const other = new LiveConnection({ url: server.url, token: "not a token", WebSocket });
    await expect(other.watch(session_id).next()).rejects.toMatchObject({ code: "invalid_request" });
  });
});
