import { LIMITS } from "../protocol/index.ts";
import type { ClaimWaiter } from "./waiters.ts";

/** One account in memory. Micro-USD. */
export interface Account {
  readonly key: string;
  spent: number;
  reserved: number;
  /** How many claims, reservations and unwritten charges keep it in memory. */
  holders: number;
  /** Claims that wait until less of it is reserved, in order. */
  readonly waiting: ClaimWaiter[];
  /** Present until `spent` has been read. */
  loading: Promise<void> | undefined;
}

/**
 * The accounts in use, read from the store on first use. An account without holders may be evicted: all its spending is
 * on the disk by then.
 */
export class AccountCache {
  readonly #read: (key: string) => Promise<number>;
  /** Least recently used first. */
  readonly #accounts = new Map<string, Account>();

  constructor(read: (key: string) => Promise<number>) {
    this.#read = read;
  }

  /** Keeps these in memory until each is dropped. Synchronous if all are loaded already. */
  hold(keys: readonly string[]): readonly Account[] | Promise<readonly Account[]> {
    const accounts = keys.map((key) => this.#take(key));
    return accounts.some(({ loading }) => loading !== undefined) ? this.#loaded(accounts) : accounts;
  }

  drop(accounts: readonly Account[]): void {
    for (const account of accounts) account.holders -= 1;
    this.#forget();
  }

  /** Absent: not in memory. */
  peek(key: string): Account | undefined {
    const account = this.#accounts.get(key);
    return account?.loading === undefined ? account : undefined;
  }

  async #loaded(accounts: readonly Account[]): Promise<readonly Account[]> {
    try {
      await Promise.all(accounts.flatMap(({ loading }) => loading ?? []));
      return accounts;
    } catch (error) {
      this.drop(accounts);
      throw error;
    }
  }

  #take(key: string): Account {
    const known = this.#accounts.get(key);
    const account = known ?? this.#load(key);
    account.holders += 1;
    if (known !== undefined) this.#accounts.delete(key);
    this.#accounts.set(key, account);
    return account;
  }

  #load(key: string): Account {
    const account: Account = { key, spent: 0, reserved: 0, holders: 0, waiting: [], loading: undefined };
    account.loading = this.#read(key).then(
      (spent) => {
        account.spent = spent;
        account.loading = undefined;
      },
      (error: unknown) => {
        // The next caller reads again.
        this.#accounts.delete(key);
        throw error;
      },
    );
    return account;
  }

  /** A few steps per call: held accounts move to the end, so that each call meets others. */
  #forget(): void {
    for (let step = 0; step < FORGET_STEPS && this.#accounts.size > LIMITS.ledgerAccounts; step += 1) {
      const [oldest] = this.#accounts.values();
      if (oldest === undefined) return;
      this.#accounts.delete(oldest.key);
      if (oldest.holders > 0) this.#accounts.set(oldest.key, oldest);
    }
  }
}

/** More than the accounts of one claim, so that the map shrinks faster than it grows. */
const FORGET_STEPS = 32;
