import { Failure } from "./failure.ts";
import { OPERATION_LIMITS } from "./limits/operations.ts";

/** The process is about to run out of file descriptors. */
export function outOfFilesFailure(): Failure {
  return new Failure(
    "limit_reached",
    "The server has nearly as many files and connections open as it may. Try again in a moment; its operator can raise the limit (ulimit -n).",
    { retry_after_s: OPERATION_LIMITS.openFilesRetryAfterS },
  );
}

/** Whether a system call failed because too many files and connections are open. */
export function isOutOfFiles(error: unknown): boolean {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return code === "EMFILE" || code === "ENFILE";
}
