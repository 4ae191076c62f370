import type { Price } from "../protocol/index.ts";
import { mostSpecific } from "./glob.ts";

type ModelSizes = Pick<Price, "context_tokens" | "output_tokens" | "image_tokens">;

/**
 * How much models accept and produce, as published. These bound the cost of a request: if two figures exist (a beta, a
 * batch), the larger one is listed.
 */
const SIZES: readonly (readonly [glob: string, sizes: ModelSizes])[] = [
  ["claude-*", claude(1_000_000, 128_000)],
  ["claude-3*", claude(200_000, 8_192)],
  ["claude-3-7-*", claude(200_000, 128_000)],
  ["claude-3.7-*", claude(200_000, 128_000)],
  ["claude-haiku-4-5*", claude(200_000, 64_000)],
  ["claude-haiku-4.5*", claude(200_000, 64_000)],
  ["claude-opus-4", claude(200_000, 32_000)],
  ["claude-opus-4-0*", claude(200_000, 32_000)],
  ["claude-opus-4-2025*", claude(200_000, 32_000)],
  ["claude-opus-4-1*", claude(200_000, 32_000)],
  ["claude-opus-4.1*", claude(200_000, 32_000)],
  ["claude-opus-4-5*", claude(200_000, 64_000)],
  ["claude-opus-4.5*", claude(200_000, 64_000)],
  ["claude-sonnet-4*", claude(1_000_000, 64_000)],
  ["claude-sonnet-4-6*", claude(1_000_000, 128_000)],
  ["claude-sonnet-4.6*", claude(1_000_000, 128_000)],
  ["gpt-*", { context_tokens: 1_050_000, output_tokens: 128_000 }],
  ["gpt-4*", { context_tokens: 128_000, output_tokens: 16_384 }],
  ["gpt-4.1*", { context_tokens: 1_047_576, output_tokens: 32_768 }],
  ["gpt-5*", { context_tokens: 400_000, output_tokens: 128_000 }],
  ["gpt-5-pro*", { context_tokens: 400_000, output_tokens: 272_000 }],
  ["gpt-oss-*", { context_tokens: 131_072, output_tokens: 131_072 }],
  ["o1*", { context_tokens: 200_000, output_tokens: 100_000 }],
  ["o3*", { context_tokens: 200_000, output_tokens: 100_000 }],
  ["o4*", { context_tokens: 200_000, output_tokens: 100_000 }],
  ["codex-mini*", { context_tokens: 200_000, output_tokens: 100_000 }],
];

/** Claude scales images down before reading them, the newest models to about 4,800 tokens. */
function claude(context_tokens: number, output_tokens: number): ModelSizes {
  return { context_tokens, output_tokens, image_tokens: 5_000 };
}

/** The known sizes of a model by its name, without the maker before a `/`. Empty: unknown. */
export function sizesOf(model: string): ModelSizes {
  return mostSpecific(SIZES, [model.slice(model.lastIndexOf("/") + 1)]) ?? {};
}
