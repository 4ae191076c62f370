import { array, assert, asyncProperty, constant, integer, nat, oneof, record } from "fast-check";
import { expect, it } from "vitest";
import type { Reservation } from "../../src/ledger/index.ts";
import { isFullRun } from "../support/sample.ts";
import { charge, claim, never, openWorld, spendingLimit, turn, type World } from "./world.ts";

const LIMITED = { "session/0": 1_000, "session/1": 1_000, "session/2": 1_000, total: 2_200 } as const;
/** Scripts that are run. */
const RUNS = isFullRun ? 20 : 6;
type AccountKey = keyof typeof LIMITED;
const KEYS = Object.keys(LIMITED) as readonly AccountKey[];

const reserve = record({
  kind: constant("reserve" as const),
  session: nat(2),
  amount: integer({ min: 1, max: 600 }),
  /** Of the amount. */
  costPercent: nat(100),
});
const end = record({ kind: oneof(constant("settle" as const), constant("release" as const)), which: nat(9) });
const step = oneof(
  { weight: 8, arbitrary: reserve },
  { weight: 6, arbitrary: end },
  { weight: 4, arbitrary: constant({ kind: "turn" as const }) },
  { weight: 1, arbitrary: constant({ kind: "crash" as const }) },
);
type Step = Parameters<Parameters<typeof step.map>[0]>[0];

interface Request {
  readonly id: string;
  readonly accounts: readonly AccountKey[];
  readonly amount: number;
  /** What its provider charges. */
  readonly cost: number;
  /** Absent: it waits, was refused, or its server died before it was sent. */
  reservation?: Reservation;
  ended?: "settle" | "release";
  /** What a dead life left of it. */
  left?: number;
}

/** What the provider charges at most for what was sent so far. */
function charged({ reservation, ended, amount, cost }: Request): number {
  if (reservation === undefined || ended === "release") return 0;
  return ended === "settle" ? cost : amount;
}

class Script {
  world: World;
  readonly requests: Request[] = [];
  #life = 0;

  constructor(world: World) {
    this.world = world;
  }

  async run(given: Step): Promise<void> {
    switch (given.kind) {
      case "reserve":
        return this.#reserve(given);
      case "settle":
      case "release":
        return this.#end(given.kind, given.which);
      case "turn":
        return turn();
      case "crash":
        return this.#crash();
    }
  }

  /** Of one account, over all requests. */
  sum(key: AccountKey, of: (request: Request) => number): number {
    return this.requests.filter(({ accounts }) => accounts.includes(key)).reduce((sum, each) => sum + of(each), 0);
  }

  #reserve({ session, amount, costPercent }: { session: number; amount: number; costPercent: number }): void {
    const life = this.#life;
    const accounts = [KEYS[session] ?? "total", "total"] as const;
    const cost = Math.floor((amount * costPercent) / 100);
    const request: Request = { id: `req_${this.requests.length}`, accounts, amount, cost };
    this.requests.push(request);
    const spendingLimits = accounts.map((key) =>
      spendingLimit(key, LIMITED[key], key === "total" ? "total" : "session"),
    );
    void this.world.ledger.reserve(claim(request.id, amount, spendingLimits), never()).then((answer) => {
      if ("settle" in answer && life === this.#life) request.reservation = answer;
    });
  }

  open(): readonly Request[] {
    return this.requests.filter(
      ({ reservation, ended, left }) => reservation !== undefined && ended === undefined && left === undefined,
    );
  }

