import type { Dispatcher } from "undici";
import type { Ledger, PriceBook } from "../ledger/index.ts";
import type { NewId, Redactor, Log } from "../protocol/index.ts";
import type { BodyAllowance } from "./http/body.ts";
import type { ProviderBreaker } from "./providers/breaker.ts";
import type { NetworkProxies } from "./http/network-proxies.ts";
import type { PriceMemory } from "./price-memory.ts";
import type { ProviderBook } from "./providers.ts";
import type { Exchange } from "./proxy.ts";
import type { RequestRates } from "./rates.ts";
import type { UncertainCharges } from "./uncertain.ts";
import type { Upstreams } from "./http/upstream.ts";

/** The way to providers behind tunnels. */
export interface TunnelTransport {
  /** Requests through this tunnel. A request fails if there is none of that name. */
  dispatcher(id: string): Dispatcher;
  /** Resolves when its models and prices are known, or when there was time enough for that. Never rejects. */
  ready(id: string): Promise<void>;
}

export interface ProxyOptions {
  /** The folder of the unix socket. */
  readonly home: string;
  /** 0: any free port. */
  readonly tcpPort: number;
  readonly ledger: Ledger;
  readonly prices: PriceBook;
  readonly providers: ProviderBook;
  readonly breaker: ProviderBreaker;
  /** Absent: every provider is reached directly. */
  readonly networkProxies?: NetworkProxies | undefined;
  /** Absent: there are no tunnels. */
  readonly tunnels?: TunnelTransport | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a monotonic clock, to measure silence. */
  readonly elapsed: () => number;
  readonly newId: NewId;
  readonly log: Log;
  readonly redact: Redactor;
  /** Called for every request of a known key, after it has been settled. Must be fast. */
  readonly told: (exchange: Exchange) => void;
}

/** Work in progress that must not be silent for too long. */
export interface WatchedWork {
  /** `now`: as `ProxyState.time`. */
  check(now: number): void;
  /** The server stops. */
  close(): void;
}

/** What every request needs. */
export interface ProxyState {
  readonly options: ProxyOptions;
  readonly rates: RequestRates;
  readonly prices: PriceMemory;
  readonly allowance: BodyAllowance;
  readonly upstreams: Upstreams;
  readonly uncertain: UncertainCharges;
  readonly watched: Set<WatchedWork>;
  /** `elapsed`, updated every second: enough to notice silence, and free to read for each piece. */
  time: number;
  closing: boolean;
}
