import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../../src/gate/index.ts";
import { LIMITS, type PoolChange, type SessionSettings } from "../../../src/protocol/index.ts";
import type { EnvironmentRequest, SessionEnvironment } from "../../../src/sessions/dependencies.ts";
import { WorkerPool } from "../../../src/sessions/workers/pool.ts";
import { MovableClock } from "../../support/clock.ts";

const SETTINGS = { engine: "loop", sandbox: "bubblewrap", network: "none" } as SessionSettings;

/** Whether each of them has ended once everything that can happen now has happened. */
async function settledIn(promises: readonly Promise<unknown>[]): Promise<readonly boolean[]> {
  const settled = promises.map(() => false);
  for (const [at, promise] of promises.entries()) {
    const end = (): void => {
      settled[at] = true;
    };
    promise.then(end, end);
  }
  await setImmediate();
  return settled;
}

/** A pool whose sessions are names, and whose environments only know when they are closed. */
function poolOf(config: PoolChange) {
  const clock = new MovableClock({ stands: true });
  const working = new Set<string>();
  const prepared = new Set<string>();
  const kept = new Set<string>();
  const released = new Map<string, () => void>();
  const ended: string[] = [];
  const notices: string[] = [];
  const pool = new WorkerPool({
    clock,
    config,
    prepared: (id) => (prepared.has(id) ? { isReady: true, hasProgram: false } : undefined),
    isWorking: (id) => working.has(id),
    end: async (id) => {
      ended.push(id);
      if (kept.has(id)) return;
      prepared.delete(id);
      released.get(id)?.();
    },
    suspect: () => undefined,
    changed: () => undefined,
  });
  const open = (id: string, { pin, signal }: { readonly pin?: string; readonly signal?: AbortSignal } = {}) => {
    const wanted: EnvironmentRequest = {
      session_id: id,
      settings: SETTINGS,
      policy: DEFAULT_POLICY,
      serverFiles: [],
      browserAbilities: () => [],
      egressHosts: () => [],
      askHost: () => Promise.reject(new Error("nobody asks")),
      notice: (message) => notices.push(message),
      worker: () => pin,
      signal,
    };
    return pool.open(wanted, async (given) => {
      released.set(id, () => given.released?.());
      return {} as SessionEnvironment;
    });
  };
  const places = (): readonly string[] => pool.views().map(({ id, session_id = "-" }) => `${id} ${session_id}`);
  return {
    pool,
    clock,
    working,
    prepared,
    kept,
    ended,
    notices,
    open,
    places,
    close: (id: string) => released.get(id)?.(),
  };
}

