import type { IncomingMessage, ServerResponse } from "node:http";
import { LIMITS } from "../protocol/index.ts";

const METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
const REQUEST_HEADERS =
  "authorization, content-type, idempotency-key, last-event-id, mcp-protocol-version, mcp-session-id, sallyport-protocol, x-request-id";
const ANSWER_HEADERS =
  "mcp-session-id, retry-after, sallyport-protocol, sallyport-truncated, www-authenticate, x-request-id, x-sallyport-errno";

/** Lets a page of another origin read the answer. Never with cookies: only the token counts. */
export function allowOrigin(answer: ServerResponse, origin: string): void {
  answer.setHeader("access-control-allow-origin", origin);
  answer.setHeader("access-control-expose-headers", ANSWER_HEADERS);
}

/** A browser's preflight request, which never has a token. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === "OPTIONS" && headers["access-control-request-method"] !== undefined;
}

export const PREFLIGHT_HEADERS = {
  "access-control-allow-methods": METHODS,
  "access-control-allow-headers": REQUEST_HEADERS,
  "access-control-max-age": String(LIMITS.corsMaxAgeS),
} as const;
