import { Failure, LIMITS, type Shortage } from "../protocol/index.ts";
import type { Account } from "./account-cache.ts";
import { admissionInLine, type ResolvedClaim } from "./claims.ts";

export type WaitOutcome = "taken" | Shortage;

/** A claim that waits in the queue of one account. */
export interface ClaimWaiter {
  readonly claim: ResolvedClaim;
  /** Later claims have higher tickets. */
  readonly ticket: number;
  /** The account in whose queue it waits. */
  at: Account;
  readonly done: (outcome: WaitOutcome) => void;
}

/** Calls back after this many milliseconds, unless cancelled. */
export type After = (ms: number, callback: () => void) => () => void;

/**
 * Reserves money for claims. A claim blocked only by reservations of others waits for them, at the account that is
 * short. Smaller claims cannot overtake it there. It blocks nobody at its other accounts.
 */
export class Waiters {
  readonly #after: After;
  #tickets = 0;
  #count = 0;

  constructor(after: After) {
    this.#after = after;
  }

  /** Checks and reserves in one step; returns a promise only if it must wait. A Failure `aborted` when the signal aborts. */
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

  /** Less is reserved on these accounts now: serves the next waiters. */
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

  /** In order, up to the first that must still wait here. */
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

/** Inserts by ticket, so that a waiter that moves to another account keeps its position. */
function enqueue(waiter: ClaimWaiter): void {
  const { waiting } = waiter.at;
  waiting.splice(waiting.findLastIndex(({ ticket }) => ticket < waiter.ticket) + 1, 0, waiter);
}
