import { z } from "zod";
import { LIMITS, type Price } from "../../protocol/index.ts";
import type { ListedModel } from "../providers.ts";

export const MODELS_PATH = "/v1/models";
/** Ollama's own list, for versions and gateways without the standard one. */
export const OLLAMA_PATH = "/api/tags";

const tokens = z.number().int().positive().max(1_000_000_000).optional().catch(undefined);
const name = z.string().max(500);

/** One model of `/v1/models`, with what different servers say of it beside its name. What is malformed counts as not said. */
const Entry = z.object({
  id: name,
  /** Anthropic; OpenRouter. */
  display_name: name.optional().catch(undefined),
  name: name.optional().catch(undefined),
  /** OpenRouter, Groq, vLLM, LM Studio, Anthropic. */
  context_length: tokens,
  context_window: tokens,
  max_model_len: tokens,
  loaded_context_length: tokens,
  max_context_length: tokens,
  max_input_tokens: tokens,
  max_output_tokens: tokens,
  max_completion_tokens: tokens,
  max_tokens: tokens,
  /** OpenRouter: what one request to the usual upstream can have. */
  top_provider: z.object({ context_length: tokens, max_completion_tokens: tokens }).optional().catch(undefined),
  /** OpenRouter: dollars per token, as text. */
  pricing: z
    .object({
      prompt: z.string(),
      completion: z.string(),
      input_cache_read: z.string().optional(),
      input_cache_write: z.string().optional(),
    })
    .optional()
    .catch(undefined),
  /** llama.cpp: what the server was started with. */
  meta: z.object({ n_ctx: tokens }).nullish().catch(undefined),
});

const Standard = z.object({ data: z.array(z.unknown()) });
const Ollama = z.object({ models: z.array(z.object({ name })) });

/** The models of an answer, each once. Undefined: it is something else. */
export function readModels(value: unknown): readonly ListedModel[] | undefined {
  const standard = Standard.safeParse(value);
  if (standard.success) {
    const entries = standard.data.data.flatMap((one) => Entry.safeParse(one).data ?? []);
    // A list of something else has no models.
    if (entries.length === 0 && standard.data.data.length > 0) return undefined;
    return once(entries.map(modelOf));
  }
  const tags = Ollama.safeParse(value);
  return tags.success ? once(tags.data.models.map(({ name: id }) => ({ id }))) : undefined;
}

function once(models: readonly ListedModel[]): readonly ListedModel[] {
  return [...new Map(models.map((model) => [model.id, model])).values()].slice(0, LIMITS.providerModels);
}

function modelOf(entry: z.infer<typeof Entry>): ListedModel {
  const { id, display_name, name: title, top_provider, pricing, meta } = entry;
  const shown = display_name ?? title;
  const contextTokens =
    entry.loaded_context_length ??
    top_provider?.context_length ??
    entry.context_length ??
    entry.context_window ??
    entry.max_model_len ??
    entry.max_context_length ??
    entry.max_input_tokens ??
    meta?.n_ctx;
  const outputTokens =
    top_provider?.max_completion_tokens ??
    entry.max_completion_tokens ??
    entry.max_output_tokens ??
    (entry.max_input_tokens === undefined ? undefined : entry.max_tokens);
  const price = pricing === undefined ? undefined : toldPrice(pricing);
  return {
    id,
    ...(shown === undefined || shown === id ? {} : { name: shown }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    ...(outputTokens === undefined ? {} : { outputTokens }),
    ...(price === undefined ? {} : { price }),
  };
}

type ToldPrice = Pick<Price, "input" | "output" | "cache_read" | "cache_write">;

/** Undefined: it says nothing that can be counted with, such as -1 for "it depends". */
function toldPrice(pricing: NonNullable<z.infer<typeof Entry>["pricing"]>): ToldPrice | undefined {
  const [input, output] = [perMillion(pricing.prompt), perMillion(pricing.completion)];
  if (input === undefined || output === undefined) return undefined;
  const cache_read = perMillion(pricing.input_cache_read);
  const cache_write = perMillion(pricing.input_cache_write);
  return {
    input,
    output,
    ...(cache_read === undefined ? {} : { cache_read }),
    ...(cache_write === undefined ? {} : { cache_write }),
  };
}

const MICRO_USD_PER_USD = 1_000_000;
const TOKENS = 1_000_000;

/** Dollars per token as micro-USD per million tokens, rounded up. */
function perMillion(dollars: string | undefined): number | undefined {
  if (dollars === undefined || dollars.trim() === "") return undefined;
  const value = Number(dollars);
  if (!Number.isFinite(value) || value < 0) return undefined;
  // The nearest whole number where floating point is a hair off.
  const micros = value * MICRO_USD_PER_USD * TOKENS;
  const whole = Math.round(micros);
  const amount = Math.abs(micros - whole) < 1e-3 ? whole : Math.ceil(micros);
  return Number.isSafeInteger(amount) ? amount : undefined;
}
