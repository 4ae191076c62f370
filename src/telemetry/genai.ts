import { providerKind, type TokenCount } from "../protocol/index.ts";
import type { Exchange } from "../proxy/index.ts";

export function providerName(provider: string): string {
  return providerKind(provider)?.telemetry ?? provider;
}

const OPERATIONS: Readonly<Record<string, string>> = {
  "/v1/messages": "chat",
  "/v1/responses": "chat",
  "/v1/chat/completions": "chat",
  "/v1/embeddings": "embeddings",
  "/v1/messages/count_tokens": "count_tokens",
  "/v1/models": "list_models",
  "/v1/models/:id": "get_model",
};

/** `chat` if a model was asked for an answer. Undefined: there is nothing at that address. */
export function operationOf(route: string): string | undefined {
  return Object.hasOwn(OPERATIONS, route) ? OPERATIONS[route] : undefined;
}

/** All input, as the conventions count it: including cache reads and writes. */
export function inputTokens(tokens: TokenCount): number {
  return tokens.input + tokens.cache_read + tokens.cache_write + tokens.cache_write_1h;
}

/** Empty when nothing went wrong. */
export function errorType(exchange: Exchange): string {
  return exchange.outcome === "completed" ? "" : (exchange.code ?? exchange.outcome);
}
