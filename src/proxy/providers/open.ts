import { Failure, type ProviderSettings, type Log } from "../../protocol/index.ts";
import type { ProviderBreaker } from "../breaker.ts";
import type { NetworkProxies } from "../network-proxies.ts";
import type { Provider, ProviderBook, ProviderHealth } from "../providers.ts";
import { checkHealth } from "./health.ts";
import { OpenProvider } from "./provider.ts";
import { RecentHealth } from "./recent-health.ts";
import { resolveProviders, type ProviderEnvironment } from "./resolve.ts";

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
  /** Absent: every provider is reached directly. */
  readonly networkProxies?: NetworkProxies | undefined;
}

interface ProviderEntry {
  /** What it was made from, to detect changes. */
  readonly from: string;
  readonly keyPath: string | undefined;
  readonly provider: OpenProvider;
}

/** The configured providers. Nothing runs until it is called. */
export function openProviders(options: ProvidersOptions): ProviderBook {
  const { environment, simUrl, now, learn, log } = options;
  const stopping = new AbortController();
  const recent = new RecentHealth(now);
  let settings: ProviderSettings | undefined;
  let entries: ReadonlyMap<string, ProviderEntry> = new Map();

  const newest = (): ReadonlyMap<string, ProviderEntry> => {
    const wanted = options.settings();
    if (wanted === settings) return entries;
    settings = wanted;
    recent.clear();
    const before = entries;
    // An unchanged provider keeps its keys' pauses and its command's output.
    entries = new Map(
      resolveProviders(wanted, { environment, simUrl }).map((resolved) => {
        const from = JSON.stringify(resolved);
        const known = before.get(resolved.id);
        if (known?.from === from) return [resolved.id, known];
        const provider = new OpenProvider(resolved, {
          environment,
          now,
          learn,
          log,
          signal: stopping.signal,
          networkProxies: options.networkProxies,
        });
        return [resolved.id, { from, keyPath: resolved.keyPath, provider }];
      }),
    );
    return entries;
  };

  const ask = async (id: string): Promise<ProviderHealth> => {
    const entry = newest().get(id);
    if (entry === undefined) return { id, status: "failed", message: unknown(id, newest()), wires: [] };
    return checkHealth({ ...entry, now, signal: stopping.signal, networkProxies: options.networkProxies ?? {} });
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
      const health = await recent.set(id, ask(id));
      if (health.status === "ok") options.breaker?.reset(id);
      return health;
    },
    health: (id) => {
      newest();
      return recent.get(id, () => ask(id));
    },
    condition: (id) => options.breaker?.condition(id) ?? { state: "good" },
    close: () => stopping.abort(),
  };
}

function unknown(id: string, known: ReadonlyMap<string, ProviderEntry>): string {
  return `there is no provider ${id}; there are: ${[...known.keys()].join(", ")}`;
}
