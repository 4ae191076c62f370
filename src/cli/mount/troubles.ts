import { setTimeout as pause } from "node:timers/promises";
import { FuseError } from "../../fuse/index.ts";
import { errnoOf, Failure, LIMITS } from "../../protocol/index.ts";

/** What happened to a request: the server refused it, never got it, or may have got it. */
type RequestFate = "refused" | "undelivered" | "unknown";

/** Names of errors that come before the first byte is sent. */
const BEFORE_SENDING: ReadonlySet<string | undefined> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"]);

function fateOf(error: unknown): RequestFate {
  if (error instanceof Failure) return error.code === "shutting_down" ? "undelivered" : "refused";
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException;
  return BEFORE_SENDING.has(code) ? "undelivered" : "unknown";
}

/** The error for the caller of a file operation. */
export function fuseErrorOf(error: unknown): FuseError {
  if (error instanceof FuseError) return error;
  if (error instanceof Failure) return new FuseError(errnoOf(error), error.message);
  return new FuseError("EIO", `the server cannot be reached: ${(error as Error).message}`);
}

/**
 * Retries for as long as a server may need to come back, then throws the last error. `again`: also repeats a request that may have reached
 * the server, which is safe for reads.
 */
export async function patiently<Answer>(
  ask: () => Promise<Answer>,
  { again, signal }: { readonly again: boolean; readonly signal?: AbortSignal },
): Promise<Answer> {
  const started = performance.now();
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const fate = fateOf(error);
      const waited = performance.now() - started;
      const over = signal?.aborted === true || waited + LIMITS.mountAgainMs > LIMITS.mountAbsenceMs;
      if (over || fate === "refused" || (fate === "unknown" && !again)) throw fuseErrorOf(error);
      await pause(LIMITS.mountAgainMs);
    }
  }
}
