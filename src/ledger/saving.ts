import { LIMITS, type Log } from "../protocol/index.ts";
import type { MoneyStore, MoneyWrites, ReservationRow, UsageRow } from "../store/index.ts";
import type { Account, AccountCache } from "./account-cache.ts";

export interface ReservationEnd {
  /** Absent: it was never on the disk. */
  readonly id?: string | undefined;
  /** Micro-USD, counted on each of the accounts. */
  readonly cost: number;
  readonly accounts: readonly Account[];
  /** Absent: nothing was used. */
  readonly usage?: UsageRow | undefined;
}

interface SavingOptions {
  readonly store: MoneyStore;
  readonly cache: AccountCache;
  readonly log: Log;
}

/** Absent: together with the other writes of this turn of the event loop. */
type Haste = "patient" | "at once";

/** New reservations of one turn of the event loop. */
interface Batch {
  readonly rows: ReservationRow[];
  readonly written: Promise<void>;
}

/**
 * Writes reservations and their ends to the disk. Ends that arrive during one write are combined in the next: a shared
 * account is then written once, not once for each.
 */
export class Saving {
  readonly #options: SavingOptions;
  #waiting: ReservationEnd[] = [];
  #batch: Batch | undefined;
  /** Each resolves to the error, if any. */
  readonly #sent = new Set<Promise<unknown>>();

  constructor(options: SavingOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the reservation is on the disk. Reservations of one turn of the event loop are one write, all or
   * none. Earlier ends join it, so that the disk never counts more than memory does.
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

  /** Resolves when everything that ended so far is on the disk. Rejects when the store refused part of it. */
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
      // The accounts in memory are right. After a restart, these reservations count as fully spent.
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

function writeOf(endings: readonly ReservationEnd[]): MoneyWrites {
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
