import { findProvider, type ModelInfo, type ModelPrice, type Provider } from "@pydantic/genai-prices";
import { defined, LIMITS, providerKind, type Price, type Rates } from "../protocol/index.ts";
import { shifted } from "./decimal.ts";
import { isNamed } from "./named.ts";
import { sizesOf } from "./sizes.ts";

/** Makers whose models cost the same wherever they are reached by their own names. */
const MAKERS = ["anthropic", "openai", "x-ai"] as const;

/** Half price for batches. */
const BATCH_PERCENT: ReadonlyMap<string, number> = new Map([
  ["anthropic", 50],
  ["openai", 50],
]);

/** Open weights are sold by many, each at its own price. */
const OPEN_WEIGHTS = /^gpt-oss/;

/** These models also charge for something other than the tokens counted here. */
const NOT_BY_TOKENS = /audio|realtime|transcribe|tts|voice|image|whisper|embed|moderation|search|computer-use/;

const RATES = {
  input: "input_mtok",
  output: "output_mtok",
  cache_read: "cache_read_mtok",
  cache_write: "cache_write_mtok",
  cache_write_1h: "cache_write_1h_mtok",
} as const;

/** Any other kind of charge makes a model's price unknown. Stored files are searched only by a tool that is refused. */
const KNOWN = new Set<string>([...Object.values(RATES), "web_searches_kcount", "storage_searches_kcount"]);

/** The price of a model at a provider of ours on a day (`2026-11-15`); absent: not in the table. */
export function shippedPrice(provider: string, model: string, day: string): Price | undefined {
  const name = model.toLowerCase();
  if (name.length > LIMITS.pricedModelChars) return undefined;
  for (const table of tablesFor(provider, name)) {
    const found = table.models.find((known) => isNamed(known, name));
    if (found !== undefined) return priceFrom(table, found, { name, day });
  }
  return undefined;
}

/** The models of a provider's table that have a price. */
export function shippedModels(provider: string, day: string): readonly (readonly [model: string, price: Price])[] {
  return tablesFor(provider, "").flatMap((table) =>
    table.models.flatMap((model) => {
      // Some entries stand only for a family of names.
      if (!isNamed(model, model.id.toLowerCase())) return [];
      const price = priceFrom(table, model, { name: model.id.toLowerCase(), day });
      return price === undefined ? [] : [[model.id, price] as const];
    }),
  );
}

function tablesFor(provider: string, name: string): readonly Provider[] {
  const own = tableOf(providerKind(provider)?.prices ?? provider);
  if (own !== undefined) return [own];
  if (OPEN_WEIGHTS.test(name)) return [];
  return MAKERS.flatMap((maker) => tableOf(maker) ?? []);
}

/** The library also accepts ids that only resemble a provider's id. */
function tableOf(id: string): Provider | undefined {
  const found = findProvider({ providerId: id });
  return found?.id === id ? found : undefined;
}

interface ShippedPriceQuery {
  /** Lower case. */
  readonly name: string;
  readonly day: string;
}

function priceFrom(table: Provider, model: ModelInfo, { name, day }: ShippedPriceQuery): Price | undefined {
  const prices = pricesOn(model, day);
  const unknown = prices.some((price) => Object.keys(price).some((key) => !KNOWN.has(key)));
  if (unknown || NOT_BY_TOKENS.test(name) || NOT_BY_TOKENS.test(model.id)) return undefined;
  const claude = model.id.includes("claude");
  const free = name.endsWith(":free") && prices.every((price) => Object.keys(price).length === 0);
  const rates = free ? { input: 0, output: 0 } : ratesAt(prices, { above: 0, claude });
  if (rates === undefined) return undefined;
  const tiers = startsOf(prices).flatMap((above) => {
    const higher = ratesAt(prices, { above, claude });
    return higher === undefined ? [] : [{ above, ...higher }];
  });
  const search = dearest(prices, "web_searches_kcount", { above: 0, shift: 3 });
  const batch = BATCH_PERCENT.get(table.id);
  return {
    ...rates,
    ...defined({ tiers: tiers.length === 0 ? undefined : tiers, batch_percent: batch, web_search: search }),
    ...sized(model),
  };
}

/** The larger of two windows: too small a bound is no bound. */
function sized({ id, context_window = 0 }: ModelInfo): Partial<Price> {
  const sizes = sizesOf(id);
  const context_tokens = Math.max(context_window, sizes.context_tokens ?? 0);
  return { ...sizes, ...(context_tokens === 0 ? {} : { context_tokens }) };
}

/** Prices that may apply on a day: the newest that has begun, and any that applies for part of it. */
function pricesOn({ prices }: ModelInfo, day: string): readonly ModelPrice[] {
  if (!Array.isArray(prices)) return [prices];
  const begun = prices.findLast(
    ({ constraint }) => constraint === undefined || (constraint.type === "start_date" && constraint.start_date <= day),
  );
  const hourly = prices.filter(({ constraint }) => constraint?.type === "time_of_date");
  return [...(begun === undefined ? [] : [begun]), ...hourly].map((entry) => entry.prices);
}

/** The lengths of input above which another price applies. */
function startsOf(prices: readonly ModelPrice[]): readonly number[] {
  const starts = prices.flatMap((price) =>
    Object.values(price).flatMap((value) => (typeof value === "object" ? value.tiers.map(({ start }) => start) : [])),
  );
  return [...new Set(starts)].sort((a, b) => a - b);
}

/** Micro-USD per million tokens once the input is longer than `above`. Absent: the model is not sold by the token. */
function ratesAt(
  prices: readonly ModelPrice[],
  { above, claude }: { readonly above: number; readonly claude: boolean },
): Rates | undefined {
  const rate = (key: string) => dearest(prices, key, { above, shift: 6 });
  const [input, output, cache_read] = [rate(RATES.input), rate(RATES.output), rate(RATES.cache_read)];
  if (input === undefined || output === undefined) return undefined;
  // Anthropic's rule, where the table does not say: a quarter more for five minutes, double for an hour.
  const cache_write = rate(RATES.cache_write) ?? (claude ? Math.ceil(input * 1.25) : undefined);
  const cache_write_1h = rate(RATES.cache_write_1h) ?? (claude ? input * 2 : undefined);
  return defined({ input, output, cache_read, cache_write, cache_write_1h });
}

/** The highest of several prices that may apply; absent: one of them is unknown. */
function dearest(
  prices: readonly ModelPrice[],
  key: string,
  { above, shift }: { readonly above: number; readonly shift: number },
): number | undefined {
  let most: number | undefined;
  for (const price of prices) {
    const value = price[key];
    if (value === undefined) return undefined;
    const dollars = typeof value === "number" ? value : tierAt(value, above);
    const whole = shifted(dollars, shift);
    if (whole === undefined) return undefined;
    most = Math.max(most ?? 0, whole);
  }
  return most;
}

interface Tiered {
  readonly base: number;
  readonly tiers: readonly { readonly start: number; readonly price: number }[];
}

function tierAt({ base, tiers }: Tiered, above: number): number {
  let found = { start: -1, price: base };
  for (const tier of tiers) if (tier.start <= above && tier.start > found.start) found = tier;
  return found.price;
}
