import { z } from "zod";
import {
  ClaudeModel,
  ClaudeProvider,
  ClaudeProviderHealth,
  ClaudeTunnel,
  Failure,
  providerKind,
  type ClaudePricing,
  type PricedModel,
  type ProviderStatus,
  type Rates,
} from "../../protocol/index.ts";
import type { Caller, OfferedProvider } from "../../sessions/index.ts";
import type { MountContext } from "./context.ts";
import type { FileNode } from "./tree.ts";
import { tunnelHealth, tunnelModels, tunnelsOf, tunnelSummary } from "./tunnels.ts";

const ANYBODY = { needs: "policy.read" } as const;

/** Where models can be asked. */
export function providerFiles(context: MountContext): readonly FileNode[] {
  return [
    {
      path: "providers/tunnel/info",
      summary: "The tunnel provider",
      content: "json",
      read: { ...ANYBODY, answer: ClaudeProvider, run: async () => tunnelInfo(context) },
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
        run: async () => tunnelHealth(context),
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
      summary: "Its models that have a price, or cost nothing",
      content: "json",
      read: {
        ...ANYBODY,
        answer: z.array(ClaudeModel),
        run: async ({ caller, name }) => modelsOf(await providerNamed(context, caller, name)),
      },
    },
    {
      path: "providers/:provider/health",
      summary: "Whether it has the credential that it needs, how it did lately, and whether a local one answers",
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

/** `degraded`: it answers, but its answers recently broke off or report a problem. */
export async function statusOf(provider: OfferedProvider): Promise<ProviderStatus> {
  return (await healthOf(provider)).status;
}

async function healthOf({ id, available, condition, status, health }: OfferedProvider): Promise<ClaudeProviderHealth> {
  if (!available) return { status: "unavailable", message: `the provider ${id} has no key: an admin has to set one` };
  const said = await health?.();
  if (said?.status === "unreachable" || said?.status === "unauthenticated")
    return { status: "unavailable", message: said.message };
  if (said?.status === "failed") return { status: "degraded", message: said.message };
  if (condition.state === "good") return lately(status);
  const stopped = Math.ceil(condition.retryAfterMs / 1_000);
  const next = stopped === 0 ? "requests go to it" : `requests to it are stopped for ${stopped} s`;
  return { status: "degraded", message: `its answers broke off ${condition.failures} times lately; ${next}` };
}

function lately(status: ProviderStatus): ClaudeProviderHealth {
  switch (status) {
    case "available":
      return { status };
    case "degraded":
      return { status, message: "its last answer was an error" };
    case "unavailable":
      return { status, message: "its last answers were errors, or it gave none" };
  }
}

const NOTHING = { input: 0, output: 0 };
const ABILITIES = { streaming: true, resume: true, fork: true, tools: true, vision: true };
/** As document 003 calls them. */
const NAMES: Readonly<Record<string, string>> = {
  cloud: "Anthropic Cloud API",
  local: "Local Claude Proxy",
  sim: "Demo model",
};

async function infoOf(provider: OfferedProvider): Promise<ClaudeProvider> {
  const priced = provider.models().find(({ model }) => model === provider.defaultModel)?.price;
  const free = provider.free ? NOTHING : undefined;
  const pricing = priced ?? free;
  return {
    id: provider.id,
    name: NAMES[provider.id] ?? providerKind(provider.id)?.name ?? provider.id,
    models: await modelsOf(provider),
    capabilities: ABILITIES,
    pricing: pricing === undefined ? null : perThousand(pricing),
    status: await statusOf(provider),
    is_default: provider.isDefault,
    default_model: provider.defaultModel,
  };
}

/** Models with a price; for a free provider also those that it lists itself, and its default. */
async function modelsOf(provider: OfferedProvider): Promise<readonly ClaudeModel[]> {
  const { id, free, defaultModel, health } = provider;
  const priced = provider.models();
  const own = free ? [defaultModel, ...((await health?.())?.models ?? [])] : [];
  const unpriced = [...new Set(own)].filter((name) => name !== "" && !priced.some(({ model }) => model === name));
  const costless = unpriced.map((model): PricedModel => ({ provider: id, model, price: NOTHING, from: "free" }));
  return [...costless, ...priced].map(modelInfo);
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

/** Our prices are per million tokens; fractions of a micro-USD are rounded up. */
function perThousand({ input, output, cache_read = input, cache_write = input }: Rates): ClaudePricing {
  const thousand = (rate: number): number => Math.ceil(rate / 1_000);
  return {
    input_per_1k_microusd: thousand(input),
    output_per_1k_microusd: thousand(output),
    cache_read_per_1k_microusd: thousand(cache_read),
    cache_write_per_1k_microusd: thousand(cache_write),
  };
}

function tunnelInfo(context: MountContext): ClaudeProvider {
  return {
    id: "tunnel",
    name: "Tunnel to Local Proxy",
    models: tunnelModels(context),
    capabilities: ABILITIES,
    pricing: null,
    status: tunnelHealth(context).status,
  };
}
