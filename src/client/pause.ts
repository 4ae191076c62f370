import { CLIENT_LIMITS } from "../protocol/limits/client.ts";

/** Until the time is over, or the signal says so. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      clearTimeout(timer);
      // The signal may outlive many pauses.
      signal.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, ms);
    signal.addEventListener("abort", over, { once: true });
    if (signal.aborted) over();
  });
}

/** The wait before the next try, longer each time and never the same for all. */
export function retryWait(tries: number): number {
  const wait = Math.min(CLIENT_LIMITS.liveRetryCapMs, CLIENT_LIMITS.liveRetryMs * 2 ** tries);
  return wait * (0.5 + Math.random() / 2);
}
