import {
  Failure,
  type PricedModel,
  type PriceQuery,
  type ProviderReport,
  type ProviderStatus,
  type ProviderView,
  type SetProviderKey,
} from "../../../protocol/index.ts";
import { viewProvider, type Provider, type ProviderCondition, type ProviderHealth } from "../../../proxy/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Models, Dependencies } from "../../dependencies.ts";

interface ProviderServices extends Pick<Dependencies, "store" | "clock" | "newId" | "redact"> {
  readonly models: Pick<Models, "defaultProvider" | "providers" | "prices" | "keepKey">;
}

/** A provider as shown to anybody who may create a session: without its keys or their names. */
export interface OfferedProvider {
  readonly id: string;
  readonly isDefault: boolean;
  readonly defaultModel: string;
  readonly free: boolean;
  /** It has the credential that it needs. */
  readonly available: boolean;
  readonly condition: ProviderCondition;
  /** By how it answered lately. */
  readonly status: ProviderStatus;
  /** Without ports and paths. */
  readonly hosts: readonly string[];
  /** Its own answer of the last minute. Absent: it costs money or needs a key, and is only asked by `test`. */
  readonly health?: (() => Promise<Pick<ProviderReport, "status" | "message" | "models">>) | undefined;
  /** Models with a price in the shipped table, looked up on request. */
  readonly models: () => readonly PricedModel[];
  /** The price of the requested model; absent: it has none here, or none was requested. */
  readonly priced?: PricedModel | undefined;
}

/** Where model calls may go, what they cost there, and whether it works. Never exposes a key. */
export class ProviderService {
  readonly #dependencies: ProviderServices;

  constructor(dependencies: ProviderServices) {
    this.#dependencies = dependencies;
  }

  /** What the provider speaks that sessions get which name none. */
  wires(): readonly string[] {
    const { providers, defaultProvider } = this.#dependencies.models;
    return Object.keys(providers.get(defaultProvider).baseUrl);
  }

  async list(caller: Caller): Promise<readonly ProviderView[]> {
    authorize(caller, "provider.read");
    const { providers, defaultProvider } = this.#dependencies.models;
    const views = await Promise.all(
      providers
        .list()
        .map((provider) => viewProvider(provider, { defaultProvider, status: providers.status(provider.id) })),
    );
    return JSON.parse(this.#dependencies.redact(JSON.stringify(views))) as readonly ProviderView[];
  }

  /** What a caller can choose from. `model`: also its price at each provider. */
  async offered(caller: Caller, model?: string): Promise<readonly OfferedProvider[]> {
    authorize(caller, "policy.read");
    const { providers, defaultProvider, prices } = this.#dependencies.models;
    return Promise.all(
      providers.list().map(async (provider): Promise<OfferedProvider> => {
        const status = providers.status(provider.id);
        const { credential, hosts } = await viewProvider(provider, { defaultProvider, status });
        return {
          id: provider.id,
          isDefault: provider.id === defaultProvider,
          defaultModel: provider.defaultModel,
          free: provider.free,
          available: credential !== "missing",
          condition: providers.condition(provider.id),
          status,
          hosts: [...new Set(Object.values(hosts).flatMap((host) => host?.replace(/:\d+$/, "") ?? []))],
          health: provider.free && credential === "not_needed" ? () => this.#health(provider) : undefined,
          models: () => prices.list().filter((known) => known.provider === provider.id),
          priced: model === undefined ? undefined : prices.priceOf(provider, model),
        };
      }),
    );
  }

  /** Asks the provider itself; the answer says what to do if something is wrong. */
  async test(caller: Caller, id: string): Promise<ProviderReport> {
    authorize(caller, "provider.test");
    const { models, store } = this.#dependencies;
    const provider = models.providers.list().find((known) => known.id === id);
    if (provider === undefined) throw new Failure("not_found", `there is no provider ${id}`);
    await store.commit({ audit: [auditRow(this.#dependencies, caller, { action: "provider.test", target: id })] });
    return this.#report(provider, await models.providers.test(id));
  }

  /** Of sessions that name none. It changes when the first key is kept. */
  get defaultId(): string {
    return this.#dependencies.models.defaultProvider;
  }

  /** Keeps a key that one request has shown to work. It is in no answer, log or audit row. */
  async setKey(caller: Caller, id: string, { key }: SetProviderKey): Promise<ProviderReport> {
    // A key is a setting of the whole server.
    authorize(caller, "policy.write");
    const { models, store, redact } = this.#dependencies;
    const provider = models.providers.list().find((known) => known.id === id);
    if (provider === undefined) throw new Failure("not_found", `there is no provider ${id}`);
    if (models.keepKey === undefined)
      throw new Failure(
        "unsupported",
        "this server's settings come from the program that opened it; set the key there",
      );
    redact.learn(key);
    const report = this.#report(provider, await models.keepKey(id, key));
    if (report.status !== "ok") throw new Failure("invalid_request", report.message);
    await store.commit({ audit: [auditRow(this.#dependencies, caller, { action: "provider.key", target: id })] });
    return report;
  }

  async #health(provider: Provider): Promise<ProviderReport> {
    return this.#report(provider, await this.#dependencies.models.providers.health(provider.id));
  }

  #report(provider: Provider, health: ProviderHealth): ProviderReport {
    const { redact } = this.#dependencies;
    const { status, message, wires, models, latency_ms } = health;
    return {
      id: provider.id,
      status,
      message: redact(withoutPaths(message, provider)),
      wires: [...wires],
      ...(models === undefined ? {} : { models: models.map((name) => redact(name)) }),
      ...(latency_ms === undefined ? {} : { latency_ms }),
    };
  }

  /** The whole table, or the price of one model at each provider. */
  prices(caller: Caller, { model, provider: only }: PriceQuery): readonly PricedModel[] {
    authorize(caller, "provider.read");
    const { providers, prices } = this.#dependencies.models;
    const found =
      model === undefined
        ? prices.list()
        : providers.list().flatMap((provider) => prices.priceOf(provider, model) ?? []);
    return only === undefined ? found : found.filter(({ provider }) => provider === only);
  }
}

/** Some addresses carry a key in their path, so only their hosts are shown. */
function withoutPaths(message: string, { baseUrl }: Provider): string {
  return Object.values(baseUrl).reduce((text, address) => text.replaceAll(address, hostOf(address)), message);
}

function hostOf(address: string): string {
  return URL.canParse(address) && !address.startsWith("unix:") ? new URL(address).host : "its address";
}
