import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Failure, LIMITS, NO_TOKENS, USAGE_GROUPS } from "../../src/protocol/index.ts";
import {
  asking,
  charge,
  claim,
  granted,
  never,
  openWorld,
  spendingLimit,
  reserved,
  settled,
  type World,
} from "./world.ts";

let world: World;
beforeEach(async () => {
  world = await openWorld();
});
afterEach(() => world.close());

const A = (limit?: number) => spendingLimit("session/a", limit);
const B = (limit?: number) => spendingLimit("day/b", limit, "day");

describe("a reservation", () => {
  it("is on the disk before it is answered, and counts on each account once", async () => {
    const spendingLimits = [
      A(1_000),
      spendingLimit("session/a", 900, "threshold"),
      B(),
      spendingLimit("", 500, "request"),
    ];
    const reservation = await reserved(world, claim("req_1", 400, spendingLimits));
    expect(await world.store.read.reservations()).toEqual([
      {
        id: "req_1",
        at: "2026-11-15T12:00:00.000Z",
        session_id: "ses_1",
        turn_id: "turn_1",
        agent: "tok_alice",
        engine: "loop",
        provider: "cloud",
        model: "claude-sonnet-5",
        accounts: ["session/a", "day/b"],
        amount: 400,
      },
    ]);
    const { ledger } = world;
    expect([reservation.id, reservation.amount, await ledger.balance("session/a"), ledger.peek("day/b")]).toEqual([
      "req_1",
      400,
      { spent: 0, reserved: 400 },
      { spent: 0, reserved: 400 },
    ]);
  });

  it("becomes what its request cost, at once and then on the disk, once", async () => {
    const reservation = await reserved(world, claim("req_1", 400, [A(1_000), B()]));
    reservation.settle(charge(150, 50));
    expect(world.ledger.peek("session/a")).toEqual({ spent: 150, reserved: 0 });
    reservation.settle(charge(400));
    reservation.release();
    await world.ledger.flush();
    const { read } = world.store;
    expect({
      reservations: await read.reservations(),
      spent: [await read.spent("session/a"), await read.spent("day/b")],
      usage: await read.usage({ by: USAGE_GROUPS, limit: 10 }),
      balance: await world.ledger.balance("session/a"),
    }).toEqual({
      reservations: [],
      spent: [150, 150],
      usage: [
        {
          day: "2026-11-15",
          session: "ses_1",
          turn: "turn_1",
          key: "",
          agent: "tok_alice",
          engine: "loop",
          provider: "cloud",
          model: "claude-sonnet-5",
          requests: 1,
          tokens: { ...NO_TOKENS, input: 3, output: 5 },
          cost_microusd: 150,
          bound_microusd: 50,
        },
      ],
      balance: { spent: 150, reserved: 0 },
    });
  });

  it("that is released leaves nothing", async () => {
    const reservation = await reserved(world, claim("req_1", 400, [A(1_000)]));
    reservation.release();
    reservation.settle(charge(100));
    await world.ledger.flush();
    const { read } = world.store;
    expect([
      await read.reservations(),
      await read.spent("session/a"),
      await read.usage({ by: ["day"], limit: 1 }),
    ]).toEqual([[], 0, []]);
    expect(await world.ledger.balance("session/a")).toEqual({ spent: 0, reserved: 0 });
  });

  it("of nothing passes every limit and needs no row, but its usage is counted", async () => {
    (await reserved(world, claim("req_1", 5, [A(10)]))).settle(charge(20));
    await world.ledger.flush();
    const free = await reserved(world, claim("req_2", 0, [A(10)]));
    expect(await world.store.read.reservations()).toEqual([]);
    free.settle(charge(0));
    await world.ledger.flush();
    const [line] = await world.store.read.usage({ by: ["session"], limit: 1 });
    expect([line?.requests, line?.cost_microusd]).toEqual([2, 20]);
  });

  it("is refused when the amount is no money, and changes nothing", async () => {
    for (const amount of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER + 1]) {
      await expect(world.ledger.reserve(claim("req_1", amount, [A(10)]), never())).rejects.toMatchObject({
        code: "invalid_request",
      });
    }
    expect(await world.ledger.balance("session/a")).toEqual({ spent: 0, reserved: 0 });
  });

  it("that the store refuses is given back, to those who wait as well", async () => {
    await reserved(world, claim("req_1", 400, [B(1_000)]));
    // An id that is open already.
    const [again, next] = [
      asking(world, claim("req_1", 500, [B(1_000)])),
      asking(world, claim("req_2", 600, [B(1_000)])),
    ];
    await settled(world);
    expect(granted([again, next])).toEqual(["conflict", "granted"]);
    expect(await world.ledger.balance("day/b")).toEqual({ spent: 0, reserved: 1_000 });
    await world.store.close();
    await expect(world.ledger.reserve(claim("req_3", 1, [A(10)]), never())).rejects.toMatchObject({
      code: "shutting_down",
    });
    await expect(world.ledger.reserve(claim("req_4", 0, [B()]), never())).resolves.toMatchObject({ id: "req_4" });
  });
});

