import { Agent } from "node:http";
import { join } from "node:path";
import { mkdir } from "node:fs/promises";
import { openSqliteStore } from "../../../src/store/index.ts";
import type { Place } from "../server.ts";
import { Bank } from "./bank.ts";
import { PICO } from "./bill.ts";
import { send, type Told } from "./caller.ts";
import { BANK_KEYS, openDoor, type Books, type Door, type Relay } from "./door.ts";
import type { Life, PlannedLimit, PlannedRequest, PlannedSession, Script } from "./plan.ts";
import { answerOf } from "./wires.ts";

export interface Tortured {
  readonly requests: number;
  readonly sessions: number;
  readonly kills: number;
  /** Reservations that died with a server and were settled to their bound at the next start. */
  readonly settledDead: number;
  /** How the callers saw it. */
  readonly ends: Readonly<Record<string, number>>;
  /** Kinds of limits that were reached. */
  readonly reached: readonly string[];
  /** Accounts with a limit on which the provider counted money. */
  readonly limited: number;
  /** Accounts on which the provider counted more than their limit. */
  readonly passed: readonly string[];
  /** The provider's count on the account that came nearest to its limit, or furthest beyond: 1 is the limit. */
  readonly fullest: number;
  /** The same of everybody's account. */
  readonly total: number;
  /** Micro-USD. */
  readonly billed: number;
  readonly spent: number;
  /** By account, at the end: what the server counted and what the provider billed, each request rounded up. Micro-USD. */
  readonly accounts: Readonly<Record<string, { readonly spent: number; readonly billed: number }>>;
  readonly memoryMib: number;
  /** What does not hold, in words; the control's overspending is not among them. */
  readonly faults: readonly string[];
}

/** What lies in the store of a dead process. */
interface Estate {
  readonly spent: ReadonlyMap<string, number>;
  readonly reserved: ReadonlyMap<string, number>;
  readonly bound: number;
  readonly rows: number;
}

/** Runs a script against a relay, life by life, and looks after each whether the money is right. */
export async function torture(script: Script, relay: Relay, place: Place): Promise<Tortured> {
  await mkdir(place.home, { recursive: true });
  const run = new Run(script, relay, place);
  try {
    await run.open();
    for (const life of script.lives) await run.live(life);
    return run.summary();
  } finally {
    await run.close();
  }
}

class Run {
  readonly #script: Script;
  readonly #relay: Relay;
  readonly #place: Place;
  readonly #sessions: ReadonlyMap<string, PlannedSession>;
  readonly #requests: ReadonlyMap<string, PlannedRequest>;
  readonly #limits = new Map<string, number>();
  readonly #ends: Record<string, number> = {};
  readonly #reached = new Set<string>();
  readonly #faults: string[] = [];
  /** Accounts whose fault was told: it stays, and is told once. */
  readonly #undercounted = new Set<string>();
  #bank: Bank | undefined;
  #door: Door | undefined;
  #life: Life | undefined;
  #queue: PlannedRequest[] = [];
  #arrivals = 0;
  #killAfter = Infinity;
  #kills = 0;
  #settledDead = 0;
  #estate: Estate | undefined;
  #spent = 0;
  #accountsAtEnd: Tortured["accounts"] = {};
  #memoryMib = 0;

  constructor(script: Script, relay: Relay, place: Place) {
    this.#script = script;
    this.#relay = relay;
    this.#place = place;
    this.#sessions = new Map(script.sessions.map((session) => [session.id, session]));
    this.#requests = new Map(script.lives.flatMap(({ requests }) => requests).map((request) => [request.id, request]));
  }

  get #books(): Bank {
    if (this.#bank === undefined) throw new Error("the bank is not open");
    return this.#bank;
  }

