import type { PricedModel } from "../../../../protocol/index.ts";
import { locale } from "../../../ui/language/t.ts";

const MICRO = 1_000_000;

/** Micro-USD per million tokens as dollars: `$3`, `$0.30`, `$0.075`. */
export function rate(microusd: number | undefined): string {
  if (microusd === undefined) return "";
  const minimumFractionDigits = microusd % MICRO === 0 ? 0 : 2;
  return `$${(microusd / MICRO).toLocaleString(locale, { minimumFractionDigits, maximumFractionDigits: 4 })}`;
}

/** Prices whose provider or model has all the words, in any order. */
export function matching(prices: readonly PricedModel[], query: string): readonly PricedModel[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  return prices.filter(({ provider, model }) => {
    const name = `${provider}/${model}`.toLowerCase();
    return words.every((word) => name.includes(word));
  });
}
