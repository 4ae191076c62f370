import { LIMITS, type ProviderStatus } from "../../protocol/index.ts";
import type { Exchange } from "../proxy.ts";

interface ProviderRow {
  /** Requests in a row that the provider did not answer. */
  failures: number;
  /** When the last one failed, on the monotonic clock. */
  failedAt: number;
}

/**
 * How providers answered lately, whoever asked. `unavailable`: several requests in a row failed, the last one a moment ago.
 * `degraded`: the last one failed. One answer makes it `available` again.
 */
export class ProviderRecord {
  readonly #elapsed: () => number;
  readonly #rows = new Map<string, ProviderRow>();

  /** `elapsed`: milliseconds of a monotonic clock. */
  constructor(elapsed: () => number) {
    this.#elapsed = elapsed;
  }

  note(exchange: Pick<Exchange, "provider" | "outcome" | "status" | "code">): void {
    const { provider } = exchange;
    const verdict = verdictOn(exchange);
    if (verdict === "answered") this.#rows.delete(provider);
    if (verdict !== "failed") return;
    const failures = (this.#rows.get(provider)?.failures ?? 0) + 1;
    this.#rows.set(provider, { failures, failedAt: this.#elapsed() });
  }

  /** Somebody has checked that it works. */
  reset(provider: string): void {
    this.#rows.delete(provider);
  }

  status(provider: string): ProviderStatus {
    const row = this.#rows.get(provider);
    if (row === undefined) return "available";
    const age = this.#elapsed() - row.failedAt;
    if (age >= LIMITS.providerFailedMs) {
      this.#rows.delete(provider);
      return "available";
    }
    return row.failures >= LIMITS.providerDownFailures && age < LIMITS.providerDownMs ? "unavailable" : "degraded";
  }
}

/** Whether a request says something about its provider. Refusals of ours, of a caller's mistake, and callers that left do not. */
function verdictOn({
  outcome,
  status,
  code,
}: Pick<Exchange, "outcome" | "status" | "code">): "answered" | "failed" | undefined {
  switch (outcome) {
    case "completed":
      return "answered";
    case "broken":
      return code === "shutting_down" ? undefined : "failed";
    case "provider_error":
      // A key that is refused or used up stops every session of the provider, as an error of its own does.
      return code === "model_unavailable" || status >= 500 || [401, 402, 403, 429].includes(status)
        ? "failed"
        : undefined;
    case "refused":
    case "caller_gone":
      return undefined;
  }
}
