import { Failure, LIMITS, type Shortage } from "../protocol/index.ts";
import type { Account } from "./vault.ts";
import { standingInLine, type Wish } from "./wish.ts";

export type Outcome = "taken" | Shortage;

/** A wish that waits, in the line of one account. */
export interface Waiter {
  readonly wish: Wish;
  /** The later one came, the higher. */
  readonly ticket: number;
  /** The account in whose line it stands. */
  at: Account;
  readonly done: (outcome: Outcome) => void;
}

/** Calls back after so many milliseconds, unless it is cancelled. */
export type After = (ms: number, callback: () => void) => () => void;

/**
 * Takes money for those who want it. Whoever is held up by nothing but others' reservations waits for them, at the
 * account that holds him up, and is not overtaken there by a smaller wish. Elsewhere he holds up nobody.
 */
export class Waiters {
  readonly #after: After;
  #tickets = 0;
  #count = 0;

  constructor(after: After) {
    this.#after = after;
  }

  /** Checks and takes in one step; a promise only where it has to wait. A Failure `aborted` when the signal is. */
  ask(wish: Wish, signal: AbortSignal): Outcome | Promise<Outcome> {
    this.#tickets += 1;
    const standing = standingInLine(wish, this.#tickets);
    switch (standing.kind) {
      case "fits":
        return take(wish);
      case "short":
        return standing.shortage;
      case "reserved":
        if (this.#count >= LIMITS.ledgerWaiters) return standing.shortage;
        return this.#wait({ wish, ticket: this.#tickets, at: standing.account }, signal);
    }
  }

  /** Less is reserved on these now: whoever is next is served. */
  advance(accounts: readonly Account[]): void {
    if (this.#count === 0) return;
    for (const account of accounts) this.#serve(account);
  }

  #wait(entry: Pick<Waiter, "wish" | "ticket" | "at">, signal: AbortSignal): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#count -= 1;
        cancel();
        signal.removeEventListener("abort", abort);
      };
      const waiter: Waiter = {
        ...entry,
        done: (outcome) => {
          end();
          resolve(outcome);
        },
      };
      const abort = () => {
        end();
        reject(aborted());
        this.#leave(waiter);
      };
      const cancel = this.#after(LIMITS.ledgerWaitMs, () => {
        waiter.done(outcomeOf(waiter));
        this.#leave(waiter);
      });
      this.#count += 1;
      signal.addEventListener("abort", abort);
      enqueue(waiter);
    });
  }

  #leave(waiter: Waiter): void {
    const { waiting } = waiter.at;
    waiting.splice(waiting.indexOf(waiter), 1);
    this.#serve(waiter.at);
  }

  /** In order, up to the first who must still wait here. */
  #serve(account: Account): void {
    for (let first = account.waiting[0]; first !== undefined; first = account.waiting[0]) {
      const standing = standingInLine(first.wish, first.ticket);
      if (standing.kind === "reserved" && standing.account === account) return;
      account.waiting.shift();
      if (standing.kind === "reserved") {
        first.at = standing.account;
        enqueue(first);
      } else {
        first.done(standing.kind === "fits" ? take(first.wish) : standing.shortage);
      }
    }
  }
}

export function aborted(): Failure {
  return new Failure("aborted", "The request was given up before money was set aside for it.");
}

function take({ accounts, amount }: Wish): "taken" {
  for (const account of accounts) account.reserved += amount;
  return "taken";
}

function outcomeOf({ wish, ticket }: Waiter): Outcome {
  const standing = standingInLine(wish, ticket);
  return standing.kind === "fits" ? take(wish) : standing.shortage;
}

/** Behind those who came earlier: who comes from another account's line keeps his place. */
function enqueue(waiter: Waiter): void {
  const { waiting } = waiter.at;
  waiting.splice(waiting.findLastIndex(({ ticket }) => ticket < waiter.ticket) + 1, 0, waiter);
}
