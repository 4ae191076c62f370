import type { SpendingLimit } from "../ledger/index.ts";
import {
  ProviderWire,
  type ErrorCode,
  type Failure,
  type PostToModel,
  type RateLimit,
  type TokenParent,
  type Shortage,
  type TokenCount,
} from "../protocol/index.ts";

/** The formats that models speak. A request is never translated from one to another. */
export const WIRES = ProviderWire.options;
export type Wire = ProviderWire;

/** What the proxy must know of a session at the moment of a request. */
export interface RequestContext {
  readonly session_id: string;
  /** Absent between turns. */
  readonly turn_id?: string | undefined;
  /** The principal's id. */
  readonly agent: string;
  readonly engine: string;
  readonly provider: string;
  /** Globs; absent or empty: all. */
  readonly allowedProviders?: readonly string[] | undefined;
  /** Hosts that its requests may go to; globs; absent or empty: all. */
  readonly allowedHosts?: readonly string[] | undefined;
  /** Globs; absent or empty: all. */
  readonly allowedModels?: readonly string[] | undefined;
  /** Globs; win over `allowedModels`. */
  readonly blockedModels?: readonly string[] | undefined;
  readonly maxContextTokens?: number | undefined;
  readonly spendingLimits: readonly SpendingLimit[];
  readonly sessionRate?: RateLimit | undefined;
  readonly agentRate?: RateLimit | undefined;
  /** The tokens that the principal's token was made with: their rates count these requests, too. The same array as long as nothing changes. */
  readonly tokenParents?: readonly TokenParent[] | undefined;
}

/** How one request went: for the log, the metrics, the traces and its session. Holds no text of anybody. */
export interface Exchange {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  readonly session_id: string;
  readonly turn_id?: string | undefined;
  readonly agent: string;
  readonly engine: string;
  readonly provider: string;
  readonly wire: Wire;
  /** `/v1/messages`, … */
  readonly route: string;
  /** As asked; empty where the route has none. */
  readonly model: string;
  readonly stream: boolean;
  readonly request_bytes: number;
  readonly response_bytes: number;
  /** What the caller got. 0: it was gone before. */
  readonly status: number;
  /** `refused`: nothing was forwarded. `broken`: the answer began and did not end. */
  readonly outcome: "completed" | "refused" | "provider_error" | "broken" | "caller_gone";
  readonly code?: ErrorCode | undefined;
  readonly shortage?: Shortage | undefined;
  readonly tokens: TokenCount;
  readonly reserved_microusd: number;
  readonly cost_microusd: number;
  /** The part of the cost that is a bound. */
  readonly bound_microusd: number;
  /** Credentials that were tried. */
  readonly attempts: number;
  /** Milliseconds after `started_at`; absent when nothing came. */
  readonly first_byte_ms?: number | undefined;
  readonly duration_ms: number;
  /** Where it was sent: a host and its port, or the path of a socket. Absent: it was not. */
  readonly server?: { readonly address: string; readonly port?: number | undefined } | undefined;
  /** What the provider says of its answer, as far as it does. */
  readonly answer?:
    | {
        readonly id?: string | undefined;
        readonly model?: string | undefined;
        readonly finish_reason?: string | undefined;
      }
    | undefined;
}

/** What a session offers to the proxy for as long as its key lives. */
export interface KeyHolder {
  /** A Failure when the session may ask nothing any more. Called for each request; takes no time. */
  context(): RequestContext | Failure;
  /** Called first for each request. A promise: the request waits for it, and it may be that it never resolves. */
  begin?(id: string): Promise<void> | undefined;
  /** Called when the request has been settled, before the caller sees its last bytes. */
  told?(exchange: Exchange): void;
}

/** A session's own key to the proxy. Kept hashed, in memory only. It ends with `revoke` or with this process, not by time. */
export interface KeyLease {
  readonly key: string;
  revoke(): void;
}

/** The only way from an engine to a model. */
export interface ModelProxy {
  /** `unix:` and the path of the socket. */
  readonly socketUrl: string;
  /** `http://127.0.0.1:1234`. */
  readonly tcpUrl: string;
  /** A request of this process: without a socket, and judged, reserved and metered like any other. */
  readonly post: PostToModel;
  /** The caller owns the key and ends it. */
  lease(holder: KeyHolder): KeyLease;
  /** Keys that are valid. */
  readonly sessionKeys: number;
  /** Requests that have come and whose answer has not ended. */
  readonly openRequests: number;
  close(): Promise<void>;
}