describe("the pool", () => {
  it("gives each session the first free place, and a place that was left to the next", async () => {
    const { open, close, places } = poolOf({ max_workers: 3 });
    for (const id of ["a", "b", "c"]) await open(id);
    expect(places()).toEqual(["w1 a", "w2 b", "w3 c"]);
    close("b");
    close("b");
    await open("d");
    expect(places()).toEqual(["w1 a", "w2 d", "w3 c"]);
  });

  it("never has more than its maximum: others wait in order, and are told so", async () => {
    const { pool, working, notices, open, close, places } = poolOf({ max_workers: 1 });
    working.add("a");
    await open("a");
    const second = open("b");
    const third = open("c");
    expect(await settledIn([second, third])).toEqual([false, false]);
    expect(pool.view()).toMatchObject({ workers: 1, busy: 1, waiting: 2 });
    expect(notices).toEqual(Array(2).fill("all 1 workers are busy: this session waits for one"));
    working.add("b");
    close("a");
    await second;
    expect({ places: places(), third: await settledIn([third]) }).toEqual({ places: ["w1 b"], third: [false] });
    close("b");
    await third;
  });

  it("ends what does nothing for those who wait: prepared workers first, then who rests longest", async () => {
    const { clock, working, prepared, ended, open, places } = poolOf({ max_workers: 3 });
    await open("a");
    clock.pass(10);
    prepared.add("b");
    await open("b");
    working.add("c");
    await open("c");
    await open("d");
    expect({ ended, places: places() }).toEqual({ ended: ["b"], places: ["w1 a", "w2 d", "w3 c"] });
    await open("e");
    expect({ ended, places: places() }).toEqual({ ended: ["b", "a"], places: ["w1 e", "w2 d", "w3 c"] });
  });

  it("asks the next one where one cannot end, and that one only once", async () => {
    const { clock, kept, ended, open, places } = poolOf({ max_workers: 2 });
    kept.add("a");
    await open("a");
    clock.pass(10);
    await open("b");
    await open("c");
    expect({ ended, places: places() }).toEqual({ ended: ["a", "b"], places: ["w1 a", "w2 c"] });
    await open("d");
    expect({ ended, places: places() }).toEqual({ ended: ["a", "b", "c"], places: ["w1 a", "w2 d"] });
  });

  it("refuses by name who would wait behind too many, or waits too long, and forgets who no longer needs it", async () => {
    const { pool, clock, working, open } = poolOf({ max_workers: 1 });
    working.add("a");
    await open("a");
    const waiting = Array.from({ length: LIMITS.workerWaiters - 1 }, (_, at) => open(`w${at}`));
    const leaving = new AbortController();
    const left = open("left", { signal: leaving.signal });
    await expect(open("one too many")).rejects.toMatchObject({
      code: "limit_reached",
      message: `all 1 workers are busy, and ${LIMITS.workerWaiters} sessions wait already; try again when a session has ended`,
    });
    leaving.abort();
    await expect(left).rejects.toMatchObject({ code: "aborted" });
    const results = Promise.allSettled(waiting);
    clock.pass(LIMITS.workerWaitMs);
    for (const result of await results)
      expect(result).toMatchObject({ status: "rejected", reason: { code: "limit_reached" } });
    expect(pool.view()).toMatchObject({ workers: 1, waiting: 0 });
  });

  it("keeps a pinned place for its principal, who waits for that one alone", async () => {
    const { pool, working, open, close, places } = poolOf({ max_workers: 3, pins: { reviewer: "w2" } });
    const created_by = { id: "p1", name: "reviewer", role: "agent" } as const;
    const pin = pool.pinOf({ settings: SETTINGS, created_by });
    expect(pin).toBe("w2");
    for (const id of ["a", "b"]) {
      working.add(id);
      await open(id);
    }
    expect(places()).toEqual(["w1 a", "w3 b"]);
    const third = open("c");
    working.add("r1");
    await open("r1", { pin: "w2" });
    const again = open("r2", { pin: "w2" });
    close("a");
    await third;
    expect({ places: places(), again: await settledIn([again]) }).toEqual({
      places: ["w1 c", "w2 r1", "w3 b"],
      again: [false],
    });
    close("r1");
    await again;
    expect(places()).toEqual(["w1 c", "w2 r2", "w3 b"]);
    expect(() => pool.checkPin("w4", created_by)).toThrow("there is no worker w4: the pool has w1 to w3");
    expect(() => pool.checkPin("w2", { id: "x", name: "x" })).toThrow("the worker w2 is reserved for others");
  });

  it("moves a prepared worker to the place that its session is pinned to", async () => {
    const { pool, prepared, open, places } = poolOf({ max_workers: 3 });
    for (const id of ["a", "b"]) {
      prepared.add(id);
      await open(id);
    }
    expect(pool.assign("a", "w2")).toBe(true);
    prepared.delete("a");
    expect(places()).toEqual(["w1 -", "w2 a"]);
    expect(pool.assign("b", "w2")).toBe(false);
    expect(pool.view()).toMatchObject({ taken: 1, idle: 1, busy: 1 });
  });

  it("changes while it works: fewer places end what does nothing, more serve who waits, nonsense changes nothing", async () => {
    const { pool, working, prepared, ended, open, places } = poolOf({ max_workers: 3 });
    working.add("a");
    for (const id of ["a", "b", "c"]) {
      if (id !== "a") prepared.add(id);
      await open(id);
    }
    for (const change of [{ min_workers: 4 }, { max_workers: 1, pins: { x: "w2" } }])
      expect(() => pool.configure(change)).toThrow(/max_workers/);
    expect(pool.config).toMatchObject({ min_workers: 0, max_workers: 3 });
    pool.configure({ max_workers: 1 });
    expect({ ended: ended.toSorted(), places: places() }).toEqual({ ended: ["b", "c"], places: ["w1 a"] });
    const waits = open("d");
    expect(await settledIn([waits])).toEqual([false]);
    pool.configure({ max_workers: 2 });
    await waits;
    expect(places()).toEqual(["w1 a", "w2 d"]);
  });
});