  #end(how: "settle" | "release", which: number): void {
    const open = this.open();
    const request = open[which % Math.max(open.length, 1)];
    if (request?.reservation === undefined) return;
    request.ended = how;
    if (how === "settle") request.reservation.settle(charge(request.cost));
    else request.reservation.release();
  }

  async #crash(): Promise<void> {
    this.#life += 1;
    const next = this.world.crash();
    // As the dead life left it: the next one ends what it finds.
    const [reserved, ended] = [new Set(this.world.written.reserved), new Set(this.world.written.ended)];
    this.world = await next;
    for (const request of this.requests) {
      if (request.left !== undefined) continue;
      if (!reserved.has(request.id)) request.left = 0;
      else if (!ended.has(request.id)) request.left = request.amount;
      else request.left = request.ended === "settle" ? request.cost : 0;
    }
    await this.expectNothingReserved((request) => request.left ?? 0);
  }

  /** Ends what is open until nobody waits any more. */
  async finish(): Promise<void> {
    for (let idle = 0; idle < 3; idle += 1) {
      for (const request of this.open()) {
        idle = 0;
        this.#end("settle", this.open().indexOf(request));
      }
      await this.world.ledger.flush();
      await this.world.store.commit({});
      await turn();
    }
    const counted = ({ left, ended, cost }: Request) => left ?? (ended === "settle" ? cost : 0);
    await this.expectNothingReserved(counted);
    const [used] = await this.world.store.read.usage({ by: ["agent"], limit: 1 });
    expect(used?.cost_microusd ?? 0).toBe(this.sum("total", counted));
  }

  async expectNothingReserved(counted: (request: Request) => number): Promise<void> {
    const { ledger, store } = this.world;
    for (const key of KEYS) {
      const spent = this.sum(key, counted);
      expect({ key, balance: await ledger.balance(key) }).toEqual({ key, balance: { spent, reserved: 0 } });
      expect({ key, stored: await store.read.spent(key) }).toEqual({ key, stored: spent });
      expect(spent).toBeLessThanOrEqual(LIMITED[key]);
    }
    expect(await store.read.reservations()).toEqual([]);
  }
}

it("never lets more be spent than any limit allows, in any order of reserving, settling, releasing and dying", async () => {
  let crashes = 0;
  let waited = 0;
  await assert(
    asyncProperty(array(step, { minLength: 20, maxLength: 60 }), async (steps) => {
      const script = new Script(await openWorld());
      try {
        for (const given of steps) {
          await script.run(given);
          if (given.kind === "crash") crashes += 1;
          for (const key of KEYS) expect(script.sum(key, charged)).toBeLessThanOrEqual(LIMITED[key]);
        }
        waited += script.requests.filter(
          ({ reservation, left }) => reservation === undefined && left === undefined,
        ).length;
        await script.finish();
      } finally {
        await script.world.close();
      }
    }),
    { seed: 20_261_115, numRuns: RUNS },
  );
  // The script does what it is for.
  expect([crashes > RUNS, waited > 2.5 * RUNS]).toEqual([true, true]);
});

/** Requests of ten sessions at once, each at a provider that charges the whole amount; answers what it charged. */
async function spree(send: (id: string, amount: number) => Promise<(() => void) | undefined>): Promise<number> {
  let bill = 0;
  await Promise.all(
    Array.from({ length: 50 }, async (_, index) => {
      const settle = await send(`req_${index}`, 100);
      if (settle === undefined) return;
      bill += 100;
      await turn();
      settle();
    }),
  );
  return bill;
}

it("holds where checking first and adding later does not", async () => {
  const world = await openWorld();
  try {
    const { ledger, store } = world;
    const careful = await spree(async (id, amount) => {
      const answer = await ledger.reserve(claim(id, amount, [spendingLimit("total", 1_000, "total")]), never());
      return "settle" in answer ? () => answer.settle(charge(amount)) : undefined;
    });
    const naive = await spree(async (_, amount) => {
      if ((await store.read.spent("naive")) + amount > 1_000) return undefined;
      await turn();
      return () => void store.commit({ spending: [{ account: "naive", amount }] });
    });
    await ledger.flush();
    expect({ careful, spent: await ledger.balance("total"), naive }).toEqual({
      careful: 1_000,
      spent: { spent: 1_000, reserved: 0 },
      naive: 5_000,
    });
  } finally {
    await world.close();
  }
});
