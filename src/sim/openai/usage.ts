import type { Fields, TokenTally } from "../wire.ts";

/** All input tokens, and those that were read from the cache or written to it. */
interface OpenAiUsage {
  readonly input: number;
  readonly inputDetails: Fields;
  readonly output: number;
  readonly outputDetails: Fields;
  readonly total: number;
}

export function usageOf(tokens: TokenTally): OpenAiUsage {
  const input = tokens.input + tokens.cacheRead + tokens.cacheWrite;
  return {
    input,
    // Only newer models count what they write to the cache.
    inputDetails: {
      cached_tokens: tokens.cacheRead,
      ...(tokens.cacheWrite > 0 ? { cache_write_tokens: tokens.cacheWrite } : {}),
    },
    output: tokens.output,
    outputDetails: { reasoning_tokens: Math.min(tokens.thinking, tokens.output) },
    total: input + tokens.output,
  };
}
