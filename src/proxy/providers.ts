import type { ProviderCondition } from "./providers/breaker.ts";
import type { LoginProgram, ModelApi, OpenAiApi, Price, ProviderStatus } from "../protocol/index.ts";
import type { Wire } from "./proxy.ts";

/** One key of a provider, ready for use in a request. */
export interface Credential {
  /** Identifies the key without showing it: `ANTHROPIC_API_KEY`, `key.txt#2`. */
  readonly name: string;
  /** Lower-case header names and values, for this wire. */
  headers(wire: Wire): Readonly<Record<string, string>>;
}

/** Where model calls go. */
export interface Provider {
  readonly id: string;
  /** Absent: it does not speak that wire. No trailing slash; paths begin with `/v1/…`. `unix:` is allowed. */
  readonly baseUrl: Readonly<Partial<Record<Wire, string>>>;
  /** How our own loop asks this model. */
  api(model: string): ModelApi;
  /** The API of OpenAI's wire that it has. */
  readonly openaiApi: OpenAiApi;
  /** A server of open models: the windows of its models are settings of its own. */
  readonly isLocal: boolean;
  /** True for providers that cost nothing (`sim`, and `local` unless priced). */
  readonly free: boolean;
  readonly defaultModel: string;
  /** Whose login it uses; absent: it has keys, or needs none. */
  readonly login?: LoginProgram | undefined;
  readonly rate?: {
    readonly requests_per_minute?: number | undefined;
    readonly tokens_per_minute?: number | undefined;
  };
  /**
   * Keys to try, the best first; paused ones come last. Empty: the provider needs none. A Failure
   * `model_unauthenticated`, with instructions, when it needs one and has none.
   */
  credentials(): Promise<readonly Credential[]>;
  /** Reports how a key was answered: one that was refused or is exhausted is paused for a while. */
  report(
    credential: Credential,
    outcome: { readonly status: number; readonly retryAfterMs?: number | undefined },
  ): void;
}

export interface ProviderHealth {
  readonly id: string;
  readonly status: "ok" | "unauthenticated" | "unreachable" | "failed";
  /** For people; says what to do when it is not `ok`. */
  readonly message: string;
  readonly wires: readonly Wire[];
  readonly models?: readonly string[] | undefined;
  readonly latency_ms?: number | undefined;
}

/** A model as its provider lists it. What is absent was not said. */
export interface ListedModel {
  readonly id: string;
  /** For people, where it is another one. */
  readonly name?: string | undefined;
  readonly contextTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  /** Micro-USD per million tokens, as the provider says. Nothing is counted with it. */
  readonly price?: Pick<Price, "input" | "output" | "cache_read" | "cache_write"> | undefined;
}

/** A provider's own list of models. */
export interface ProviderModels {
  readonly models: readonly ListedModel[];
  /** Why it could not be read now; `models` are then the last ones that could. Absent: it was read. */
  readonly failure?: string | undefined;
}

/** The configured providers, with the newest settings and credentials at each call. */
export interface ProviderBook {
  /** A Failure `invalid_request` that lists the existing ones. */
  get(id: string): Provider;
  list(): readonly Provider[];
  /** Asks the provider itself (`GET /v1/models`), with its credential. Never rejects. */
  test(id: string): Promise<ProviderHealth>;
  /** Its answer of the last minute; otherwise asks it. Never rejects. */
  health(id: string): Promise<ProviderHealth>;
  /** Its own list of models, with their windows; asked for now and then. Never rejects. */
  models(id: string): Promise<ProviderModels>;
  /** What its list last said of a model. Undefined: nothing, or nobody asked. */
  listed(id: string, model: string): ListedModel | undefined;
  /** Its recent condition, judged by the answers that broke off. */
  condition(id: string): ProviderCondition;
  /** Whether it answers, judged by all requests sent to it. Its key is not looked at. */
  status(id: string): ProviderStatus;
  close(): void;
}
