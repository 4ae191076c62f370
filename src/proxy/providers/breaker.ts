import { LIMITS } from "../../protocol/index.ts";

/** What is remembered about a provider that broke off. */
interface ProviderTrouble {
  /** When answers broke off, newest last; only those in the window. */
  failures: number[];
  /** How often requests have been stopped in a row: each time for twice as long. */
  level: number;
  /** No request goes out before this time. */
  openUntil: number;
  /** When the one test request went out; undefined: none is under way. */
  probeAt: number | undefined;
}

/** The condition of a provider, judged by the requests sent to it. */
export type ProviderCondition =
  | { readonly state: "good" }
  /** It broke off recently. `retryAfterMs`: requests are stopped for this long; 0: they are not. */
  | { readonly state: "troubled"; readonly failures: number; readonly retryAfterMs: number };

const GOOD: ProviderCondition = { state: "good" };

/**
 * Stops requests to a provider that keeps breaking off. A broken answer is charged at its bound, so an unstable provider
 * would use up budgets for nothing.
 */
export class ProviderBreaker {
  readonly #elapsed: () => number;
  readonly #troubles = new Map<string, ProviderTrouble>();

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Milliseconds until the next try; undefined: a request may go out now. */
  refusedFor(provider: string): number | undefined {
    const trouble = this.#current(provider);
    if (trouble === undefined || trouble.level === 0) return undefined;
    const now = this.#elapsed();
    if (now < trouble.openUntil) return trouble.openUntil - now;
    const { probeAt } = trouble;
    if (probeAt !== undefined && now - probeAt < LIMITS.breakerProbeMs) return LIMITS.breakerProbeMs - (now - probeAt);
    trouble.probeAt = now;
    return undefined;
  }

  /** An answer broke off, at unknown cost. */
  broke(provider: string): void {
    const now = this.#elapsed();
    const trouble = this.#current(provider) ?? this.#add(provider);
    trouble.failures = [...trouble.failures.slice(1 - LIMITS.breakerFailures), now];
    trouble.probeAt = undefined;
    if (trouble.level === 0 && trouble.failures.length < LIMITS.breakerFailures) return;
    // Requests already under way when it was stopped do not extend the stop.
    if (now < trouble.openUntil) return;
    trouble.openUntil = now + Math.min(LIMITS.breakerMaxPauseMs, LIMITS.breakerPauseMs * 2 ** trouble.level);
    trouble.level += 1;
  }

  /** An answer arrived in full. Earlier failures only expire with time. */
  answered(provider: string): void {
    const trouble = this.#troubles.get(provider);
    if (trouble !== undefined) trouble.probeAt = undefined;
  }

  /** Somebody has checked that it works. */
  reset(provider: string): void {
    this.#troubles.delete(provider);
  }

  condition(provider: string): ProviderCondition {
    const trouble = this.#current(provider);
    if (trouble === undefined) return GOOD;
    const retryAfterMs = Math.max(0, trouble.openUntil - this.#elapsed());
    return { state: "troubled", failures: trouble.failures.length, retryAfterMs };
  }

  /** Undefined: nothing, or nothing recent. */
  #current(provider: string): ProviderTrouble | undefined {
    const trouble = this.#troubles.get(provider);
    if (trouble === undefined) return undefined;
    const now = this.#elapsed();
    trouble.failures = trouble.failures.filter((at) => now - at < LIMITS.breakerWindowMs);
    const isOver = trouble.failures.length === 0 && now - trouble.openUntil >= LIMITS.breakerMemoryMs;
    if (isOver || (trouble.failures.length === 0 && trouble.level === 0)) {
      this.#troubles.delete(provider);
      return undefined;
    }
    return trouble;
  }

  #add(provider: string): ProviderTrouble {
    const trouble: ProviderTrouble = { failures: [], level: 0, openUntil: 0, probeAt: undefined };
    this.#troubles.set(provider, trouble);
    return trouble;
  }
}
