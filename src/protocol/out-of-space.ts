import { Failure } from "./failure.ts";
import { STORE_LIMITS } from "./limits/store.ts";

/** Something outside the database could not be written: a workspace, a temporary file, a file of the home. */
export function outOfSpaceFailure(): Failure {
  return new Failure(
    "store_full",
    "A disk of the server is full: the home folder's, the workspace's or the one of temporary files. Free some space there and try again; the server's log says which.",
    { retry_after_s: STORE_LIMITS.storeFullRetryAfterS },
  );
}

/** Whether a system call failed because a disk or a quota is full. */
export function isOutOfSpace(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "ENOSPC" || code === "EDQUOT";
}
