import { LIMITS, type Log } from "../protocol/index.ts";
import type { ReservationRow, Store, UsageRow, Write } from "../store/index.ts";
import type { Account, AccountCache } from "./account-cache.ts";

/** One reservation's end. */
export interface ReservationEnd {
  /** Absent: it never was on the disk. */
  readonly id?: string | undefined;
  /** Micro-USD, for each of the accounts. */
  readonly cost: number;
  readonly accounts: readonly Account[];
  /** Absent: nothing was used. */
  readonly usage?: UsageRow | undefined;
}

interface SavingOptions {
  readonly store: Store;
  readonly cache: AccountCache;
  readonly log: Log;
}

/** Absent: with what others write in this turn of the event loop. */
type Haste = "patient" | "at once";

/** New reservations of one turn of the event loop. */
interface Batch {
  readonly rows: ReservationRow[];
  readonly written: Promise<void>;
}

/**
 * Brings reservations and their ends to the disk. What ends while one write is under way goes into the next one
 * together: an account that everybody spends from is then written once and not once for each.
 */
export class Saving {
  readonly #options: SavingOptions;
  #waiting: ReservationEnd[] = [];
  #batch: Batch | undefined;
  /** Each answers with what went wrong. */
  readonly #sent = new Set<Promise<unknown>>();

  constructor(options: SavingOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the reservation is on the disk. Those of one turn of the event loop go as one write, all or none,
   * together with what ended before: the disk never counts more than memory did, where that had already made room.
   */
  reserve(row: ReservationRow): Promise<void> {
    if (this.#batch === undefined || this.#batch.rows.length >= LIMITS.ledgerBatch) this.#batch = this.#openBatch();
    this.#batch.rows.push(row);
    return this.#batch.written;
  }

  add(ending: ReservationEnd): void {
    this.#waiting.push(ending);
    if (this.#sent.size === 0 || this.#waiting.length >= LIMITS.ledgerBatch) void this.#send([], "patient");
  }

  /** Resolves when everything is on the disk that ended so far. Rejects when the store refused some of it. */
  async flush(): Promise<void> {
    if (this.#waiting.length > 0) void this.#send([]);
    for (const error of await Promise.all(this.#sent)) if (error !== undefined) throw error;
  }

  #openBatch(): Batch {
    const rows: ReservationRow[] = [];
    const turnIsOver = new Promise<void>((resolve) => {
      setImmediate(resolve);
    });
    const written = turnIsOver.then(async () => {
      if (this.#batch?.rows === rows) this.#batch = undefined;
      const error = await this.#send(rows, "at once");
      if (error !== undefined) throw error;
    });
    return { rows, written };
  }

  #send(reservations: readonly ReservationRow[], haste?: Haste): Promise<unknown> {
    const endings = this.#waiting;
    this.#waiting = [];
    const sent = this.#save({ reservations, endings }, haste).then((error) => {
      this.#sent.delete(sent);
      if (this.#sent.size === 0 && this.#waiting.length > 0) void this.#send([], "patient");
      return error;
    });
    this.#sent.add(sent);
    return sent;
  }

  async #save({ reservations, endings }: Together, haste: Haste | undefined): Promise<unknown> {
    const { store, cache, log } = this.#options;
    try {
      await store.commit(
        { ...writeOf(endings), reservations },
        { patient: haste === "patient", atOnce: haste === "at once", untilStored: true },
      );
    } catch (error) {
      // The accounts stay in memory, where they are right. After a restart the reservations count whole.
      const ids = endings.flatMap(({ id }) => id ?? []);
      if (endings.length > 0) {
        log.error(
          { err: error, reservations: ids.length },
          "Spending could not be stored: until then it counts as reserved",
        );
      }
      return error;
    }
    for (const { accounts } of endings) cache.drop(accounts);
    return undefined;
  }
}

interface Together {
  readonly reservations: readonly ReservationRow[];
  readonly endings: readonly ReservationEnd[];
}

function writeOf(endings: readonly ReservationEnd[]): Write {
  const spending = new Map<string, number>();
  for (const { accounts, cost } of endings) {
    if (cost === 0) continue;
    for (const { key } of accounts)
      spending.set(key, Math.min((spending.get(key) ?? 0) + cost, Number.MAX_SAFE_INTEGER));
  }
  return {
    endedReservations: endings.flatMap(({ id }) => id ?? []),
    spending: [...spending].map(([account, amount]) => ({ account, amount })),
    usage: endings.flatMap(({ usage }) => usage ?? []),
  };
}
