import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LiveConnection, type LiveStatus } from "../../src/client/index.ts";
import { LIMITS } from "../../src/protocol/index.ts";

type Listener = (event: object) => void;

/** A socket without a network: the test is its other end. */
class Wire {
  static all: Wire[] = [];
  readonly sent: string[] = [];
  closed = false;
  readonly #listeners: [string, Listener][] = [];

  constructor(_url: string, _protocols: string[]) {
    Wire.all.push(this);
  }

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.push([type, listener]);
  }

  send(data: string): void {
    this.sent.push((JSON.parse(data) as { readonly type: string }).type);
  }

  close(): void {
    this.closed = true;
  }

  happen(type: string, event: object = {}): void {
    for (const [name, listener] of this.#listeners) if (name === type) listener(event);
  }

  say(message: object): void {
    this.happen("message", { data: JSON.stringify(message) });
  }

  welcome(): void {
    this.happen("open");
    this.say({ type: "welcome", protocol: "1.0", server: "test" });
  }
}

const newest = (): Wire => {
  const wire = Wire.all.at(-1);
  if (wire === undefined) throw new Error("nobody has connected");
  return wire;
};

let live: LiveConnection;
let statuses: LiveStatus[];
let online: EventTarget;
beforeEach(() => {
  vi.useFakeTimers();
  online = new EventTarget();
  vi.stubGlobal("addEventListener", online.addEventListener.bind(online));
  vi.stubGlobal("removeEventListener", online.removeEventListener.bind(online));
  vi.stubGlobal("navigator", { onLine: true });
  Wire.all = [];
  statuses = [];
  const unreachable = () => Promise.reject(new TypeError("there is no server"));
  live = new LiveConnection({ url: "http://server", token: "t", WebSocket: Wire, fetch: unreachable });
  live.onStatus((status) => statuses.push(status));
});
afterEach(() => {
  live.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Somebody listens from now on. */
function listen(): AsyncGenerator {
  const feed = live.feed();
  void feed.next();
  return feed;
}

describe("a connection in time", () => {
  it("is asked for a sign of life after a silence, and given up when there is none", async () => {
    listen();
    newest().welcome();
    await vi.advanceTimersByTimeAsync(LIMITS.livePingMs);
    expect(newest().sent).toEqual(["hello", "feed", "ping"]);
    newest().say({ type: "pong" });
    await vi.advanceTimersByTimeAsync(LIMITS.livePingMs);
    expect(newest().sent.filter((type) => type === "ping").length).toBe(2);
    expect(live.status.state).toBe("open");
    await vi.advanceTimersByTimeAsync(LIMITS.livePongMs);
    expect([live.status.state, newest().closed]).toEqual(["waiting", true]);
    await vi.advanceTimersByTimeAsync(LIMITS.liveRetryMs);
    expect([live.status.state, Wire.all.length]).toEqual(["connecting", 2]);
  });

  it("is given up when nobody welcomes it in time", async () => {
    listen();
    newest().happen("open");
    await vi.advanceTimersByTimeAsync(LIMITS.liveConnectMs);
    expect([live.status.state, newest().closed]).toEqual(["waiting", true]);
  });

  it("is tried again without end, with waits that grow up to a bound", async () => {
    listen();
    const waits: number[] = [];
    for (let attempt = 1; attempt <= 30; attempt += 1) {
      newest().happen("close");
      expect(live.status).toMatchObject({ state: "waiting", attempt });
      const wait = (live.status.retry_at ?? 0) - Date.now();
      waits.push(wait);
      await vi.advanceTimersByTimeAsync(Math.ceil(wait));
      expect(live.status).toEqual({ state: "connecting", attempt: attempt + 1 });
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(LIMITS.liveRetryCapMs);
    expect(Math.min(...waits.slice(10))).toBeGreaterThanOrEqual(LIMITS.liveRetryCapMs / 2);
    expect(waits[0]).toBeLessThanOrEqual(LIMITS.liveRetryMs * 2);
    newest().welcome();
    expect(live.status).toEqual({ state: "open", attempt: 0 });
  });

  it("says that the device has no network, and is tried at once when it has one again", async () => {
    listen();
    newest().welcome();
    vi.stubGlobal("navigator", { onLine: false });
    online.dispatchEvent(new Event("offline"));
    // The server may be on this machine: it is asked before it is given up.
    expect([live.status.state, newest().sent.at(-1)]).toEqual(["open", "ping"]);
    newest().happen("close");
    expect(live.status.state).toBe("offline");
    vi.stubGlobal("navigator", { onLine: true });
    online.dispatchEvent(new Event("online"));
    expect([live.status.state, Wire.all.length]).toEqual(["connecting", 2]);
  });

  it("is closed a while after the last listener went, unless another one comes", async () => {
    const first = listen();
    newest().welcome();
    newest().say({ type: "feeding" });
    await vi.advanceTimersByTimeAsync(0);
    await first.return(undefined);
    await vi.advanceTimersByTimeAsync(LIMITS.liveLingerMs - 1);
    const second = listen();
    await vi.advanceTimersByTimeAsync(LIMITS.liveLingerMs * 2);
    expect([live.status.state, Wire.all.length]).toEqual(["open", 1]);
    await vi.advanceTimersByTimeAsync(0);
    await second.return(undefined);
    await vi.advanceTimersByTimeAsync(LIMITS.liveLingerMs);
    expect([live.status, newest().closed]).toEqual([{ state: "closed", attempt: 0 }, true]);
    expect(statuses.map(({ state }) => state)).toEqual(["connecting", "open", "closed"]);
    listen();
    expect([live.status.state, Wire.all.length]).toEqual(["connecting", 2]);
  });
});
