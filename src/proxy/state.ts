import type { Ledger, PriceBook } from "../ledger/index.ts";
import type { NewId, Redactor, Log } from "../protocol/index.ts";
import type { BodyAllowance } from "./body.ts";
import type { ProviderBreaker } from "./breaker.ts";
import type { KeyRing } from "./keys.ts";
import type { NetworkProxies } from "./network-proxies.ts";
import type { PriceMemory } from "./price-memory.ts";
import type { ProviderBook } from "./providers.ts";
import type { Exchange } from "./proxy.ts";
import type { RequestRates } from "./rates.ts";
import type { UncertainCharges } from "./uncertain.ts";
import type { Upstreams } from "./upstream.ts";

export interface ProxyOptions {
  /** Where the unix socket lies. */
  readonly home: string;
  /** 0: any free one. */
  readonly tcpPort: number;
  readonly ledger: Ledger;
  readonly prices: PriceBook;
  readonly providers: ProviderBook;
  readonly breaker: ProviderBreaker;
  /** Absent: every provider is reached directly. */
  readonly networkProxies?: NetworkProxies | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds since some moment: how long nothing was heard, whatever the wall clock does. */
  readonly elapsed: () => number;
  readonly newId: NewId;
  readonly log: Log;
  readonly redact: Redactor;
  /** Told of every request of a known key, when it has been settled. Takes no time. */
  readonly told: (exchange: Exchange) => void;
}

/** Something that is under way and must not be silent for too long. */
export interface WatchedWork {
  /** `now`: as `ProxyState.time`. */
  check(now: number): void;
  /** The server stops. */
  close(): void;
}

/** What every request needs. */
export interface ProxyState {
  readonly options: ProxyOptions;
  readonly keys: KeyRing;
  readonly rates: RequestRates;
  readonly prices: PriceMemory;
  readonly allowance: BodyAllowance;
  readonly upstreams: Upstreams;
  readonly uncertain: UncertainCharges;
  readonly watched: Set<WatchedWork>;
  /** `elapsed`, looked at every second: enough to notice silence, and free for each piece that passes. */
  time: number;
  closing: boolean;
}
