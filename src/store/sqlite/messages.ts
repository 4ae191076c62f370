import type { MessagePort } from "node:worker_threads";
import type { ErrorCode } from "../../protocol/index.ts";
import type { WriteOperation } from "./statements.ts";
import type { Stall, StoreDisk } from "../store.ts";

/** A store that the thread writes for from now on. */
export interface ThreadJob {
  readonly data: WriterData;
  /** The store's own. */
  readonly port: MessagePort;
}

export interface WriterData {
  /** Absolute, symlinks resolved. */
  readonly path: string;
  /** How long a transaction waits for another program's lock. */
  readonly busyMs: number;
  /** How often disk, record and log are maintained. */
  readonly tendMs: number;
  /** Space reserved for when the disk is full; 0: none. */
  readonly reserveBytes: number;
  readonly minFreeBytes: number;
  /** Accepts a database that holds less than the record says. */
  readonly acceptLoss: boolean;
  /** Shared with the writer's thread: nonzero once it must no longer wait for another program's lock. */
  readonly hurry: Int32Array<SharedArrayBuffer>;
  /** Only in tests. */
  readonly faults?: Faults | undefined;
}

/**
 * Faults that a test injects, shared with the writer's thread: how many transactions fail from now on, at which step
 * (0: begin, 1: commit), and with which of SQLite's result codes.
 */
export type Faults = Int32Array<SharedArrayBuffer>;

/** One Write. The Writes of a chain depend on each other: after one was refused, so are all later ones. */
export interface SentWrite {
  readonly operations: readonly WriteOperation[];
  readonly chain?: string;
}

/** Messages to the writer. `close` comes last, when every batch has been answered. */
export type ToWriter =
  /** The answer to `locked`: nobody else uses this home, and what a dead process left is cleaned up. */
  | { readonly kind: "open" }
  /** Batches of an epoch in which writing stalled are dropped: they are sent again in the next one. */
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

/** Messages from the writer. `why` is for the operator. */
export type FromWriter =
  /** The home is locked by us; the database is not open yet. */
  | { readonly kind: "locked" }
  | { readonly kind: "ready" }
  | ({ readonly kind: "disk" } & StoreDisk)
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  /** `batches` messages went into one durable transaction; outcomes in the order of their Writes. */
  | { readonly kind: "done"; readonly batches: number; readonly outcomes: readonly WriteOutcome[] }
  /** The disk or another program blocks writing: nothing sent so far is stored, all of it may be sent again. */
  | ({ readonly kind: "stalled" } & Omit<Stall, "since">)
  /** Nothing can be written any more. */
  | { readonly kind: "fatal"; readonly why: string };
