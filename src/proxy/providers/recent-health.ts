import { LIMITS } from "../../protocol/index.ts";
import type { ProviderHealth } from "../providers.ts";

interface HealthEntry {
  /** When it was asked, in milliseconds. */
  readonly at: number;
  readonly health: Promise<ProviderHealth>;
}

/** The providers' last answers. Callers in the meantime share them. */
export class RecentHealth {
  readonly #entries = new Map<string, HealthEntry>();
  readonly #now: () => number;

  /** `now`: milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string, ask: () => Promise<ProviderHealth>): Promise<ProviderHealth> {
    const known = this.#entries.get(id);
    const age = known === undefined ? Infinity : this.#now() - known.at;
    // If the clock was set back, an answer's age would be negative.
    if (known !== undefined && age >= 0 && age < LIMITS.providerHealthMs) return known.health;
    return this.set(id, ask());
  }

  /** Stores a newer answer, whoever asked for it. */
  set(id: string, health: Promise<ProviderHealth>): Promise<ProviderHealth> {
    this.#entries.set(id, { at: this.#now(), health });
    return health;
  }

  /** Its settings changed. */
  clear(): void {
    this.#entries.clear();
  }
}