  async open(): Promise<void> {
    this.#bank = await Bank.open({
      prices: this.#script.prices,
      requests: this.#requests,
      keys: BANK_KEYS,
      spendingLimits: (request) => this.#spendingLimits(request.session),
      onArrival: () => {
        this.#arrivals += 1;
        if (this.#arrivals === this.#killAfter) this.#door?.kill();
      },
    });
  }

  async close(): Promise<void> {
    this.#door?.kill();
    await this.#door?.exited;
    await this.#bank?.close();
  }

  /** One start of the server, its requests, and its end. */
  async live(life: Life): Promise<void> {
    this.#life = life;
    this.#queue.push(...life.requests);
    this.#arrivals = 0;
    this.#killAfter = life.killAt === undefined ? Infinity : Math.max(1, Math.floor(this.#queue.length * life.killAt));
    const { bankUrl, accounts } = { bankUrl: this.#books.url, accounts: this.#accounts() };
    const door = await openDoor({
      home: this.#place.home,
      relay: this.#relay,
      script: this.#script,
      life,
      accounts,
      bankUrl,
    });
    this.#door = door;
    this.#inherit(await door.books());
    await this.#sendAll(door);
    await this.#books.quiet();
    for (const kind of door.shortages) this.#reached.add(kind);
    if (life.killAt === undefined) {
      this.#audit(await door.books(), `life ${life.index}`);
      await door.stop();
    } else {
      // Where too little arrived for the planned moment, it dies at rest.
      door.kill();
      await door.exited;
      this.#kills += 1;
      this.#estate = await this.#readEstate(accounts);
    }
    this.#door = undefined;
    this.#faults.push(...door.complaints.map((complaint) => `life ${life.index} logged: ${complaint}`));
  }

  summary(): Tortured {
    const limited = [...this.#limits].filter(([account]) => this.#books.count(account) > 0n);
    const fill = ([account, limit]: readonly [string, number]): number =>
      Number(this.#books.count(account)) / (limit * Number(PICO));
    const own = this.#relay === "ledger" ? this.#books.violations : [];
    return {
      requests: this.#requests.size,
      sessions: this.#sessions.size,
      kills: this.#kills,
      settledDead: this.#settledDead,
      ends: this.#ends,
      reached: [...this.#reached].sort(),
      limited: limited.length,
      passed: limited.filter((entry) => fill(entry) > 1).map(([account]) => account),
      fullest: Math.max(0, ...limited.map(fill)),
      total: fill(["total", this.#limits.get("total") ?? Infinity]),
      billed: Number(this.#books.count("total") / PICO),
      spent: this.#spent,
      accounts: this.#accountsAtEnd,
      memoryMib: this.#memoryMib,
      faults: [...this.#faults, ...own],
    };
  }

  #spendingLimits(session: string): readonly PlannedLimit[] {
    const planned = this.#sessions.get(session);
    if (planned === undefined || this.#life === undefined) throw new Error(`no session ${session}`);
    const spendingLimits = this.#script.spendingLimits(planned, this.#life);
    for (const { account, limit } of spendingLimits) if (limit !== undefined) this.#limits.set(account, limit);
    return spendingLimits;
  }

  /** All that money was ever counted on. */
  #accounts(): readonly string[] {
    const known = this.#script.sessions.flatMap(({ id }) => this.#spendingLimits(id).map(({ account }) => account));
    return [...new Set([...known, ...this.#books.accounts])];
  }

  /** Every session sends its requests in order, several at once, until all are sent or the server is gone. */
  async #sendAll(door: Door): Promise<void> {
    const bySession = new Map<string, PlannedRequest[]>();
    for (const request of this.#queue)
      bySession.set(request.session, [...(bySession.get(request.session) ?? []), request]);
    const agents = { tcp: new Agent({ keepAlive: true }), unix: new Agent({ keepAlive: true }) };
    const state = { gone: false };
    void door.exited.then(() => {
      state.gone = true;
    });
    const lane = async (session: string, requests: PlannedRequest[]): Promise<void> => {
      for (let next = requests.shift(); next !== undefined; next = requests.shift()) {
        const { tcpUrl, socketPath } = door;
        this.#note(next, await send(next, { tcpUrl, socketPath, key: door.keyOf(session), agents }));
        if (state.gone || this.#arrivals >= this.#killAfter) return;
      }
    };
    const lanes = [...bySession].flatMap(([session, requests]) =>
      Array.from({ length: this.#sessions.get(session)?.lanes ?? 1 }, () => lane(session, requests)),
    );
    await Promise.all(lanes);
    this.#queue = [...bySession.values()].flat();
    agents.tcp.destroy();
    agents.unix.destroy();
  }

  #note(request: PlannedRequest, told: Told): void {
    const end = told.code ?? (told.end === "answered" ? String(told.status) : told.end);
    this.#ends[end] = (this.#ends[end] ?? 0) + 1;
    const [fate] = request.fates;
    const isWhole = told.end === "answered" && told.status === 200 && told.code === undefined;
    // The control is no subject of this; and chat completions may be asked for a usage that the caller did not ask for.
    if (this.#relay === "ledger" && isWhole && fate.is === "whole" && request.api !== "chat") {
      const { head, pieces, tail } = answerOf(request, "all");
      if (told.body !== head + pieces.join("") + tail)
        this.#faults.push(`${request.id} got other bytes than were sent`);
    }
  }

  /** After a start: what a dead process had set aside is spent, to the last micro-USD, and marked as a bound. */
  #inherit(books: Books): void {
    const estate = this.#estate;
    this.#estate = undefined;
    this.#audit(books, `start of life ${this.#life?.index}`);
    if (estate === undefined || this.#relay !== "ledger") return;
    this.#settledDead += estate.rows;
    for (const [account, { spent }] of Object.entries(books.balances)) {
      const expected = (estate.spent.get(account) ?? 0) + (estate.reserved.get(account) ?? 0);
      if (spent !== expected)
        this.#faults.push(`${account} has ${spent} after a crash, where ${expected} was spent or set aside`);
    }
    const bound = boundOf(books.usage);
    const dead = estate.reserved.get("total") ?? 0;
    if (bound !== estate.bound + dead)
      this.#faults.push(`${bound - estate.bound} is marked as bound after a crash, where ${dead} was set aside`);
  }

  /** Nothing is set aside any more, and the provider counted no more than we did. */
  #audit(books: Books, when: string): void {
    this.#memoryMib = Math.max(this.#memoryMib, books.memoryMib);
    this.#spent = books.balances["total"]?.spent ?? 0;
    this.#accountsAtEnd = Object.fromEntries(
      Object.entries(books.balances).map(([account, { spent }]) => [
        account,
        { spent, billed: this.#books.rounded(account) },
      ]),
    );
    if (this.#relay !== "ledger") return;
    if (books.reservations > 0) this.#faults.push(`${when}: ${books.reservations} reservations are left`);
    for (const [account, { spent, reserved }] of Object.entries(books.balances)) {
      if (reserved !== 0) this.#faults.push(`${when}: ${account} has ${reserved} set aside, and nothing is under way`);
      if (BigInt(spent) * PICO >= this.#books.count(account) || this.#undercounted.has(account)) continue;
      this.#undercounted.add(account);
      this.#faults.push(
        `${when}: ${account} has ${spent}, the provider counted ${this.#books.count(account)} pico-USD`,
      );
    }
    const used = books.usage.reduce((sum, { cost_microusd }) => sum + cost_microusd, 0);
    if (used !== this.#spent)
      this.#faults.push(`${when}: the usage adds up to ${used}, the accounts to ${this.#spent}`);
  }

  async #readEstate(accounts: readonly string[]): Promise<Estate> {
    const store = await openSqliteStore({
      path: join(this.#place.home, "sallyport.db"),
      onFatal: (error) => this.#faults.push(`the store failed: ${error.message}`),
    });
    try {
      const rows = await store.read.reservations();
      const reserved = new Map<string, number>();
      for (const row of rows)
        for (const account of row.accounts) reserved.set(account, (reserved.get(account) ?? 0) + row.amount);
      const spent = new Map<string, number>();
      for (const account of accounts) spent.set(account, await store.read.spent(account));
      const usage = await store.read.usage({ by: ["provider"], limit: 10 });
      return { spent, reserved, bound: boundOf(usage), rows: rows.length };
    } finally {
      await store.close();
    }
  }
}

function boundOf(usage: Books["usage"]): number {
  return usage.reduce((sum, { bound_microusd }) => sum + bound_microusd, 0);
}
