import type { LimitKind, Shortage, TokenCount } from "../protocol/index.ts";
import type { ReservationRow } from "../store/index.ts";

/** One limit that a request must stay within. Two limits can count on the same account. */
export interface SpendingLimit {
  readonly kind: LimitKind;
  /** The account's key; see accounts.ts. */
  readonly account: string;
  /** Micro-USD; absent: spending is only counted. */
  readonly limit?: number | undefined;
}

/** Who wants to spend how much at most. */
export interface Claim extends Omit<ReservationRow, "at" | "turn_id" | "key_id" | "accounts"> {
  /** Absent between turns. */
  readonly turn_id?: string | undefined;
  /** Absent: a session's request. */
  readonly key_id?: string | undefined;
  readonly spendingLimits: readonly SpendingLimit[];
}

/** What a request really cost. */
export interface Charge {
  readonly tokens: TokenCount;
  readonly cost: number;
  /** The part of `cost` that is a bound, because the provider did not report it. */
  readonly bound: number;
}

/** Money set aside for one request. Ends once, with `settle` or `release`; later calls do nothing. */
export interface Reservation {
  readonly id: string;
  readonly amount: number;
  /**
   * Counts at once; on the disk a few milliseconds later. After a crash in between, the whole amount counts as spent.
   */
  settle(charge: Charge): void;
  /** Nothing was spent. */
  release(): void;
}

export interface Balance {
  readonly spent: number;
  readonly reserved: number;
}

/** Reservations and spending. Check and reservation are one step: limits hold under any concurrency. */
export interface Ledger {
  /**
   * A reservation that is on the disk, or the shortage that prevents it. If only other reservations are in the way, it
   * waits for them in order (`ledgerWaitMs`). A Failure `aborted` when the signal aborts.
   */
  reserve(claim: Claim, signal: AbortSignal): Promise<Reservation | Shortage>;
  balance(account: string): Promise<Balance>;
  /** The balance at once, for a recently used account; undefined when it is not in memory. */
  peek(account: string): Balance | undefined;
  /** Resolves when everything settled so far is on the disk. */
  flush(): Promise<void>;
}
