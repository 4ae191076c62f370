import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/protocol/index.ts";
import { asking, charge, claim, granted, openWorld, spendingLimit, reserved, settled, type World } from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const A = (limit: number) => spendingLimit("session/a", limit);
const B = (limit: number) => spendingLimit("day/b", limit, "day");

describe("waiting", () => {
  it("is for others' reservations only, in order, and nobody is overtaken", async () => {
    const first = await reserved(world, claim("req_0", 900, [A(1_000)]));
    const asked = [300, 50, 600, 80].map((amount, index) =>
      asking(world, claim(`req_${index + 1}`, amount, [A(1_000)])),
    );
    await settled(world);
    // 50 would fit, but 300 came first.
    expect(granted(asked)).toEqual(["waits", "waits", "waits", "waits"]);
    first.settle(charge(100));
    await settled(world);
    // 100 spent and 350 reserved: 600 does not fit, and 80 may not pass it.
    expect(granted(asked)).toEqual(["granted", "granted", "waits", "waits"]);
    asked[0]?.reservation?.release();
    await settled(world);
    expect(granted(asked)).toEqual(["granted", "granted", "granted", "granted"]);
  });

  it("ends with the shortage when what others spent leaves too little", async () => {
    const first = await reserved(world, claim("req_0", 900, [A(1_000)]));
    const asked = [500, 60].map((amount, index) => asking(world, claim(`req_${index + 1}`, amount, [A(1_000)])));
    first.settle(charge(900));
    await settled(world);
    expect([asked[0]?.shortage, granted(asked)]).toEqual([
      { kind: "session", limit_microusd: 1_000, spent_microusd: 900, reserved_microusd: 0, asked_microusd: 500 },
      ["session", "granted"],
    ]);
  });

  it("at one account holds up nobody at another", async () => {
    await reserved(world, claim("req_0", 900, [A(1_000), B(10_000)]));
    const held = asking(world, claim("req_1", 500, [A(1_000), B(10_000)]));
    const other = asking(world, claim("req_2", 500, [spendingLimit("session/c", 1_000), B(10_000)]));
    await settled(world);
    expect(granted([held, other])).toEqual(["waits", "granted"]);
  });

  it("moves on to the next account that holds it up, and keeps its turn there", async () => {
    const a = await reserved(world, claim("req_a", 900, [A(1_000)]));
    const b = await reserved(world, claim("req_b", 900, [B(1_000)]));
    const early = asking(world, claim("req_1", 400, [A(1_000), B(1_000)]));
    const late = asking(world, claim("req_2", 400, [B(1_000)]));
    const last = asking(world, claim("req_3", 300, [B(1_000)]));
    await settled(world);
    a.release();
    await settled(world);
    expect(granted([early, late, last])).toEqual(["waits", "waits", "waits"]);
    b.settle(charge(300));
    await settled(world);
    // 300 spent: the early one first, then nobody passes the one whose turn it is.
    expect(granted([early, late, last])).toEqual(["granted", "waits", "waits"]);
    early.reservation?.release();
    await settled(world);
    expect(granted([early, late, last])).toEqual(["granted", "granted", "granted"]);
  });

  it("ends with its time, with what then stands in the way", async () => {
    const first = await reserved(world, claim("req_0", 900, [A(1_000)]));
    const [long, short] = [
      asking(world, claim("req_1", 500, [A(1_000)])),
      asking(world, claim("req_2", 100, [A(1_000)])),
    ];
    await settled(world);
    world.clock.pass(LIMITS.ledgerWaitMs - 1);
    await settled(world);
    expect(granted([long, short])).toEqual(["waits", "waits"]);
    const fresh = asking(world, claim("req_3", 10, [A(1_000)]));
    await settled(world);
    world.clock.pass(1);
    await settled(world);
    expect([long.shortage, granted([short, fresh])]).toEqual([
      { kind: "session", limit_microusd: 1_000, spent_microusd: 0, reserved_microusd: 900, asked_microusd: 500 },
      ["granted", "waits"],
    ]);
    first.release();
    await settled(world);
    expect([granted([fresh]), await world.ledger.balance("session/a")]).toEqual([
      ["granted"],
      { spent: 0, reserved: 110 },
    ]);
  });

  it("ends with its signal, and the next one has his turn", async () => {
    await reserved(world, claim("req_0", 900, [A(1_000)]));
    const given = new AbortController();
    const [long, next] = [
      asking(world, claim("req_1", 500, [A(1_000)]), given.signal),
      asking(world, claim("req_2", 100, [A(1_000)])),
    ];
    await settled(world);
    given.abort();
    await settled(world);
    expect(granted([long, next])).toEqual(["aborted", "granted"]);
    expect([await world.ledger.balance("session/a"), (await world.store.read.reservations()).length]).toEqual([
      { spent: 0, reserved: 1_000 },
      2,
    ]);
    world.clock.pass(LIMITS.ledgerWaitMs);
    await settled(world);
    expect(long.reservation).toBeUndefined();
  });

  it("has a bound", async () => {
    await reserved(world, claim("req_0", 900, [A(1_000)]));
    const asked = Array.from({ length: LIMITS.ledgerWaiters + 2 }, (_, index) =>
      asking(world, claim(`req_${index + 1}`, 101, [A(1_000)])),
    );
    await settled(world);
    const states = granted(asked);
    expect([states.filter((state) => state === "waits").length, states.slice(-2)]).toEqual([
      LIMITS.ledgerWaiters,
      ["session", "session"],
    ]);
  });
});
