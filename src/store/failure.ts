import { Failure, LIMITS } from "../protocol/index.ts";
import type { Stall } from "./store.ts";

/** What a caller reads when its own Write was refused. */
export const REFUSED = {
  conflict: "A row with this key is stored already: nothing of this write was stored.",
  store_failed: "The store could not take this write: nothing of it was stored.",
  damaged:
    "A part of the database that this needs is damaged: nothing of it was stored. `sallyport doctor` says what is damaged.",
  chain: "The store refused an earlier write that this one follows: nothing of it was stored.",
} as const;

/** The message is for the caller; the cause is for the operator's log and never sent out. */
export function storeFailure(code: "conflict" | "store_failed", message: string, cause: unknown): Failure {
  const failure = new Failure(code, message);
  failure.cause = cause;
  return failure;
}

const CAUSES: Readonly<Record<Stall["cause"], string>> = {
  locked: "another program has locked its database",
  full: "its disk is full",
  read_only: "its disk is read-only",
  io: "its disk reports errors",
  replaced: "its database was removed, replaced or overwritten on the disk",
};

const ENDS = {
  refused: "Nothing of this request was stored: send it again in a few seconds.",
  waiting: "This request is kept and is stored when the disk is back: send it again with the same Idempotency-Key.",
  lost: "The server stops, and this request was not stored.",
} as const;

const REPLACED_ENDS: Readonly<Record<keyof typeof ENDS, string>> = {
  refused: "Nothing of this request was stored: whoever runs the server must put the files back and start it again.",
  waiting: "This request is not stored: whoever runs the server must put the files back and start it again.",
  lost: ENDS.lost,
};

/** The message of every refusal while nothing can be written. */
export function stalledFailure(stall: Stall | undefined, end: keyof typeof ENDS): Failure {
  const cause = stall === undefined ? "" : `: ${CAUSES[stall.cause]}`;
  const isReplaced = stall?.cause === "replaced";
  const words = isReplaced ? REPLACED_ENDS[end] : ENDS[end];
  const failure = new Failure("store_failed", `The store cannot write at the moment${cause}. ${words}`, {
    retry_after_s: LIMITS.storeRetryAfterS,
    ...(end === "waiting" && !isReplaced ? { stored_later: true } : {}),
  });
  failure.cause = stall === undefined ? undefined : new Error(stall.why);
  return failure;
}
