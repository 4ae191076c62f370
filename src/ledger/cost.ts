import type { Price, Rates, TokenCount } from "../protocol/index.ts";
import { ceiling } from "./decimal.ts";

/** Prices are per million tokens, place surcharges and batches in percent. */
const PER = 1_000_000n * 100n * 100n;

const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/** Rates with every absent one filled in, as described in money.ts. */
export type FullRates = { readonly [Kind in keyof Rates]-?: number };

/**
 * What a request cost, in micro-USD, rounded up once. Exact, with integers of any size. Capped at 2^53 - 1, which is
 * nine billion dollars.
 */
export function costOf(
  price: Price,
  tokens: TokenCount,
  options: { readonly batch?: boolean; readonly placePercent?: number } = {},
): number {
  const { input, cache_read, cache_write, cache_write_1h } = tokens;
  const rates = ratesFor(price, input + cache_read + cache_write + cache_write_1h);
  const micros =
    times(input, rates.input) +
    times(tokens.output, rates.output) +
    times(cache_read, rates.cache_read) +
    times(cache_write, rates.cache_write) +
    times(cache_write_1h, rates.cache_write_1h);
  const percent = times(
    Math.ceil(options.placePercent ?? 100),
    options.batch === true ? (price.batch_percent ?? 100) : 100,
  );
  return bounded(ceiling(micros * percent, PER) + times(tokens.web_searches, price.web_search ?? 0));
}

export function times(count: number, each: number): bigint {
  return BigInt(count) * BigInt(each);
}

/** As a number; capped at the largest exact integer. */
export function bounded(amount: bigint): number {
  return Number(amount > MOST ? MOST : amount);
}

export function fullRates({ input, output, ...rates }: Rates): FullRates {
  const cache_write = rates.cache_write ?? input;
  return {
    input,
    output,
    cache_read: rates.cache_read ?? input,
    cache_write,
    cache_write_1h: rates.cache_write_1h ?? cache_write,
  };
}

/** The rates for the whole request, chosen by the length of its input. */
function ratesFor(price: Price, input: number): FullRates {
  let found: Rates = price;
  let above = -1;
  for (const tier of price.tiers ?? []) {
    if (input <= tier.above || tier.above <= above) continue;
    found = tier;
    above = tier.above;
  }
  return fullRates(found);
}
