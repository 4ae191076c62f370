import { LIMITS } from "../../protocol/index.ts";
import type { ListedModel, ProviderModels } from "../providers.ts";

interface ModelsEntry {
  /** When it was asked, in milliseconds. */
  readonly at: number;
  readonly answer: Promise<ProviderModels>;
  /** Undefined: it has not answered yet. */
  settled?: ProviderModels;
}

/** The providers' own lists of models. One that failed is asked again soon; meanwhile the last good one is shown. */
export class RecentModels {
  readonly #entries = new Map<string, ModelsEntry>();
  /** The last lists that were read, however old. */
  readonly #good = new Map<string, readonly ListedModel[]>();
  readonly #now: () => number;

  /** `now`: milliseconds since the epoch. */
  constructor(now: () => number) {
    this.#now = now;
  }

  get(id: string, ask: () => Promise<ProviderModels>): Promise<ProviderModels> {
    const known = this.#entries.get(id);
    if (known !== undefined && this.#isFresh(known)) return known.answer;
    const entry: ModelsEntry = { at: this.#now(), answer: ask().then((answer) => this.#keep(id, entry, answer)) };
    this.#entries.set(id, entry);
    return entry.answer;
  }

  /** What was last said of a model. Undefined: nothing, or nobody asked. */
  listed(id: string, model: string): ListedModel | undefined {
    return this.#good.get(id)?.find((one) => one.id === model);
  }

  /** It was tested, or its settings changed: it is asked again. */
  forget(id: string): void {
    this.#entries.delete(id);
  }

  clear(): void {
    this.#entries.clear();
    this.#good.clear();
  }

  #isFresh({ at, settled }: ModelsEntry): boolean {
    const age = this.#now() - at;
    // If the clock was set back, an answer's age would be negative.
    if (age < 0) return false;
    return age < (settled?.failure === undefined ? LIMITS.modelListMs : LIMITS.modelListRetryMs);
  }

  #keep(id: string, entry: ModelsEntry, answer: ProviderModels): ProviderModels {
    const isCurrent = this.#entries.get(id) === entry;
    if (answer.failure === undefined && isCurrent) this.#good.set(id, answer.models);
    const shown = answer.failure === undefined ? answer : { ...answer, models: this.#good.get(id) ?? [] };
    entry.settled = shown;
    return shown;
  }
}
