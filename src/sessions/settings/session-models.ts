import { refusedModel } from "../../gate/index.ts";
import { LIMITS, type SessionModels } from "../../protocol/index.ts";
import type { Provider } from "../../proxy/index.ts";
import { authorize, authorizeFor, type Caller } from "../access/access.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import type { Registry } from "../lifecycle/registry.ts";
import type { Dependencies } from "../dependencies.ts";

/** Which models a session can switch to. */
export class SessionModelList {
  readonly #dependencies: Dependencies;
  readonly #registry: Registry;

  constructor(dependencies: Dependencies, registry: Registry) {
    this.#dependencies = dependencies;
    this.#registry = registry;
  }

  /** Its own model first, then those of its provider that have a price and that the policy allows. */
  async list(caller: Caller, id: string): Promise<SessionModels> {
    authorize(caller, "session.read");
    const { state } = await this.#registry.get(id);
    authorizeFor(caller, "session.read", { state, what: `session ${id}` });
    const { models } = this.#dependencies;
    const current = state.settings.model;
    const profile = effectiveProfile(this.#dependencies.policy(), state);
    if (caller.role === "visitor" && profile.client_may_choose?.includes("model") !== true)
      return { current, models: [current] };
    const provider = models.providers.get(state.settings.provider);
    const names = [...(await this.#named(provider)), provider.defaultModel].filter(
      (model) =>
        model !== "" &&
        refusedModel(profile, { provider: provider.id, model }) === undefined &&
        models.prices.priceOf(provider, model) !== undefined,
    );
    const others = [...new Set(names)].filter((name) => name !== current).toSorted();
    return { current, models: [current, ...others.slice(0, LIMITS.providerModels)] };
  }

  /** For a free provider, the models that it lists itself: any name is free there. */
  async #named(provider: Provider): Promise<readonly string[]> {
    const { providers, prices } = this.#dependencies.models;
    const listed = prices.list().flatMap(({ provider: whose, model }) => {
      if (model.includes("*")) return [];
      if (whose === "*") return ownName(provider.id, model);
      return whose === provider.id ? [model] : [];
    });
    if (!provider.free) return listed;
    return [...listed, ...((await providers.health(provider.id)).models ?? [])];
  }
}

/** Prices in the settings are for a model, or for `provider/model`; a model's own name can contain a slash too. */
function ownName(provider: string, name: string): readonly string[] {
  return name.startsWith(`${provider}/`) ? [name.slice(provider.length + 1)] : [name];
}
