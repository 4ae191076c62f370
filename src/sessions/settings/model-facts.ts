import type { ModelFacts } from "../../engines/index.ts";
import type { Models } from "../dependencies.ts";

/** How a model is asked, and how much it can read and write. The proxy refuses a provider that is no longer there, in its own words. */
export function modelFacts(
  { providers, prices }: Models,
  wanted: { readonly provider: string; readonly model: string },
): ModelFacts {
  const provider = providers.list().find(({ id }) => id === wanted.provider);
  if (provider === undefined) return { api: "messages" };
  const { context_tokens, output_tokens } = prices.priceOf(provider, wanted.model)?.price ?? {};
  const listed = providers.listed(provider.id, wanted.model);
  return {
    api: provider.api(wanted.model),
    contextTokens: context_tokens ?? listed?.contextTokens,
    outputTokens: output_tokens ?? listed?.outputTokens,
  };
}

/** Asks a local server how long a model's window is, where nobody has set it. */
export async function learnWindow(
  { providers, prices }: Models,
  wanted: { readonly provider: string; readonly model: string },
): Promise<void> {
  const provider = providers.list().find(({ id }) => id === wanted.provider);
  if (provider?.isLocal !== true) return;
  if (prices.priceOf(provider, wanted.model)?.price.context_tokens !== undefined) return;
  await providers.models(provider.id);
}
