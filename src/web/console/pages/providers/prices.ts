import type { PricedModel } from "../../../../protocol/index.ts";
import { exactMoney } from "../../../ui/words.tsx";

/** Micro-USD per million tokens as dollars: `$3`, `$0.30`, `$0.075`. */
export function rate(microusd: number | undefined): string {
  if (microusd === undefined) return "";
  return exactMoney(microusd);
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
