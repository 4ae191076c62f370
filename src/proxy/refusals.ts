import type { IncomingHttpHeaders } from "node:http";
import { Failure, limitFacts, shortageWords, type ErrorCode, type Shortage } from "../protocol/index.ts";
import type { Wire } from "./proxy.ts";

/** The answer sent instead of forwarding a request. */
export interface HttpRefusal {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The status of a refusal, as both vendors use them. */
function statusOf(code: ErrorCode): number {
  switch (code) {
    case "unauthenticated":
    case "model_unauthenticated":
      return 401;
    case "budget_exceeded":
      return 402;
    case "forbidden":
    case "session_closed":
    case "model_not_allowed":
    case "provider_not_allowed":
    case "model_unpriced":
      return 403;
    case "not_found":
      return 404;
    case "timed_out":
      return 408;
    case "conflict":
      return 409;
    case "payload_too_large":
      return 413;
    case "rate_limited":
      return 429;
    case "model_unavailable":
    case "model_stream_cut":
    case "model_error":
      return 502;
    case "store_failed":
    case "shutting_down":
    case "limit_reached":
    case "queue_full":
      return 503;
    case "internal":
    case "engine_failed":
      return 500;
    default:
      return 400;
  }
}

const ANTHROPIC_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  503: "overloaded_error",
  504: "timeout_error",
};

const OPENAI_TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  402: "insufficient_quota",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
};

export interface RefusalContext {
  /** Absent: the caller's format is unknown, so the answer suits both. */
  readonly wire: Wire | undefined;
  readonly id: string;
  /** Set if it differs from the code's own status. */
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** A failure in the caller's own format, with our code in a header and in the body. */
export function refusalOf(failure: Failure, context: RefusalContext): HttpRefusal {
  const { id, retryAfterMs } = context;
  const status = context.status ?? statusOf(failure.code);
  return {
    status,
    headers: {
      "content-type": "application/json",
      "x-sallyport-code": failure.code,
      "x-sallyport-request-id": id,
      ...(retryAfterMs === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(retryAfterMs / 1_000))) }),
      // Otherwise the vendors' libraries would retry what cannot succeed.
      ...(status === 402 || status === 409 ? { "x-should-retry": "false" } : {}),
    },
    body: JSON.stringify(bodyOf(failure, status, context)),
  };
}

function bodyOf(failure: Failure, status: number, { wire, id }: RefusalContext): object {
  const { code, message } = failure;
  const details = failure.details === undefined ? {} : { details: failure.details };
  const server = status >= 500;
  const anthropic = {
    type: ANTHROPIC_TYPES[status] ?? (server ? "api_error" : "invalid_request_error"),
    message,
    sallyport_code: code,
    ...details,
  };
  if (wire === "anthropic") return { type: "error", error: anthropic, request_id: id };
  const openai = {
    message,
    type: OPENAI_TYPES[status] ?? (server ? "server_error" : "invalid_request_error"),
    param: null,
    code,
    ...details,
  };
  if (wire === "openai") return { error: openai };
  return { type: "error", error: { ...openai, ...anthropic }, request_id: id };
}

/**
 * Codex asks five times more after each status that it does not expect, and takes only 400 as final. So what is final here is 400
 * for a person's own Codex; code and words stay the same. Undefined: the usual status.
 */
export function finalStatusFor({ originator }: IncomingHttpHeaders, { code }: Failure): number | undefined {
  const isCodex = typeof originator === "string" && /^codex/i.test(originator);
  const status = statusOf(code);
  return isCodex && (status === 402 || status === 403) ? 400 : undefined;
}

/** There is no money for a request. */
export function outOfFunds(shortage: Shortage): Failure {
  return new Failure("budget_exceeded", `${shortageWords(shortage)} ${limitFacts(shortage.kind).remedy}`, { shortage });
}
