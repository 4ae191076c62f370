import { LIMITS, SHIPPED_PROVIDERS, type Price, type PricedModel } from "../protocol/index.ts";
import { dayOf } from "./accounts.ts";
import { mostSpecific } from "./glob.ts";
import { shippedModels, shippedPrice } from "./shipped.ts";
import { sizesOf } from "./sizes.ts";

/** What models cost. */
export interface PriceBook {
  /** Absent: unknown, so the model is refused until an admin sets a price. */
  priceOf(provider: { readonly id: string; readonly free: boolean }, model: string): PricedModel | undefined;
  /** Everything with a price: first the settings (provider `*`, the glob as model), then the shipped table. */
  list(): readonly PricedModel[];
}

/**
 * Prices from the settings, of free providers, and from the shipped table, in this order. `overrides` is read at each
 * call: `<model glob>` or `<provider>/<model glob>` → price; the most specific one wins. Sizes that an override does not
 * give are kept from the table.
 */
export function openPriceBook(
  overrides: () => Readonly<Record<string, Price>>,
  now: () => number = Date.now,
  told: ToldPrices = NOTHING_TOLD,
): PriceBook {
  const shipped = rememberShipped();
  return {
    priceOf: ({ id, free }, model) => {
      const override = mostSpecific(Object.entries(overrides()), [model, `${id}/${model}`]);
      if (override !== undefined) {
        return { provider: id, model, price: { ...sizesOf(model), ...override }, from: "settings" };
      }
      const owners = told.priceOf(id, model);
      if (owners !== undefined) return { provider: id, model, price: { ...sizesOf(model), ...owners }, from: "owner" };
      if (free) return { provider: id, model, price: { input: 0, output: 0 }, from: "free" };
      const price = shipped({ provider: id, model, day: dayOf(now()) });
      return price === undefined ? undefined : { provider: id, model, price, from: "shipped" };
    },
    list: () => [
      ...Object.entries(overrides()).map(([glob, price]): PricedModel => ({
        provider: "*",
        model: glob,
        price,
        from: "settings",
      })),
      ...told.list(),
      ...SHIPPED_PROVIDERS.flatMap((provider) =>
        shippedModels(provider, dayOf(now())).map(([model, price]): PricedModel => ({
          provider,
          model,
          price,
          from: "shipped",
        })),
      ),
    ],
  };
}

/** Prices that the owners of other machines set for what they offer. */
export interface ToldPrices {
  priceOf(provider: string, model: string): Price | undefined;
  list(): readonly PricedModel[];
}

const NOTHING_TOLD: ToldPrices = { priceOf: () => undefined, list: () => [] };

interface PriceLookup {
  readonly provider: string;
  readonly model: string;
  readonly day: string;
}

/** Each model is looked up once a day. Unknown ones are not cached: callers can make up any name. */
function rememberShipped(): (asked: PriceLookup) => Price | undefined {
  const remembered = new Map<string, Price>();
  let rememberedDay = "";
  return ({ provider, model, day }) => {
    if (day !== rememberedDay || remembered.size >= LIMITS.pricesRemembered) remembered.clear();
    rememberedDay = day;
    const key = JSON.stringify([provider, model]);
    const price = remembered.get(key) ?? shippedPrice(provider, model, day);
    if (price !== undefined) remembered.set(key, price);
    return price;
  };
}
