import type { ErrorCode } from "../protocol/index.ts";
import type { Operation } from "./statements.ts";

/** What the writer's thread is started with. */
export interface WriterData {
  /** Absolute, symlinks resolved. */
  readonly path: string;
}

/** What the writer is told. `close` comes last, when every batch was answered. */
export type ToWriter =
  | { readonly kind: "batch"; readonly writes: readonly (readonly Operation[])[] }
  | { readonly kind: "close" };

/** How one Write ended: the rows that its last statement changed, or why nothing of it was stored. */
export type Outcome =
  | { readonly changes: number }
  | { readonly code: "conflict" | "store_failed"; readonly why: string };

/** What the writer says. `why` is for the operator. */
export type FromWriter =
  | { readonly kind: "ready" }
  | { readonly kind: "refused"; readonly code: ErrorCode; readonly message: string }
  /** `batches` messages went into one durable transaction; outcomes in the order of their Writes. */
  | { readonly kind: "done"; readonly batches: number; readonly outcomes: readonly Outcome[] }
  /** Nothing can be written any more. */
  | { readonly kind: "fatal"; readonly why: string };
