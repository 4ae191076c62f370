import { Failure } from "../protocol/index.ts";

/** What a caller reads when its own Write was refused. */
export const REFUSED = {
  conflict: "A row with this key is stored already: nothing of this write was stored.",
  store_failed: "The store could not take this write: nothing of it was stored.",
} as const;

/** Words for the caller; what stands behind them, for the operator's log, is the cause and never sent out. */
export function storeFailure(code: "conflict" | "store_failed", message: string, cause: unknown): Failure {
  const failure = new Failure(code, message);
  failure.cause = cause;
  return failure;
}