describe("a charge", () => {
  it("above the reservation counts as it is, with a warning", async () => {
    (await reserved(world, claim("req_1", 10, [A(100)]))).settle(charge(60, 99));
    expect(world.ledger.peek("session/a")).toEqual({ spent: 60, reserved: 0 });
    expect(world.log).toEqual(["warn: A request cost more than was reserved for it: check the price of its model"]);
    await world.ledger.flush();
    const [line] = await world.store.read.usage({ by: ["day"], limit: 1 });
    expect([line?.cost_microusd, line?.bound_microusd]).toEqual([60, 60]);
  });

  it("that cannot be true counts as the whole reservation", async () => {
    const odd = [
      charge(Number.NaN),
      charge(-5),
      charge(1, 0.5),
      { ...charge(1), tokens: { ...NO_TOKENS, input: 1.5 } },
    ];
    for (const [index, wrong] of odd.entries()) (await reserved(world, claim(`req_${index}`, 10, [A()]))).settle(wrong);
    await world.ledger.flush();
    const [line] = await world.store.read.usage({ by: ["day"], limit: 1 });
    expect([world.ledger.peek("session/a"), line?.bound_microusd, world.log.length]).toEqual([
      { spent: 40, reserved: 0 },
      40,
      4,
    ]);
  });

  it("that the store refuses still counts, and flush says so", async () => {
    const reservation = await reserved(world, claim("req_1", 10, [A(100)]));
    await world.store.close();
    reservation.settle(charge(7));
    await expect(world.ledger.flush()).rejects.toMatchObject({ code: "shutting_down" });
    expect([world.ledger.peek("session/a"), world.log]).toEqual([
      { spent: 7, reserved: 0 },
      ["error: Spending could not be stored: until then it counts as reserved"],
    ]);
  });
});

describe("a limit", () => {
  const short = (more: object) => ({ spent_microusd: 0, reserved_microusd: 0, ...more });

  it("is refused by name and in figures, the first that is short", async () => {
    (await reserved(world, claim("req_1", 300, [A(), B()]))).settle(charge(300));
    await reserved(world, claim("req_2", 100, [A(), B()]));
    const cases = [
      {
        spendingLimits: [A(1_000), B(399)],
        shortage: { kind: "day", limit_microusd: 399, spent_microusd: 300, reserved_microusd: 100 },
      },
      {
        spendingLimits: [A(350), B(399)],
        shortage: { kind: "session", limit_microusd: 350, spent_microusd: 300, reserved_microusd: 100 },
      },
      {
        spendingLimits: [A(1_000), spendingLimit("", 99, "request")],
        shortage: short({ kind: "request", limit_microusd: 99 }),
      },
      { spendingLimits: [spendingLimit("turn/t", 0, "turn")], shortage: short({ kind: "turn", limit_microusd: 0 }) },
    ];
    for (const { spendingLimits, shortage } of cases) {
      const expected = { ...shortage, asked_microusd: 100 };
      expect(await world.ledger.reserve(claim("req_3", 100, spendingLimits), never())).toEqual(expected);
    }
    expect(await world.ledger.balance("day/b")).toEqual({ spent: 300, reserved: 100 });
  });

  it("is reached to the last micro-dollar", async () => {
    await reserved(world, claim("req_1", 999, [A(1_000)]));
    await reserved(world, claim("req_2", 1, [A(1_000)]));
    expect(await world.ledger.balance("session/a")).toEqual({ spent: 0, reserved: 1_000 });
  });

  it("holds for many at once, each of which alone would pass", async () => {
    const asked = Array.from({ length: 1_000 }, (_, index) =>
      asking(world, claim(`req_${index}`, 7, [A(1_000), B(1_000_000)])),
    );
    await settled(world);
    const count = granted(asked).filter((state) => state === "granted").length;
    expect([count, await world.ledger.balance("session/a")]).toEqual([142, { spent: 0, reserved: 994 }]);
    const rows = await world.store.read.reservations();
    expect(rows.length).toBe(142);
  });

  it("is kept by what an earlier life spent", async () => {
    (await reserved(world, claim("req_1", 300, [A(1_000)]))).settle(charge(300));
    await world.ledger.flush();
    world = await world.crash();
    expect(await world.ledger.reserve(claim("req_2", 701, [A(1_000)]), never())).toMatchObject({ spent_microusd: 300 });
    expect(await reserved(world, claim("req_2", 700, [A(1_000)]))).toMatchObject({ amount: 700 });
  });
});

