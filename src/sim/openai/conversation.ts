import { tokensOf } from "../tokens.ts";
import type { PromptBlock, Fields, InputTokens } from "../wire.ts";

/** Shorter prefixes are not cached, and longer ones in steps. Tokens. */
const CACHE = { least: 1_024, step: 128 };
/** These wires do not mark a failed call, so programs say it in words. */
const FAILED = /^(?:error\b|user rejected\b)/i;

/** The input of an earlier call; if it is not a JSON object (a cut one), it is empty. */
export function parseInput(text: string): Fields {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {};
  } catch {
    return {};
  }
}

export function textOf(blocks: readonly PromptBlock[]): string {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

export function toolResult(id: string, text: string): PromptBlock {
  return { type: "tool_result", tool_use_id: id, text, is_error: FAILED.test(text) };
}

/** A part of a request that is counted; `ours`: the model wrote it. */
export interface CountedPart {
  readonly chars: number;
  readonly ours: boolean;
}

/**
 * What a request costs. What precedes the model's last message counts as read from the cache, if it is long enough.
 * Nothing is remembered between requests.
 */
export function countTokens(parts: readonly CountedPart[]): InputTokens {
  let chars = 0;
  let before = 0;
  let ours = false;
  for (const part of parts) {
    if (part.ours && !ours) before = tokensOf(chars);
    ours = part.ours;
    chars += part.chars;
  }
  const cacheRead = before < CACHE.least ? 0 : before - (before % CACHE.step);
  return { input: tokensOf(chars) - cacheRead, cacheWrite: 0, cacheRead };
}
