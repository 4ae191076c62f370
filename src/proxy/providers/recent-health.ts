import { LIMITS } from "../../protocol/index.ts";
import type { ProviderHealth } from "../providers.ts";

interface HealthEntry {
  /** Milliseconds, when it was asked. */
  readonly at: number;
  readonly health: Promise<ProviderHealth>;
}

/** What providers answered when they were last asked. Whoever asks in the meantime shares that answer. */
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
    // A clock that was set back makes an answer as old as it likes.
    if (known !== undefined && age >= 0 && age < LIMITS.providerHealthMs) return known.health;
    return this.set(id, ask());
  }

  /** A newer answer, whoever asked for it. */
  set(id: string, health: Promise<ProviderHealth>): Promise<ProviderHealth> {
    this.#entries.set(id, { at: this.#now(), health });
    return health;
  }

  /** Its settings changed. */
  clear(): void {
    this.#entries.clear();
  }
}
