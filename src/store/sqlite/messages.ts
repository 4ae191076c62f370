import type { ErrorCode } from "../../protocol/index.ts";
import type { WriteOperation } from "./statements.ts";
import type { Stall, StoreDisk } from "../store.ts";

/** What the writer's thread is started with. */
export interface WriterData {
  /** Absolute, symlinks resolved. */
  readonly path: string;
  /** How long a transaction waits for another program's lock. */
  readonly busyMs: number;
  /** How often disk, record and log are looked after. */
  readonly tendMs: number;
  /** Space that is set aside for a disk that is full; 0: none. */
  readonly reserveBytes: number;
  readonly minFreeBytes: number;
  /** Takes a database that holds less than the record says. */
  readonly acceptLoss: boolean;
  /** Shared with the writer's thread: not 0 from the moment when it does not wait for another program's lock any more. */
  readonly hurry: Int32Array<SharedArrayBuffer>;
  /** Only in tests. */
  readonly faults?: Faults | undefined;
}

/**
 * Faults that a test makes, shared with the writer's thread: how many transactions fail from now on, at which step
 * (0: begin, 1: commit), and with which of SQLite's result codes.
 */
export type Faults = Int32Array<SharedArrayBuffer>;

/** One Write. The Writes of a chain follow from each other: after one was refused, so are all that come later. */
export interface SentWrite {
  readonly operations: readonly WriteOperation[];
  readonly chain?: string;
}

/** What the writer is told. `close` comes last, when every batch was answered. */
export type ToWriter =
  /** The answer to `locked`: nobody else uses this home, and what a dead process left is gone. */
  | { readonly kind: "open" }
  /** Those of an epoch in which writing stalled are dropped: they come again in the next one. */
  | { readonly kind: "batch"; readonly epoch: number; readonly writes: readonly SentWrite[] }
  | { readonly kind: "close" };

/** How one Write ended: the rows that its last statement changed, or why nothing of it was stored. */
export type WriteOutcome =
  | { readonly changes: number }
  | {
      readonly code: "conflict" | "store_failed";
      readonly why: string;
      /** A page of the database that it needed is damaged. */
      readonly isDamaged?: boolean;
    };

/** What the writer says. `why` is for the operator. */
export type FromWriter =
  /** The home is ours; the database is not open yet. */
  | { readonly kind: "locked" }
  | { readonly kind: "ready" }
  | ({ readonly kind: "disk" } & StoreDisk)
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  /** `batches` messages went into one durable transaction; outcomes in the order of their Writes. */
  | { readonly kind: "done"; readonly batches: number; readonly outcomes: readonly WriteOutcome[] }
  /** The disk or another program stands in the way: nothing of what was sent so far is stored, all of it may be sent again. */
  | ({ readonly kind: "stalled" } & Omit<Stall, "since">)
  /** Nothing can be written any more. */
  | { readonly kind: "fatal"; readonly why: string };
