import type { PriceBook } from "../ledger/index.ts";
import { LIMITS, type PricedModel } from "../protocol/index.ts";
import type { Provider } from "./providers.ts";

/** Prices looked up in the last second. The lookup takes longer than the rest of an admission. */
export class PriceMemory {
  readonly #book: PriceBook;
  readonly #known = new Map<string, PricedModel | undefined>();

  constructor(book: PriceBook) {
    this.#book = book;
  }

  priceOf(provider: Provider, model: string): PricedModel | undefined {
    const name = `${provider.id} ${provider.free ? "free " : ""}${model}`;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const priced = this.#book.priceOf(provider, model);
    if (this.#known.size < LIMITS.proxyPrices) this.#known.set(name, priced);
    return priced;
  }

  /** From now on the newest prices count. */
  forget(): void {
    this.#known.clear();
  }
}
