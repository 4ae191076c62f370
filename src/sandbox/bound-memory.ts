import { watchMemory } from "./memory.ts";
import type { Running } from "./sandbox.ts";

const MIB = 1_048_576;

/** What is said of a program that was ended for the memory of all that is beside it. */
export function usedTogether(bytes: number): string {
  return `everything in its sandbox together used more than ${Math.floor(bytes / MIB)} MiB of memory`;
}

/**
 * Ends what takes more memory, with all that it started. The answer says why it was ended; undefined: it was not. A limit of
 * the system's own (RLIMIT_AS) would not do: V8, Go and Java reserve far more addresses than they use.
 */
export function boundMemory(running: Running, bytes: number): () => string | undefined {
  let reason: string | undefined;
  const onExceeded = (): void => {
    reason = `it used more than ${Math.floor(bytes / MIB)} MiB of memory`;
    void running.kill({ graceMs: 0 });
  };
  void running.exit.then(watchMemory({ pid: running.pid, bytes, onExceeded }));
  return () => reason;
}
