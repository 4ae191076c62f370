import { Failure, NO_TOKENS, type Shortage } from "../protocol/index.ts";
import type { ReservationRow } from "../store/index.ts";
import { usageRow } from "./accounts.ts";
import type { Balance, Charge, Claim, Ledger, Reservation } from "./ledger.ts";
import { settleLeft, type Recovery } from "./recovery.ts";
import { Saving } from "./saving.ts";
import { type Account, AccountCache } from "./account-cache.ts";
import { aborted, type After, type WaitOutcome, Waiters } from "./waiters.ts";
import { keysOf, resolveClaim } from "./claims.ts";

interface LedgerOptions extends Recovery {
  /** Absent: the time of the machine. */
  readonly after?: After;
}

/** Settles what a dead process left, then opens. A store has one ledger at a time. */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  await settleLeft(options);
  return new Book(options);
}

const byMachine: After = (ms, callback) => {
  const timer = setTimeout(callback, ms);
  return () => clearTimeout(timer);
};

class Book implements Ledger {
  readonly #options: LedgerOptions;
  readonly #cache: AccountCache;
  readonly #waiters: Waiters;
  readonly #saving: Saving;

  constructor(options: LedgerOptions) {
    this.#options = options;
    const { store, log } = options;
    this.#cache = new AccountCache((key) => store.read.spent(key));
    this.#waiters = new Waiters(options.after ?? byMachine);
    this.#saving = new Saving({ store, log, cache: this.#cache });
  }

  async reserve(claim: Claim, signal: AbortSignal): Promise<Reservation | Shortage> {
    refuseUnsound(claim.amount);
    const at = this.#options.now();
    const accounts = await this.#cache.hold(keysOf(claim.spendingLimits));
    const held: HeldClaim = { claim, accounts, at };
    const outcome = await this.#take(held, signal).catch((error: unknown) => {
      this.#cache.drop(accounts);
      throw error;
    });
    if (outcome !== "taken") {
      this.#cache.drop(accounts);
      return outcome;
    }
    const reservation = this.#reservation(held);
    if (!signal.aborted) return reservation;
    reservation.release();
    throw aborted();
  }

  async balance(account: string): Promise<Balance> {
    const accounts = await this.#cache.hold([account]);
    const { spent, reserved } = accounts[0] ?? { spent: 0, reserved: 0 };
    this.#cache.drop(accounts);
    return { spent, reserved };
  }

  peek(account: string): Balance | undefined {
    const found = this.#cache.peek(account);
    return found === undefined ? undefined : { spent: found.spent, reserved: found.reserved };
  }

  flush(): Promise<void> {
    return this.#saving.flush();
  }

  /** Reserves the money in memory, then on the disk. If that fails, nothing stays reserved. */
  async #take({ claim, accounts, at }: HeldClaim, signal: AbortSignal): Promise<WaitOutcome> {
    if (signal.aborted) throw aborted();
    const outcome = await this.#waiters.ask(resolveClaim(claim.spendingLimits, accounts, claim.amount), signal);
    // A free request leaves nothing to settle after a crash.
    if (outcome !== "taken" || claim.amount === 0) return outcome;
    try {
      await this.#saving.reserve(rowOf({ claim, accounts, at }));
    } catch (error) {
      this.#giveBack(claim.amount, accounts);
      throw error;
    }
    return outcome;
  }

  #reservation(held: HeldClaim): Reservation {
    const { id, amount } = held.claim;
    let open = true;
    const ends = () => {
      const first = open;
      open = false;
      return first;
    };
    return {
      id,
      amount,
      settle: (charge) => {
        if (ends()) this.#end(held, this.#sound(held.claim, charge));
      },
      release: () => {
        if (ends()) this.#end(held, undefined);
      },
    };
  }

  /** Counts the charge and frees the rest for the next claim. */
  #end(held: HeldClaim, charge: Charge | undefined): void {
    const { claim, accounts } = held;
    if (claim.amount === 0 && charge === undefined) return this.#cache.drop(accounts);
    const cost = charge?.cost ?? 0;
    for (const account of accounts) account.spent = Math.min(account.spent + cost, Number.MAX_SAFE_INTEGER);
    this.#saving.add({
      id: claim.amount === 0 ? undefined : claim.id,
      cost,
      accounts,
      usage: charge === undefined ? undefined : usageRow(held.claim, held.at, charge),
    });
    this.#giveBack(claim.amount, accounts);
  }

  #giveBack(amount: number, accounts: readonly Account[]): void {
    for (const account of accounts) account.reserved -= amount;
    this.#waiters.advance(accounts);
  }

  /** The real cost counts, even above the reservation. An impossible cost counts as the whole amount. */
  #sound({ id, amount, provider, model }: Claim, charge: Charge): Charge {
    const { log } = this.#options;
    const { tokens, cost, bound } = charge;
    if (![cost, bound, ...Object.values(tokens)].every(isWhole)) {
      log.error(
        { reservation: id, provider, model, charge },
        "A charge is not in whole numbers: the reservation counts",
      );
      return { tokens: NO_TOKENS, cost: amount, bound: amount };
    }
    if (cost > amount) {
      const fields = { reservation: id, provider, model, cost_microusd: cost, reserved_microusd: amount };
      log.warn(fields, "A request cost more than was reserved for it: check the price of its model");
    }
    return { tokens, cost, bound: Math.min(bound, cost) };
  }
}

/** A claim whose accounts are in memory. */
interface HeldClaim {
  readonly claim: Claim;
  readonly accounts: readonly Account[];
  /** When it was made, milliseconds since the epoch. Its day is the day of its usage. */
  readonly at: number;
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}

function refuseUnsound(amount: number): void {
  if (isWhole(amount)) return;
  throw new Failure("invalid_request", `Money is counted in whole micro-USD from 0, not ${amount}.`);
}

function rowOf({ claim, accounts, at }: HeldClaim): ReservationRow {
  const { id, session_id, turn_id, key_id, agent, engine, provider, model, amount } = claim;
  return {
    id,
    at: new Date(at).toISOString(),
    session_id,
    ...(turn_id === undefined ? {} : { turn_id }),
    ...(key_id === undefined ? {} : { key_id }),
    agent,
    engine,
    provider,
    model,
    accounts: accounts.map(({ key }) => key),
    amount,
  };
}
