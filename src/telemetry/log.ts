import { LIMITS, type Log } from "../protocol/index.ts";

export type Complain = (fields: object, message: string) => void;

/** For trouble that may come a thousand times a second: each message is told at once, then at most once a minute. */
export function sparingly(log: Pick<Log, "warn">, now: () => number): Complain {
  const told = new Map<string, { readonly at: number; keptBack: number }>();
  return (fields, message) => {
    const at = now();
    const last = told.get(message);
    // A clock that was set back must not silence it.
    if (last !== undefined && Math.abs(at - last.at) < LIMITS.complaintMs) {
      last.keptBack += 1;
      return;
    }
    told.set(message, { at, keptBack: 0 });
    log.warn(last === undefined || last.keptBack === 0 ? fields : { ...fields, not_told: last.keptBack }, message);
  };
}

export function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // Node's error for several unreachable addresses has a code and no message.
  return error.message === "" && "code" in error ? String(error.code) : error.message;
}
