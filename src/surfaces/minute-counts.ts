import { LIMITS } from "../protocol/index.ts";

const MINUTE_MS = 60_000;

/** What is counted, and how often it may happen in a minute. */
export interface MinuteLimit {
  readonly key: string;
  readonly limit: number;
}

/** Counts by key, in minutes that begin with a key's first use. */
export class MinuteCounts {
  readonly #elapsed: () => number;
  /** The oldest minute first. */
  readonly #minutes = new Map<string, { readonly began: number; count: number }>();

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Counts once for all of them, or for none: then returns the reached limit and the wait in ms. */
  take<Limit extends MinuteLimit>(
    limits: readonly Limit[],
  ): { readonly reached: Limit; readonly ms: number } | undefined {
    const now = this.#elapsed();
    this.#sweep(now);
    for (const reached of limits) {
      const minute = this.#minutes.get(reached.key);
      if (minute !== undefined && minute.count >= reached.limit) return { reached, ms: minute.began + MINUTE_MS - now };
    }
    for (const { key } of limits) {
      const minute = this.#minutes.get(key);
      if (minute === undefined) this.#minutes.set(key, { began: now, count: 1 });
      else minute.count += 1;
    }
    return undefined;
  }

  /** Forgets minutes that are over, and the oldest ones where there are too many. */
  #sweep(now: number): void {
    for (const [key, { began }] of this.#minutes) {
      if (began + MINUTE_MS > now && this.#minutes.size < LIMITS.rateKeys) return;
      this.#minutes.delete(key);
    }
  }
}
