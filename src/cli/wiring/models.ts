import { join } from "node:path";
import { openLedger, openPriceBook } from "../../ledger/index.ts";
import type { NewId, Redactor, Log } from "../../protocol/index.ts";
import {
  openProviders,
  openProxy,
  ProviderBreaker,
  ProviderRecord,
  type Exchange,
  type NetworkProxies,
} from "../../proxy/index.ts";
// Not through the folder's index: as in settings.ts.
import { hasCloudCredential } from "../../proxy/providers/resolve.ts";
import type { Clock, Models } from "../../sessions/index.ts";
import type { DocumentStore, MoneyStore } from "../../store/index.ts";
import { openRequestLog, type ModelRequestLog } from "../../telemetry/index.ts";
import type { EndpointBook } from "../../tunnels/index.ts";
import { keyKeeper } from "./provider-keys.ts";
import { auditSettings } from "../settings/audit.ts";
import { watchSettings, type Environment, type NewestSettings, type Settings } from "../settings/settings.ts";

const LOG_FOLDER = "logs";

export interface ModelsOptions {
  readonly settings: Settings;
  readonly environment: Environment;
  readonly home: string;
  readonly store: MoneyStore & DocumentStore;
  /** The demo model's address. */
  readonly simUrl: string;
  /** Absent: the home's file, read again when it changes. */
  readonly newest?: NewestSettings | undefined;
  readonly clock: Clock;
  readonly newId: NewId;
  readonly log: Log;
  readonly redact: Redactor;
  readonly told: (exchange: Exchange) => void;
  readonly endpoints: EndpointBook;
}

/** The path from engines to models: providers, prices, the ledger, and the proxy in front of them. */
export async function openModels(options: ModelsOptions): Promise<{
  readonly models: Models;
  readonly requests: ModelRequestLog;
  close(): Promise<void>;
}> {
  const { settings, environment, home, store, clock, newId, log, redact, endpoints } = options;
  const [now, elapsed] = [(): number => clock.now(), (): number => clock.elapsed()];
  const given = options.newest ?? watchSettings({ home, environment, now, log });
  const newest = await auditSettings(given, { store, newId, now, log });
  const networkProxies = networkProxiesOf(environment);
  const behind = { tunnels: () => endpoints.places, transport: endpoints };
  const [breaker, record] = [new ProviderBreaker(elapsed), new ProviderRecord(elapsed)];
  const learn = (secret: string): void => redact.learn(secret);
  const shared = { networkProxies, environment, simUrl: options.simUrl, now, learn, log };
  const providers = openProviders({ breaker, record, ...behind, ...shared, settings: newest.providers });
  const prices = openPriceBook(newest.prices, undefined, endpoints);
  const ledger = await openLedger({ store, now, newId, log });
  const requests = openRequestLog({ folder: join(home, LOG_FOLDER), redact, now, log });
  const proxy = await openProxy({
    home,
    tcpPort: settings.proxyPort.value,
    ledger,
    prices,
    providers,
    breaker,
    networkProxies,
    tunnels: endpoints,
    now,
    elapsed,
    newId,
    log,
    redact,
    told: (exchange) => {
      record.note(exchange);
      requests.exchange(exchange);
      options.told(exchange);
    },
  });
  const { failover } = newest;
  const defaultOf = defaultProvider(settings, newest, environment);
  const fixed = { defaultModel: settings.model.value, providers, failover, prices, proxy, ledger };
  return {
    models: {
      ...fixed,
      get defaultProvider() {
        return defaultOf();
      },
      keepKey: options.newest === undefined ? keyKeeper({ ...shared, home, providers: newest.providers }) : undefined,
    },
    requests,
    close: async () => {
      await proxy.close();
      // What can no longer be stored is logged, and counts as reserved after the next start.
      await ledger.flush().catch(() => undefined);
      await requests.close();
      providers.close();
    },
  };
}

/** The provider of sessions that name none. The demo model answers only until there is a key: if that is gone later, it is a failure, and not the demo again. */
function defaultProvider({ provider }: Settings, newest: NewestSettings, environment: Environment): () => string {
  let isDemo = provider.origin === "default" && provider.value === "sim";
  if (!isDemo) return () => provider.value;
  return () => {
    isDemo &&= !hasCloudCredential(newest.providers(), environment);
    return isDemo ? "sim" : "cloud";
  };
}

/** The usual variables, the lower-case ones first, as curl reads them. */
export function networkProxiesOf(environment: Environment): NetworkProxies {
  return {
    http: environment["http_proxy"] ?? environment["HTTP_PROXY"],
    https: environment["https_proxy"] ?? environment["HTTPS_PROXY"],
    direct: environment["no_proxy"] ?? environment["NO_PROXY"],
  };
}
