import { z } from "zod";

/** The closed set of what can be refused or fail. A code is stable; its message is for people. */
export const ErrorCode = z.enum([
  // the caller's doing
  "invalid_request",
  "unauthenticated",
  "forbidden",
  "not_found",
  "conflict",
  "already_answered",
  "input_changed",
  "timed_out",
  "idempotency_mismatch",
  "payload_too_large",
  "unsupported",
  "rate_limited",
  "queue_full",
  "limit_reached",
  "cursor_invalid",
  "session_closed",
  "protocol_mismatch",
  "idempotency_required",
  "max_cost_required",
  // what the model proxy refuses before anything is forwarded
  "budget_exceeded",
  "model_not_allowed",
  "provider_not_allowed",
  "model_unpriced",
  "wire_unsupported",
  // how a turn can end
  "aborted",
  "rejected_and_stopped",
  "max_turns",
  "max_tokens",
  "refusal",
  "context_exceeded",
  "model_error",
  "model_unavailable",
  "model_unauthenticated",
  "model_stream_cut",
  "engine_failed",
  "restart_limit",
  "workspace_missing",
  "tool_failed",
  // ours
  "store_failed",
  "shutting_down",
  "internal",
]);
export type ErrorCode = z.infer<typeof ErrorCode>;

export const ErrorDetail = z.object({
  code: ErrorCode,
  message: z.string(),
  details: z.unknown().optional(),
});
export type ErrorDetail = z.infer<typeof ErrorDetail>;

export const ErrorBody = z.object({ error: ErrorDetail });
export type ErrorBody = z.infer<typeof ErrorBody>;

/** An expected failure: a code of the closed set and words for the caller. Everything else that is thrown is a bug. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly details: unknown;

  constructor(code: ErrorCode, message: string, details?: unknown) {
    super(message);
    this.name = "Failure";
    this.code = code;
    this.details = details;
  }

  toBody(): ErrorBody {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.details === undefined ? {} : { details: this.details }),
      },
    };
  }
}
