import { addUsage, NO_USAGE, type Usage } from "../../protocol/index.ts";
import type { Tokens } from "./wire.ts";

/** One model call's tokens. Figures of the later message win where present. */
export function usageOf(started: Tokens, ended: Tokens = {}): Usage {
  return {
    input_tokens: ended.input ?? started.input ?? 0,
    output_tokens: ended.output ?? started.output ?? 0,
    cache_read_tokens: ended.cacheRead ?? started.cacheRead ?? 0,
    cache_write_tokens: ended.cacheWrite ?? started.cacheWrite ?? 0,
    reasoning_tokens: ended.reasoning ?? started.reasoning ?? 0,
    model_calls: 1,
  };
}

/**
 * The tokens of a turn. Streamed calls are reported one by one; those of sub-agents and of the program's own work (a
 * summary) only appear in the sum that comes with the result.
 */
export class UsageTally {
  #told: Usage = NO_USAGE;

  tell(usage: Usage): Usage {
    this.#told = addUsage(this.#told, usage);
    return usage;
  }

  /** The part of the sum that was not reported before; undefined when there is none. Starts over. */
  rest(sum: Tokens, calls: number): Usage | undefined {
    const told = this.#told;
    this.#told = NO_USAGE;
    const beyond = (whole: number | undefined, part: number): number => Math.max(0, (whole ?? 0) - part);
    const rest: Usage = {
      input_tokens: beyond(sum.input, told.input_tokens),
      output_tokens: beyond(sum.output, told.output_tokens),
      cache_read_tokens: beyond(sum.cacheRead, told.cache_read_tokens),
      cache_write_tokens: beyond(sum.cacheWrite, told.cache_write_tokens),
      reasoning_tokens: beyond(sum.reasoning, told.reasoning_tokens),
      model_calls: 0,
    };
    const any = Object.values(rest).some((tokens) => tokens > 0);
    return any ? { ...rest, model_calls: Math.max(1, calls) } : undefined;
  }
}
