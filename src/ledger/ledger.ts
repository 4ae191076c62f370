import type { LimitKind, Shortage, TokenCount } from "../protocol/index.ts";

/** One limit that a request must keep. Two limits can count on the same account. */
export interface SpendingLimit {
  readonly kind: LimitKind;
  /** The account's key; see accounts.ts. */
  readonly account: string;
  /** Micro-USD; absent: it is only counted. */
  readonly limit?: number | undefined;
}

/** Who wants to spend what, at most. */
export interface Claim {
  readonly id: string;
  readonly session_id: string;
  /** Absent between turns. */
  readonly turn_id?: string | undefined;
  /** The principal's id. */
  readonly agent: string;
  readonly engine: string;
  readonly provider: string;
  readonly model: string;
  readonly spendingLimits: readonly SpendingLimit[];
  /** Micro-USD. */
  readonly amount: number;
}

/** What a request really cost. */
export interface Charge {
  readonly tokens: TokenCount;
  readonly cost: number;
  /** The part of `cost` that is a bound, because the provider never told. */
  readonly bound: number;
}

/** Money that is set aside for one request. Ends once: with `settle` or `release`; what comes later does nothing. */
export interface Reservation {
  readonly id: string;
  readonly amount: number;
  /** Counts at once; on the disk a few milliseconds later. After a crash in between, the whole amount counts as spent. */
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
   * A reservation that is on the disk, or what stands in its way. Where only other reservations stand in the way it
   * waits for them (`ledgerWaitMs`, in order). A Failure `aborted` when the signal is.
   */
  reserve(claim: Claim, signal: AbortSignal): Promise<Reservation | Shortage>;
  balance(account: string): Promise<Balance>;
  /** The same at once, for an account that has just been used; undefined when it is not in memory. */
  peek(account: string): Balance | undefined;
  /** Resolves when everything settled so far is on the disk. */
  flush(): Promise<void>;
}
