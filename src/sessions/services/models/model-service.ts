import { refusedModel } from "../../../gate/index.ts";
import {
  Failure,
  LIMITS,
  type ModelList,
  type ModelQuery,
  type ModelView,
  type PricedModel,
  type Profile,
} from "../../../protocol/index.ts";
import type { ListedModel, Provider } from "../../../proxy/index.ts";
import { authorize, type Caller } from "../../access/access.ts";
import type { Dependencies } from "../../dependencies.ts";
import { profileOf } from "../../permission/profile.ts";

/** The models of one provider, and where their names are from. */
interface ProviderPart {
  readonly models: readonly ModelView[];
  readonly source: ModelList["sources"][number];
}

/** Which models there are: each provider's own list, with our prices. */
export class ModelService {
  readonly #dependencies: Pick<Dependencies, "models" | "policy" | "redact">;

  constructor(dependencies: Pick<Dependencies, "models" | "policy" | "redact">) {
    this.#dependencies = dependencies;
  }

  async list(caller: Caller, { provider: only, search = "", profile: name }: ModelQuery): Promise<ModelList> {
    authorize(caller, "provider.read");
    const { models, policy, redact } = this.#dependencies;
    const profile = profileOf(policy(), name ?? policy().default_profile);
    const known = models.providers.list();
    const wanted = only === undefined ? known : known.filter(({ id }) => id === only);
    if (wanted.length === 0)
      throw new Failure(
        "not_found",
        `there is no provider ${only ?? ""}; there are: ${known.map(({ id }) => id).join(", ")}`,
      );
    const parts = await Promise.all(wanted.map((provider) => this.#part(provider, profile)));
    const words = search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, LIMITS.searchWords);
    const found = parts.flatMap((part) => part.models.filter((model) => contains(model, words)));
    const list: ModelList = {
      models: found.slice(0, LIMITS.modelsListed),
      sources: parts.map(({ source }) => source),
      truncated: found.length > LIMITS.modelsListed,
    };
    return JSON.parse(redact(JSON.stringify(list))) as ModelList;
  }

  async #part(provider: Provider, profile: Profile): Promise<ProviderPart> {
    const { providers } = this.#dependencies.models;
    const { models: own, failure } = await providers.models(provider.id);
    const priced = this.#priced(provider);
    const listed: readonly ListedModel[] = own.length > 0 ? own : priced.map((id) => ({ id }));
    const ids = new Set(listed.map(({ id }) => id));
    const { defaultModel } = provider;
    const more = defaultModel === "" || ids.has(defaultModel) ? [] : [{ id: defaultModel }];
    const models = [...more, ...listed]
      .map((model) => this.#view(provider, model, profile))
      .toSorted((one, other) => rank(one) - rank(other) || one.model.localeCompare(other.model));
    const from = own.length > 0 ? "provider" : "prices";
    return { models, source: { provider: provider.id, from, ...(failure === undefined ? {} : { message: failure }) } };
  }

  /** The names of the provider's models in the settings and in the table. */
  #priced({ id }: Provider): readonly string[] {
    const names = this.#dependencies.models.prices.list().flatMap(({ provider, model }) => {
      if (model.includes("*")) return [];
      if (provider === id) return [model];
      return provider === "*" && model.startsWith(`${id}/`) ? [model.slice(id.length + 1)] : [];
    });
    return [...new Set(names)];
  }

  #view(provider: Provider, listed: ListedModel, profile: Profile): ModelView {
    const { id: model, name, contextTokens, outputTokens } = listed;
    const priced = this.#dependencies.models.prices.priceOf(provider, model);
    const context_tokens = priced?.price.context_tokens ?? contextTokens;
    const output_tokens = priced?.price.output_tokens ?? outputTokens;
    const refused = refusedModel(profile, { provider: provider.id, model })?.message;
    const refusal = refused ?? (priced === undefined ? unpriced(provider.id, model) : undefined);
    return {
      provider: provider.id,
      model,
      ...(name === undefined ? {} : { name }),
      ...(model === provider.defaultModel ? { is_default: true as const } : {}),
      ...(context_tokens === undefined ? {} : { context_tokens }),
      ...(output_tokens === undefined ? {} : { output_tokens }),
      ...(priced === undefined ? told(listed) : { price: ratesOf(priced), price_from: priced.from }),
      ...(refusal === undefined ? {} : { refusal }),
    };
  }
}

function told({ price }: ListedModel): Pick<ModelView, "told_price"> {
  return price === undefined ? {} : { told_price: price };
}

function ratesOf({ price }: PricedModel): ModelView["price"] {
  const { input, output, cache_read, cache_write } = price;
  return {
    input,
    output,
    ...(cache_read === undefined ? {} : { cache_read }),
    ...(cache_write === undefined ? {} : { cache_write }),
  };
}

function unpriced(provider: string, model: string): string {
  return `it has no price, so its cost cannot be limited; an admin can set one: sallyport price set '${provider}/${model}'`;
}

/** The default first, then those that can be chosen. */
function rank({ is_default, refusal }: ModelView): number {
  if (is_default === true) return 0;
  return refusal === undefined ? 1 : 2;
}

function contains({ provider, model, name = "" }: ModelView, words: readonly string[]): boolean {
  const text = `${provider}/${model} ${name}`.toLowerCase();
  return words.every((word) => text.includes(word));
}
