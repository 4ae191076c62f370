import { LIMITS, type ModelApi } from "../../protocol/index.ts";
import type { ModelFacts } from "../engine.ts";
import type { WireRequest } from "./transport.ts";
import { CHAT } from "./wires/chat.ts";
import { MESSAGES } from "./wires/messages.ts";
import { RESPONSES } from "./wires/responses.ts";
import type { ModelPrompt, ModelWire } from "./wires/wire.ts";

export interface ModelAddress {
  /** `http://host:port`, with or without `/v1`, or `unix:` and the path of a socket. */
  readonly baseUrl: string;
  readonly key: string;
  readonly name: string;
  readonly facts: ModelFacts;
  /** See `originOf`. */
  readonly origin?: string | undefined;
  /** The same for a whole conversation. Absent: none. */
  readonly cacheKey?: string | undefined;
}

const WIRES: Readonly<Record<ModelApi, ModelWire>> = { messages: MESSAGES, responses: RESPONSES, chat: CHAT };

export function wireOf(api: ModelApi): ModelWire {
  return WIRES[api];
}

/**
 * Who made a thought, as its item says it: only the same provider can read it on the same API. Undefined: the Messages API, where
 * signatures are the model maker's, whoever serves it.
 */
export function originOf(api: ModelApi, provider: string): string | undefined {
  return api === "messages" ? undefined : `${provider}/${api}`;
}

/** One streaming call of a model. */
export function modelRequest(address: ModelAddress, prompt: ModelPrompt): WireRequest {
  const { name, key, facts, origin, cacheKey } = address;
  const wire = WIRES[facts.api];
  return {
    ...resolveAddress(address.baseUrl, wire.path),
    headers: { "content-type": "application/json", "user-agent": "sallyport", ...wire.headers(key) },
    body: wire.body({ ...prompt, model: name, origin, cacheKey, outputTokens: outputTokens(facts) }),
  };
}

/** What compaction leaves free of a window is the room for an answer. */
function outputTokens({ contextTokens = Infinity, outputTokens: most = Infinity }: ModelFacts): number | undefined {
  const room = Math.min(most, Math.ceil(contextTokens * (1 - LIMITS.compactAtFraction)));
  return Number.isFinite(room) ? room : undefined;
}

/** Where a path of the model proxy is asked. */
export function resolveAddress(baseUrl: string, path: string): Pick<WireRequest, "url" | "socketPath"> {
  if (baseUrl.startsWith("unix:")) return { url: `http://localhost/v1/${path}`, socketPath: baseUrl.slice(5) };
  const bare = baseUrl.replace(/\/+$/, "");
  return { url: `${bare.endsWith("/v1") ? bare : `${bare}/v1`}/${path}`, socketPath: undefined };
}
