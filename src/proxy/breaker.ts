import { LIMITS } from "../protocol/index.ts";

/** What is remembered of one provider that broke off. */
interface ProviderTrouble {
  /** When answers broke, the newest last; those of the window only. */
  failures: number[];
  /** How often requests have been stopped in a row: each time for twice as long. */
  level: number;
  /** No request goes out before this moment. */
  openUntil: number;
  /** When the one request went out that tries it again; undefined: none is under way. */
  probeAt: number | undefined;
}

/** How a provider does, by the requests that went to it. */
export type ProviderCondition =
  | { readonly state: "good" }
  /** It broke off lately. `retryAfterMs`: requests are stopped for so long; 0: they are not. */
  | { readonly state: "troubled"; readonly failures: number; readonly retryAfterMs: number };

const GOOD: ProviderCondition = { state: "good" };

/**
 * Stops requests to a provider that breaks off again and again. A broken answer is charged at its bound, so that a provider
 * which flaps would use up budgets for nothing.
 */
export class ProviderBreaker {
  readonly #elapsed: () => number;
  readonly #troubles = new Map<string, ProviderTrouble>();

  /** `elapsed`: milliseconds of a clock that does not jump. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  /** Milliseconds after which to try again; undefined: a request may go out now. */
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

  /** An answer broke, and nobody knows what it cost. */
  broke(provider: string): void {
    const now = this.#elapsed();
    const trouble = this.#current(provider) ?? this.#add(provider);
    trouble.failures = [...trouble.failures.slice(1 - LIMITS.breakerFailures), now];
    trouble.probeAt = undefined;
    if (trouble.level === 0 && trouble.failures.length < LIMITS.breakerFailures) return;
    // Those that were under way when it was stopped do not stop it for longer.
    if (now < trouble.openUntil) return;
    trouble.openUntil = now + Math.min(LIMITS.breakerMaxPauseMs, LIMITS.breakerPauseMs * 2 ** trouble.level);
    trouble.level += 1;
  }

  /** An answer came whole. What it did before is forgotten only with time. */
  answered(provider: string): void {
    const trouble = this.#troubles.get(provider);
    if (trouble !== undefined) trouble.probeAt = undefined;
  }

  /** Somebody made sure that it works. */
  reset(provider: string): void {
    this.#troubles.delete(provider);
  }

  condition(provider: string): ProviderCondition {
    const trouble = this.#current(provider);
    if (trouble === undefined) return GOOD;
    const retryAfterMs = Math.max(0, trouble.openUntil - this.#elapsed());
    return { state: "troubled", failures: trouble.failures.length, retryAfterMs };
  }

  /** Undefined: nothing, or nothing that still counts. */
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
