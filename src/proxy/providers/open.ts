import { Failure, type ProviderSettings, type ProviderStatus, type Log } from "../../protocol/index.ts";
import type { ProviderBreaker } from "./breaker.ts";
import type { NetworkProxies } from "../http/network-proxies.ts";
import type { ProviderRecord } from "./record.ts";
import type { Provider, ProviderBook, ProviderHealth } from "../providers.ts";
import { checkHealth } from "./health.ts";
import { OpenProvider, type ProviderContext } from "./provider.ts";
import { fetchModels } from "./model-list.ts";
import { RecentHealth } from "./recent-health.ts";
import { RecentModels } from "./recent-models.ts";
import { resolveProviders, type ProviderEnvironment, type ResolvedProvider, type TunnelPlace } from "./resolve.ts";
import type { TunnelTransport } from "../state.ts";

export { viewProvider } from "./view.ts";

export interface ProvidersOptions {
  /** The newest settings; the same object as long as nothing changed. */
  readonly settings: () => ProviderSettings;
  readonly environment: ProviderEnvironment;
  /** The demo model's address; absent: it does not run here. */
  readonly simUrl?: string | undefined;
  readonly now: () => number;
  /** Receives each key before anything could log it. */
  readonly learn: (secret: string) => void;
  readonly log: Pick<Log, "warn">;
  /** Absent: no requests go to them from here. */
  readonly breaker?: ProviderBreaker | undefined;
  readonly record?: ProviderRecord | undefined;
  /** Absent: every provider is reached directly. */
  readonly networkProxies?: NetworkProxies | undefined;
  /** Providers behind tunnels; the same list as long as nothing changed. Absent: there are none. */
  readonly tunnels?: (() => readonly TunnelPlace[]) | undefined;
  readonly transport?: TunnelTransport | undefined;
}

interface ProviderEntry {
  /** What it was made from, to detect changes. */
  readonly from: string;
  readonly keyPath: string | undefined;
  readonly provider: OpenProvider;
}

/** The configured providers. Nothing runs until it is called. */
export function openProviders(options: ProvidersOptions): ProviderBook {
  const { environment, simUrl, now, learn, log, networkProxies = {}, transport } = options;
  const stopping = new AbortController();
  const recent = new RecentHealth(now);
  const lists = new RecentModels(now);
  const context = { environment, now, learn, log, signal: stopping.signal, networkProxies: options.networkProxies };
  let settings: ProviderSettings | undefined;
  let tunnels: readonly TunnelPlace[] | undefined;
  let entries: ReadonlyMap<string, ProviderEntry> = new Map();

  const newest = (): ReadonlyMap<string, ProviderEntry> => {
    const wanted = options.settings();
    const places = options.tunnels?.();
    if (wanted === settings && places === tunnels) return entries;
    settings = wanted;
    tunnels = places;
    recent.clear();
    lists.clear();
    const before = entries;
    // An unchanged provider keeps its keys' pauses and its command's output.
    entries = new Map(
      resolveProviders(wanted, { environment, simUrl, tunnels: places }).map((resolved) => [
        resolved.id,
        entryOf(resolved, before.get(resolved.id), context),
      ]),
    );
    return entries;
  };

  const ask = async (id: string): Promise<ProviderHealth> => {
    const entry = newest().get(id);
    if (entry === undefined) return { id, status: "failed", message: unknown(id, newest()), wires: [] };
    return checkHealth({ ...entry, now, signal: stopping.signal, networkProxies, transport });
  };

  newest();
  return {
    get: (id): Provider => {
      const entry = newest().get(id);
      if (entry === undefined) throw new Failure("invalid_request", unknown(id, newest()));
      return entry.provider;
    },
    list: () => [...newest().values()].map(({ provider }) => provider),
    test: async (id) => {
      lists.forget(id);
      const health = await recent.set(id, ask(id));
      if (health.status === "ok") for (const memory of [options.breaker, options.record]) memory?.reset(id);
      return health;
    },
    health: (id) => {
      newest();
      return recent.get(id, () => ask(id));
    },
    models: (id) => {
      const provider = newest().get(id)?.provider;
      if (provider === undefined) return Promise.resolve({ models: [], failure: unknown(id, newest()) });
      return lists.get(id, () => fetchModels({ provider, signal: stopping.signal, networkProxies, transport }));
    },
    listed: (id, model) => lists.listed(id, model),
    condition: (id) => options.breaker?.condition(id) ?? { state: "good" },
    status: (id) => statusOf(id, options),
    close: () => stopping.abort(),
  };
}

function entryOf(
  resolved: ResolvedProvider,
  known: ProviderEntry | undefined,
  context: ProviderContext,
): ProviderEntry {
  const from = JSON.stringify(resolved);
  if (known?.from === from) return known;
  return { from, keyPath: resolved.keyPath, provider: new OpenProvider(resolved, context) };
}

function statusOf(id: string, { breaker, record }: Pick<ProvidersOptions, "breaker" | "record">): ProviderStatus {
  const answers = record?.status(id) ?? "available";
  const broken = breaker?.condition(id) ?? { state: "good" };
  if (broken.state === "good" || answers === "unavailable") return answers;
  return broken.retryAfterMs > 0 ? "unavailable" : "degraded";
}

function unknown(id: string, known: ReadonlyMap<string, ProviderEntry>): string {
  return `there is no provider ${id}; there are: ${[...known.keys()].join(", ")}`;
}
