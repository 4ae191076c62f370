import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Charge,
  type Claim,
  type Ledger,
  openLedger,
  type SpendingLimit,
  type Reservation,
} from "../../src/ledger/index.ts";
import { Failure, NO_TOKENS, type Shortage } from "../../src/protocol/index.ts";
import { openSqliteStore, type Store, type CommitOptions, type Write } from "../../src/store/index.ts";
import { storeThread } from "../support/store-thread.ts";

/** A time that passes when it is told to. */
interface Clock {
  readonly now: () => number;
  readonly after: (ms: number, callback: () => void) => () => void;
  readonly pass: (ms: number) => void;
}

function makeClock(): Clock {
  let now = Date.UTC(2026, 10, 15, 12);
  const timers = new Set<{ readonly due: number; readonly callback: () => void }>();
  return {
    now: () => now,
    after: (ms, callback) => {
      const timer = { due: now + ms, callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    pass: (ms) => {
      now += ms;
      for (const timer of [...timers].sort((a, b) => a.due - b.due)) {
        if (timer.due > now || !timers.delete(timer)) continue;
        timer.callback();
      }
    },
  };
}

/** Ids of the reservations that got to the disk, and of those whose end did. */
interface Written {
  readonly reserved: Set<string>;
  readonly ended: Set<string>;
}

export interface World {
  readonly store: Store;
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** `level: message`. */
  readonly log: string[];
  /** In all lives. */
  readonly written: Written;
  /** Ends this life: what it has not yet given to the disk is lost, and whoever waits is never answered. */
  readonly crash: () => Promise<World>;
  readonly close: () => Promise<void>;
}

/** A ledger over a real store in a folder of its own. */
export async function openWorld(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "sallyport-ledger-"));
  return live({ folder, clock: makeClock(), log: [], written: { reserved: new Set(), ended: new Set() } });
}

interface Place {
  readonly folder: string;
  readonly clock: Clock;
  readonly log: string[];
  readonly written: Written;
}

async function live(place: Place): Promise<World> {
  const { folder, clock, log, written } = place;
  const disk = await openSqliteStore({
    path: join(folder, "sallyport.db"),
    thread: storeThread(),
    onFatal: (error) => {
      throw error;
    },
  });
  const { store, die } = mortal(disk, written);
  let ids = 0;
  const say = (level: string) => (_: object, message: string) => void log.push(`${level}: ${message}`);
  const ledger = await openLedger({
    store,
    now: clock.now,
    after: clock.after,
    newId: (prefix) => `${prefix}_${clock.now()}_${(ids += 1)}`,
    log: { info: say("info"), warn: say("warn"), error: say("error") },
  });
  return {
    store: disk,
    ledger,
    clock,
    log,
    written,
    crash: async () => {
      die();
      await disk.close();
      return live(place);
    },
    close: async () => {
      await disk.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A store whose process can die. Writes that may wait get to the disk a turn of the event loop later, or with the next
 * one that may not, in the order in which they were asked for; what has not got there dies with the process.
 */
function mortal(disk: Store, written: Written): { readonly store: Store; readonly die: () => void } {
  let dead = false;
  let waiting: (() => void)[] = [];
  const flush = () => {
    const writes = waiting;
    waiting = [];
    for (const write of writes) write();
  };
  const give = async (write: Write) => {
    for (const { id } of write.reservations ?? []) written.reserved.add(id);
    for (const id of write.endedReservations ?? []) written.ended.add(id);
    await disk.commit(write);
  };
  const commit = (write: Write, options?: CommitOptions) =>
    new Promise<void>((resolve, reject) => {
      if (dead) return;
      waiting.push(() => void give(write).then(resolve, reject));
      if (options?.patient === true) setImmediate(flush);
      else flush();
    });
  const die = () => {
    dead = true;
    waiting = [];
  };
  return { store: { ...disk, commit }, die };
}

/** Everything that was under way in this turn of the event loop has happened. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Of a caller who does not give up. */
export function never(): AbortSignal {
  return new AbortController().signal;
}

export function spendingLimit(account: string, limit?: number, kind: SpendingLimit["kind"] = "session"): SpendingLimit {
  return { kind, account, limit };
}

export function claim(
  id: string,
  amount: number,
  spendingLimits: readonly SpendingLimit[],
  more: Partial<Claim> = {},
): Claim {
  return {
    id,
    session_id: "ses_1",
    turn_id: "turn_1",
    agent: "tok_alice",
    engine: "loop",
    provider: "cloud",
    model: "claude-sonnet-5",
    spendingLimits,
    amount,
    ...more,
  };
}

export function charge(cost: number, bound = 0): Charge {
  return { tokens: { ...NO_TOKENS, input: 3, output: 5 }, cost, bound };
}

/** Reserves what must pass. */
export async function reserved({ ledger }: World, wanted: Claim): Promise<Reservation> {
  const answer = await ledger.reserve(wanted, never());
  if ("settle" in answer) return answer;
  throw new Error(`short of money: ${JSON.stringify(answer)}`);
}

/** What came of a claim; all absent: it waits. */
interface Asked {
  reservation?: Reservation;
  shortage?: Shortage;
  error?: unknown;
}

/** Reserves, for whoever looks later what came of it. */
export function asking({ ledger }: World, wanted: Claim, signal: AbortSignal = never()): Asked {
  const asked: Asked = {};
  ledger.reserve(wanted, signal).then(
    (answer) => {
      if ("settle" in answer) asked.reservation = answer;
      else asked.shortage = answer;
    },
    (error: unknown) => {
      asked.error = error;
    },
  );
  return asked;
}

/** `granted`, the code of a failure, the kind of the limit, or `waits`. */
export function granted(asked: readonly Asked[]): readonly string[] {
  return asked.map(({ reservation, shortage, error }) => {
    if (error !== undefined) return error instanceof Failure ? error.code : "a bug";
    return reservation === undefined ? (shortage?.kind ?? "waits") : "granted";
  });
}

/** What was asked for is answered, and whoever was waiting for that as well. */
export async function settled({ store }: World): Promise<void> {
  for (let round = 0; round < 2; round += 1) {
    // New reservations go to the store at the end of the event loop's turn.
    await turn();
    await store.commit({});
    await turn();
  }
}
