import type { IncomingMessage, ServerResponse } from "node:http";
import type { SpendingLimit } from "../ledger/index.ts";
import type { CallerRequest, CallerResponse } from "./http/caller.ts";
import {
  ProviderWire,
  type ClaudeUsage,
  type ErrorCode,
  type Failure,
  type PostToModel,
  type RateLimit,
  type TokenParent,
  type Shortage,
  type TokenCount,
} from "../protocol/index.ts";

/** The formats that models speak. A request is never translated between them. */
export const WIRES = ProviderWire.options;
export type Wire = ProviderWire;

/** What the proxy must know about a session, or an API key, at the time of a request. */
export interface RequestContext {
  /** Empty: an API key's request. */
  readonly session_id: string;
  /** The API key's id. Absent: a session's request. */
  readonly key_id?: string | undefined;
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
  /** Globs; override `allowedModels`. */
  readonly blockedModels?: readonly string[] | undefined;
  /** The only models of an API key; globs; absent: all that the others allow. */
  readonly keyModels?: readonly string[] | undefined;
  readonly maxContextTokens?: number | undefined;
  /** What a request of Responses that bounds its answer by nothing is bounded by. Absent: it goes out as it is. */
  readonly maxOutputTokens?: number | undefined;
  readonly spendingLimits: readonly SpendingLimit[];
  /** Of the session or the API key itself. */
  readonly sessionRate?: RateLimit | undefined;
  readonly agentRate?: RateLimit | undefined;
  /**
   * The tokens from which the principal's token was derived: these requests count on their rate limits too. The same array as long as nothing
   * changes.
   */
  readonly tokenParents?: readonly TokenParent[] | undefined;
}

/** The outcome of one request, for the log, the metrics, the traces and its session. Contains no prompt or answer text. */
export interface Exchange {
  readonly id: string;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  /** Empty: an API key's request. */
  readonly session_id: string;
  /** The API key's id. Absent: a session's request. */
  readonly key_id?: string | undefined;
  readonly turn_id?: string | undefined;
  readonly agent: string;
  readonly engine: string;
  readonly provider: string;
  readonly wire: Wire;
  /** `/v1/messages`, … */
  readonly route: string;
  /** As requested; empty if the route has none. */
  readonly model: string;
  readonly stream: boolean;
  readonly request_bytes: number;
  readonly response_bytes: number;
  /** The status that the caller got. 0: it had disconnected. */
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
  /** How many credentials were tried. */
  readonly attempts: number;
  /** Milliseconds after `started_at`; absent: nothing arrived. */
  readonly first_byte_ms?: number | undefined;
  readonly duration_ms: number;
  /** Where it was sent: a host and its port, or the path of a socket. Absent: nowhere. */
  readonly server?: { readonly address: string; readonly port?: number | undefined } | undefined;
  /** What the provider reports about its answer. */
  readonly answer?:
    | {
        readonly id?: string | undefined;
        readonly model?: string | undefined;
        readonly finish_reason?: string | undefined;
      }
    | undefined;
}

/** What a session, or the owner of an API key, provides to the proxy while the key is valid. */
export interface KeyHolder {
  /** A Failure when the session may send no more requests. Called for each request; must be fast. */
  context(): RequestContext | Failure;
  /** Called first for each request. If it returns a promise, the request waits for it, perhaps forever. */
  begin?(id: string): Promise<void> | undefined;
  /** Called when the request has been settled, before the caller sees its last bytes. */
  told?(exchange: Exchange): void;
}

/** A session's own key to the proxy. Stored as a hash, in memory only. It ends with `revoke` or with this process, not by time. */
export interface KeyLease {
  readonly key: string;
  revoke(): void;
}

/** The proxy for programs that are no sessions, behind the server's own port. */
interface ApiKeyDoor {
  /** From now on this key is valid. Call the returned function to end it and its requests. */
  add(key: ApiKeyName, holder: KeyHolder): () => void;
  /** The id of the request's key. Undefined: it has none that is valid. */
  idOf(request: IncomingMessage): string | undefined;
  handle(request: IncomingMessage, response: ServerResponse, from: ApiKeyRequest): void;
  /** Answers a request that came another way than by HTTP, as one of this key. */
  answer(hash: ApiKeyName["hash"], request: CallerRequest, response: CallerResponse): void;
}

/** How a key is known here, without the key itself. */
export interface ApiKeyName {
  readonly id: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
}

/** Where an API key's request came to. */
export interface ApiKeyRequest {
  /** The path before the proxy's own. */
  readonly prefix: string;
  /** The request is answered with this, whatever its key. */
  readonly refusal?: { readonly failure: Failure; readonly retryAfterMs?: number | undefined } | undefined;
}

/** What another machine says of a turn that it ran. */
export interface TurnReport {
  readonly usage?: ClaudeUsage | undefined;
  /** Absent: the price of the model counts. */
  readonly cost_microusd?: number | undefined;
}

/** Money for one turn that another machine runs within that amount. Ends once, with `settle`, `settleAll` or `release`. */
export interface ReservedTurn {
  /** Micro-USD. */
  readonly amount: number;
  settle(report: TurnReport): void;
  /** Nobody says what it has cost. */
  settleAll(): void;
  /** Nothing was sent. */
  release(): void;
}

/** A further socket of the proxy. */
export interface ModelSocket {
  /** Ends its connections too. */
  close(): Promise<void>;
}

/** The only way from an engine to a model. */
export interface ModelProxy {
  /** `unix:` and the path of the socket. */
  readonly socketUrl: string;
  /** `http://127.0.0.1:1234`. */
  readonly tcpUrl: string;
  /** Listens at one more path, for programs that can see no other. */
  openSocket(path: string): Promise<ModelSocket>;
  /** A request from this process: no socket, but judged, reserved and metered like any other. */
  readonly post: PostToModel;
  /**
   * Money for a turn of the key's session that another machine runs: judged, counted and reserved like a request. A Failure where it is
   * refused.
   */
  reserveTurn(
    key: string,
    asked: { readonly model: string; readonly signal: AbortSignal },
  ): Promise<ReservedTurn | Failure>;
  /** The caller owns the key and revokes it. `again`: a key of the last server, whose program lives on. */
  lease(holder: KeyHolder, again?: string): KeyLease;
  readonly apiKeys: ApiKeyDoor;
  /** Number of valid keys of sessions. */
  readonly sessionKeys: number;
  /** Requests whose answer has not ended yet. */
  readonly openRequests: number;
  close(): Promise<void>;
}