describe("a dead process", () => {
  it("has its reservations counted whole and marked as bounds", async () => {
    await reserved(world, claim("req_1", 300, [A(), B()]));
    await reserved(world, claim("req_2", 50, [B()], { session_id: "ses_2", turn_id: undefined }));
    (await reserved(world, claim("req_3", 30, [B()], { session_id: "ses_3" }))).settle(charge(10));
    await world.ledger.flush();
    // This end does not reach the disk any more.
    (await reserved(world, claim("req_4", 20, [B()], { session_id: "ses_4" }))).release();
    world.clock.pass(86_400_000);
    world = await world.crash();
    const { read } = world.store;
    const usage = await read.usage({ by: ["session", "turn", "day"], limit: 10 });
    expect({
      reservations: await read.reservations(),
      spent: [await read.spent("session/a"), await read.spent("day/b")],
      usage: usage.map(({ session, turn: id, day, requests, cost_microusd, bound_microusd }) => [
        session,
        id,
        day,
        requests,
        cost_microusd,
        bound_microusd,
      ]),
      audit: (await read.audit({ limit: 10 })).rows.map(({ action, by, details }) => [action, by.id, details]),
      log: world.log,
    }).toEqual({
      reservations: [],
      spent: [300, 380],
      usage: [
        ["ses_1", "turn_1", "2026-11-15", 1, 300, 300],
        ["ses_2", "", "2026-11-15", 1, 50, 50],
        ["ses_3", "turn_1", "2026-11-15", 1, 10, 0],
        ["ses_4", "turn_1", "2026-11-15", 1, 20, 20],
      ],
      audit: [["ledger.settle_left", "system", { reservations: 3, amount_microusd: 370 }]],
      log: ["warn: Requests were under way when the last process ended: their reservations count as spent"],
    });
  });

  it("that left nothing is not spoken of", async () => {
    (await reserved(world, claim("req_1", 300, [A()]))).settle(charge(1));
    await world.ledger.flush();
    world = await world.crash();
    expect([world.log, (await world.store.read.audit({ limit: 1 })).rows]).toEqual([[], []]);
  });
});

describe("a signal", () => {
  const nothing = async () => [await world.ledger.balance("session/a"), await world.store.read.reservations()];

  it("that is aborted before leaves nothing", async () => {
    const asked = world.ledger.reserve(claim("req_1", 10, [A(100)]), AbortSignal.abort());
    await expect(asked).rejects.toBeInstanceOf(Failure);
    expect(await nothing()).toEqual([{ spent: 0, reserved: 0 }, []]);
  });

  it("that is aborted while the row is written leaves nothing", async () => {
    await world.ledger.balance("session/a");
    const given = new AbortController();
    const asked = world.ledger.reserve(claim("req_1", 10, [A(100)]), given.signal);
    await Promise.resolve();
    await Promise.resolve();
    expect(world.ledger.peek("session/a")).toEqual({ spent: 0, reserved: 10 });
    given.abort();
    await expect(asked).rejects.toMatchObject({ code: "aborted" });
    await world.ledger.flush();
    expect(await nothing()).toEqual([{ spent: 0, reserved: 0 }, []]);
  });
});

describe("memory", () => {
  it("keeps what is in use and forgets the rest, without forgetting what was spent", async () => {
    await reserved(world, claim("req_1", 10, [A(100)]));
    (await reserved(world, claim("req_2", 10, [B(100)]))).settle(charge(4));
    await world.ledger.flush();
    const many = Array.from({ length: LIMITS.ledgerAccounts + 100 }, (_, index) => `session/${index}`);
    for (const key of many) await world.ledger.balance(key);
    const inMemory = many.filter((key) => world.ledger.peek(key) !== undefined).length;
    expect([inMemory <= LIMITS.ledgerAccounts, world.ledger.peek("session/a"), world.ledger.peek("day/b")]).toEqual([
      true,
      { spent: 0, reserved: 10 },
      undefined,
    ]);
    expect(await world.ledger.balance("day/b")).toEqual({ spent: 4, reserved: 0 });
  });
});
