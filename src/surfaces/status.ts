import type { ErrorCode } from "../protocol/index.ts";

/** The statuses of refusals. */
export type HttpStatus = 400 | 401 | 402 | 403 | 404 | 409 | 410 | 413 | 422 | 429 | 500 | 503;
/** The challenge of a 401. */
export const CHALLENGE = 'Bearer realm="sallyport"';

/** The HTTP status of a refusal. */
export function httpStatus(code: ErrorCode): HttpStatus {
  switch (code) {
    case "invalid_request":
    case "cursor_invalid":
    case "protocol_mismatch":
    case "workspace_missing":
    case "unsupported":
    case "idempotency_required":
    case "max_cost_required":
    case "wire_unsupported":
      return 400;
    case "unauthenticated":
      return 401;
    case "budget_exceeded":
      return 402;
    case "forbidden":
    case "model_not_allowed":
    case "provider_not_allowed":
    case "model_unpriced":
      return 403;
    case "not_found":
      return 404;
    case "conflict":
    case "already_answered":
    case "input_changed":
    case "not_approvable":
    case "session_closed":
      return 409;
    case "timed_out":
      return 410;
    case "payload_too_large":
      return 413;
    case "idempotency_mismatch":
      return 422;
    case "rate_limited":
    case "queue_full":
    case "limit_reached":
      return 429;
    case "connection_failed":
    case "shutting_down":
    case "store_failed":
    case "store_full":
    case "model_unavailable":
    case "model_unauthenticated":
      return 503;
    case "aborted":
    case "rejected_and_stopped":
    case "max_turns":
    case "max_tokens":
    case "refusal":
    case "context_exceeded":
    case "model_error":
    case "model_stream_cut":
    case "engine_failed":
    case "restart_limit":
    case "tool_failed":
    case "internal":
      return 500;
  }
}
