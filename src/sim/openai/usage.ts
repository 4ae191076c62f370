import type { Fields, TokenTally } from "../wire.ts";

/** All input tokens, and those read from or written to the cache. */
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
    // Only newer models count cache writes.
    inputDetails: {
      cached_tokens: tokens.cacheRead,
      ...(tokens.cacheWrite > 0 ? { cache_write_tokens: tokens.cacheWrite } : {}),
    },
    output: tokens.output,
    outputDetails: { reasoning_tokens: Math.min(tokens.thinking, tokens.output) },
    total: input + tokens.output,
  };
}
