import type { Price, Rates } from "../../../src/protocol/index.ts";

/** What a provider did for one request, in tokens; searches by the piece. */
export interface Used {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly output: number;
}

/** Pico-USD in a micro-USD. Prices are per million tokens, so a provider's bill in pico-USD is never rounded. */
export const PICO = 1_000_000n;

/** The provider's own arithmetic, written a second time on purpose: pico-USD. */
export function bill(price: Price, used: Used): bigint {
  const asked = used.input + used.cacheRead + used.cacheWrite + used.cacheWrite1h;
  const tiers = (price.tiers ?? []).filter(({ above }) => asked > above).sort((one, other) => one.above - other.above);
  const rates: Rates = tiers.at(-1) ?? price;
  const write = rates.cache_write ?? rates.input;
  return (
    times(rates.input, used.input) +
    times(rates.output, used.output) +
    times(rates.cache_read ?? rates.input, used.cacheRead) +
    times(write, used.cacheWrite) +
    times(rates.cache_write_1h ?? write, used.cacheWrite1h)
  );
}

function times(rate: number, tokens: number): bigint {
  return BigInt(rate) * BigInt(tokens);
}
