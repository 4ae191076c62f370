import type { ErrorCode } from "../../protocol/index.ts";
import { headerOf } from "../http/headers.ts";

const WORTH_ANOTHER = new Set([401, 403, 429, 529]);

/** Whether another key may succeed: this one was refused, or is exhausted. */
export function isWorthAnother(status: number): boolean {
  return WORTH_ANOTHER.has(status);
}

/** Our error code for a provider's refusal. */
export function codeOfAnswer(status: number): ErrorCode {
  if (status === 401 || status === 403) return "model_unauthenticated";
  return status === 429 || status >= 500 ? "model_unavailable" : "model_error";
}

/** How long the provider asks to wait; undefined: not given. */
export function retryAfterMs(headers: readonly string[], now: number): number | undefined {
  const exact = headerOf(headers, "retry-after-ms");
  if (exact !== undefined && /^\d{1,10}$/.test(exact)) return Number(exact);
  const text = headerOf(headers, "retry-after");
  if (text === undefined) return undefined;
  if (/^\d{1,8}(?:\.\d+)?$/.test(text)) return Math.ceil(Number(text) * 1_000);
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
