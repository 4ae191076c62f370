import { Failure, LIMITS, type Shortage } from "../protocol/index.ts";
import type { Account } from "./account-cache.ts";
import { admissionInLine, type ResolvedClaim } from "./claims.ts";

export type WaitOutcome = "taken" | Shortage;

/** A claim that waits in the line of one account. */
export interface ClaimWaiter {
  readonly claim: ResolvedClaim;
  /** The later one came, the higher. */
  readonly ticket: number;
  /** The account in whose line it stands. */
  at: Account;
  readonly done: (outcome: WaitOutcome) => void;
}

/** Calls back after so many milliseconds, unless it is cancelled. */
export type After = (ms: number, callback: () => void) => () => void;

/**
 * Takes money for claims. A claim that only the reservations of others hold up waits for them, at the account that is
 * short. A smaller claim does not overtake it there. At its other accounts it holds up nobody.
 */
export class Waiters {
  readonly #after: After;
  #tickets = 0;
  #count = 0;

  constructor(after: After) {
    this.#after = after;
  }

  /** Checks and takes in one step; a promise only where it has to wait. A Failure `aborted` when the signal is. */
  ask(claim: ResolvedClaim, signal: AbortSignal): WaitOutcome | Promise<WaitOutcome> {
    this.#tickets += 1;
    const admission = admissionInLine(claim, this.#tickets);
    switch (admission.kind) {
      case "fits":
        return take(claim);
      case "short":
        return admission.shortage;
      case "reserved":
        if (this.#count >= LIMITS.ledgerWaiters) return admission.shortage;
        return this.#wait({ claim, ticket: this.#tickets, at: admission.account }, signal);
    }
  }

  /** Less is reserved on these now: whoever is next is served. */
  advance(accounts: readonly Account[]): void {
    if (this.#count === 0) return;
    for (const account of accounts) this.#serve(account);
  }

  #wait(entry: Pick<ClaimWaiter, "claim" | "ticket" | "at">, signal: AbortSignal): Promise<WaitOutcome> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#count -= 1;
        cancel();
        signal.removeEventListener("abort", abort);
      };
      const waiter: ClaimWaiter = {
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

  #leave(waiter: ClaimWaiter): void {
    const { waiting } = waiter.at;
    waiting.splice(waiting.indexOf(waiter), 1);
    this.#serve(waiter.at);
  }

  /** In order, up to the first who must still wait here. */
  #serve(account: Account): void {
    for (let first = account.waiting[0]; first !== undefined; first = account.waiting[0]) {
      const admission = admissionInLine(first.claim, first.ticket);
      if (admission.kind === "reserved" && admission.account === account) return;
      account.waiting.shift();
      if (admission.kind === "reserved") {
        first.at = admission.account;
        enqueue(first);
      } else {
        first.done(admission.kind === "fits" ? take(first.claim) : admission.shortage);
      }
    }
  }
}

export function aborted(): Failure {
  return new Failure("aborted", "The request was given up before money was set aside for it.");
}

function take({ accounts, amount }: ResolvedClaim): "taken" {
  for (const account of accounts) account.reserved += amount;
  return "taken";
}

function outcomeOf({ claim, ticket }: ClaimWaiter): WaitOutcome {
  const admission = admissionInLine(claim, ticket);
  return admission.kind === "fits" ? take(claim) : admission.shortage;
}

/** Behind those who came earlier. A waiter that moves to another account keeps its position. */
function enqueue(waiter: ClaimWaiter): void {
  const { waiting } = waiter.at;
  waiting.splice(waiting.findLastIndex(({ ticket }) => ticket < waiter.ticket) + 1, 0, waiter);
}
