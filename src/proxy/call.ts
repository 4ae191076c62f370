import type { Charge } from "../ledger/index.ts";
import { NO_TOKENS, type ErrorCode, type Failure, type Shortage } from "../protocol/index.ts";
import { sendRefusal } from "./http/answer.ts";
import type { CallerRequest, CallerResponse } from "./http/caller.ts";
import type { Awaited, ProxyConnection } from "./http/connection.ts";
import type { ProxyState } from "./state.ts";
import type { KeyOwner } from "./keys.ts";
import type { Exchange, RequestContext, Wire } from "./proxy.ts";
import type { RateSubject } from "./rates.ts";
import { finalStatusFor, refusalOf } from "./refusals.ts";
import type { Route } from "./http/routes.ts";

/** Why a request is not forwarded. */
export interface Denial {
  readonly failure: Failure;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly shortage?: Shortage | undefined;
}

/** How a request went. */
export interface CallOutcome {
  readonly outcome: Exchange["outcome"];
  readonly code?: ErrorCode | undefined;
  readonly shortage?: Shortage | undefined;
  readonly charge?: Charge | undefined;
}

/** Used when the owner of a key is unknown: its session ended before the first request. */
const NOBODY: Pick<RequestContext, "session_id" | "key_id" | "turn_id" | "agent" | "engine" | "provider"> = {
  session_id: "",
  agent: "",
  engine: "",
  provider: "",
};
const NOT_FOUND = "unknown";
const GONE: CallOutcome = { outcome: "caller_gone" };
const NO_SUBJECTS: readonly RateSubject[] = [];

/** One request with a valid key, from its first byte to its one `Exchange`. */
export class ProxyCall implements Awaited {
  readonly id: string;
  readonly startedAt: number;
  readonly state: ProxyState;
  readonly request: CallerRequest;
  readonly response: CallerResponse;
  readonly connection: ProxyConnection;
  readonly owner: KeyOwner;
  /** Undefined: no route at that address. */
  readonly route: Route | undefined;
  /** Path and query, as the provider gets them. */
  readonly target: string;
  wire: Wire;
  model = "";
  stream = false;
  requestBytes = 0;
  responseBytes = 0;
  status = 0;
  attempts = 0;
  reserved = 0;
  /** Where it was sent; absent: nowhere. */
  server: Exchange["server"] = undefined;
  /** What the provider reports about its answer; absent: nothing. */
  answer: Exchange["answer"] = undefined;
  /** Milliseconds since the epoch; 0: nothing has arrived. */
  firstByteAt = 0;
  /** Whose rate limits it counts on. */
  subjects = NO_SUBJECTS;
  /** Bytes of its body that count on the allowance for all bodies. */
  #held = 0;
  #isTold = false;

  constructor(
    state: ProxyState,
    given: Pick<ProxyCall, "request" | "response" | "connection" | "owner" | "route" | "target" | "wire">,
  ) {
    this.state = state;
    this.id = state.options.newId("req");
    this.startedAt = state.options.now();
    this.request = given.request;
    this.response = given.response;
    this.connection = given.connection;
    this.owner = given.owner;
    this.route = given.route;
    this.target = given.target;
    this.wire = given.wire;
    this.connection.awaited = this;
  }

  get isGone(): boolean {
    return this.connection.isGone;
  }

  /** Its outcome was reported: nothing of it may be forwarded any more. */
  get isOver(): boolean {
    return this.#isTold;
  }

  /** Takes room for its body; false: there is none. */
  hold(bytes: number): boolean {
    if (!this.state.allowance.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  /** Its body is no longer needed. */
  letGo(): void {
    this.state.allowance.give(this.#held);
    this.#held = 0;
  }

  leave(): void {
    this.letGo();
    this.tell(GONE);
  }

  revoke(failure: Failure): void {
    this.refuse({ failure });
  }

  /** Its body cannot be read, and the error is sent elsewhere. */
  drop(code: ErrorCode, status: number): void {
    this.letGo();
    this.status = status;
    this.tell({ outcome: "refused", code });
    this.connection.awaited = undefined;
  }

  /** Answers with one of our errors. Nothing was forwarded. */
  refuse({ failure, status, retryAfterMs, shortage }: Denial): void {
    this.letGo();
    if (this.isGone) return;
    const refusal = refusalOf(failure, {
      wire: this.wire,
      id: this.id,
      status: status ?? this.#finalStatus(failure),
      retryAfterMs,
    });
    this.status = refusal.status;
    this.responseBytes = Buffer.byteLength(refusal.body);
    this.tell({ outcome: "refused", code: failure.code, shortage });
    this.connection.awaited = undefined;
    sendRefusal(this.request, this.response, refusal);
  }

  /** A session's own Codex is configured not to ask again. */
  #finalStatus(failure: Failure): number | undefined {
    return this.owner.context?.key_id === undefined ? undefined : finalStatusFor(this.request.headers, failure);
  }

  /** Reports the outcome, once. */
  tell({ outcome, code, shortage, charge }: CallOutcome): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const { options, rates } = this.state;
    const { session_id, key_id, turn_id, agent, engine, provider } = this.owner.context ?? NOBODY;
    const tokens = charge === undefined ? NO_TOKENS : charge.tokens;
    const exchange: Exchange = {
      id: this.id,
      started_at: this.startedAt,
      session_id,
      ...(key_id === undefined ? {} : { key_id }),
      turn_id,
      agent,
      engine,
      provider,
      wire: this.wire,
      route: this.route === undefined ? NOT_FOUND : this.route.path,
      model: this.model,
      stream: this.stream,
      request_bytes: this.requestBytes,
      response_bytes: this.responseBytes,
      status: this.status,
      outcome,
      code,
      shortage,
      tokens,
      reserved_microusd: this.reserved,
      cost_microusd: charge === undefined ? 0 : charge.cost,
      bound_microusd: charge === undefined ? 0 : charge.bound,
      attempts: this.attempts,
      first_byte_ms: this.firstByteAt === 0 ? undefined : this.firstByteAt - this.startedAt,
      duration_ms: options.now() - this.startedAt,
      server: this.server,
      answer: this.answer,
    };
    if (this.subjects.length > 0) {
      const { input, output, cache_read, cache_write, cache_write_1h } = tokens;
      rates.used(this.subjects, input + output + cache_read + cache_write + cache_write_1h);
    }
    try {
      options.told(exchange);
      this.owner.holder.told?.(exchange);
    } catch (error) {
      options.log.error({ error, request: this.id }, "a listener for model requests failed");
    }
  }
}
