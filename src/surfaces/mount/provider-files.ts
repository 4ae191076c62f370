import { z } from "zod";
import {
  ClaudeModel,
  ClaudeProvider,
  ClaudeProviderHealth,
  ClaudeTunnel,
  Failure,
  type ClaudePricing,
  type PricedModel,
  type ProviderStatus,
  type Rates,
} from "../../protocol/index.ts";
import type { Caller, OfferedProvider } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import type { FileNode } from "./tree.ts";
import { NO_TUNNELS, tunnelsOf, tunnelSummary } from "./tunnels.ts";

const ANYBODY = { needs: "policy.read" } as const;

/** Where models can be asked. */
export function providerFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "providers/tunnel/info",
      summary: "The tunnel provider",
      content: "json",
      read: { ...ANYBODY, answer: ClaudeProvider, run: async () => tunnelInfo() },
    },
    {
      path: "providers/tunnel/endpoints",
      summary: "The tunnels that are configured",
      content: "json",
      read: { ...ANYBODY, answer: z.array(ClaudeTunnel), run: async () => tunnelsOf(context).map(tunnelSummary) },
    },
    {
      path: "providers/tunnel/health",
      summary: "Whether a tunnel can be used",
      content: "json",
      read: {
        ...ANYBODY,
        answer: ClaudeProviderHealth,
        run: async () => ({ status: "unavailable", message: NO_TUNNELS }),
      },
    },
    {
      path: "providers/:provider/info",
      summary: "A provider with its models, prices and abilities",
      content: "json",
      read: {
        ...ANYBODY,
        answer: ClaudeProvider,
        run: async ({ caller, name }) => infoOf(await providerNamed(context, caller, name)),
      },
    },
    {
      path: "providers/:provider/models",
      summary: "Its models that have a price",
      content: "json",
      read: {
        ...ANYBODY,
        answer: z.array(ClaudeModel),
        run: async ({ caller, name }) => modelsOf(await providerNamed(context, caller, name)),
      },
    },
    {
      path: "providers/:provider/health",
      summary: "Whether it has the credential that it needs, and how it did lately",
      content: "json",
      read: {
        ...ANYBODY,
        answer: ClaudeProviderHealth,
        run: async ({ caller, name }) => healthOf(await providerNamed(context, caller, name)),
      },
    },
  ];
}

async function providerNamed({ gateway }: MountContext, caller: Caller, id: string): Promise<OfferedProvider> {
  const found = (await gateway.providers.offered(caller)).find((provider) => provider.id === id);
  if (found === undefined) throw new Failure("not_found", `there is no provider ${id}`);
  return found;
}

/** `degraded`: its answers broke lately. */
export function statusOf({ available, condition }: OfferedProvider): ProviderStatus {
  if (!available) return "unavailable";
  return condition.state === "good" ? "available" : "degraded";
}

function healthOf(provider: OfferedProvider): ClaudeProviderHealth {
  const status = statusOf(provider);
  const { id, condition } = provider;
  if (status === "unavailable") return { status, message: `the provider ${id} has no key: an admin has to set one` };
  if (condition.state === "good") return { status };
  const stopped = Math.ceil(condition.retryAfterMs / 1_000);
  const next = stopped === 0 ? "requests go to it" : `requests to it are stopped for ${stopped} s`;
  return { status, message: `its answers broke off ${condition.failures} times lately; ${next}` };
}

const ABILITIES = { streaming: true, resume: true, fork: true, tools: true, vision: true };
const NAMES: Readonly<Record<string, string>> = {
  cloud: "Anthropic Cloud API",
  local: "Local Claude Proxy",
  sim: "Demo model",
  openai: "OpenAI",
  openrouter: "OpenRouter",
  xai: "xAI",
};

function infoOf(provider: OfferedProvider): ClaudeProvider {
  const priced = provider.models().find(({ model }) => model === provider.defaultModel)?.price;
  const free = provider.free ? { input: 0, output: 0 } : undefined;
  const pricing = priced ?? free;
  return {
    id: provider.id,
    name: NAMES[provider.id] ?? provider.id,
    models: modelsOf(provider),
    capabilities: ABILITIES,
    pricing: pricing === undefined ? null : perThousand(pricing),
    status: statusOf(provider),
    is_default: provider.isDefault,
    default_model: provider.defaultModel,
  };
}

function modelsOf(provider: OfferedProvider): readonly ClaudeModel[] {
  const { free, defaultModel } = provider;
  const priced = provider.models();
  const listed = priced.map(modelInfo);
  if (!free || defaultModel === "" || priced.some(({ model }) => model === defaultModel)) return listed;
  return [
    modelInfo({ provider: provider.id, model: defaultModel, price: { input: 0, output: 0 }, from: "free" }),
    ...listed,
  ];
}

function modelInfo({ model, price }: PricedModel): ClaudeModel {
  return {
    id: model,
    name: model,
    context_length: price.context_tokens ?? null,
    output_limit: price.output_tokens ?? null,
    pricing: perThousand(price),
  };
}

/** Ours are for a million tokens; fractions of a micro-USD are rounded up. */
function perThousand({ input, output, cache_read = input, cache_write = input }: Rates): ClaudePricing {
  const thousand = (rate: number): number => Math.ceil(rate / 1_000);
  return {
    input_per_1k_microusd: thousand(input),
    output_per_1k_microusd: thousand(output),
    cache_read_per_1k_microusd: thousand(cache_read),
    cache_write_per_1k_microusd: thousand(cache_write),
  };
}

function tunnelInfo(): ClaudeProvider {
  return {
    id: "tunnel",
    name: "Tunnel to Local Proxy",
    models: [],
    capabilities: ABILITIES,
    pricing: null,
    status: "unavailable",
  };
}
