/** Failures without the schemas of errors.ts, for code that cannot load a schema library: the client in a page. */

/** The closed set of errors. A code is stable; its message is for people. */
export const ERROR_CODES = [
  // the caller's doing
  "invalid_request",
  "unauthenticated",
  "forbidden",
  "not_found",
  "conflict",
  "already_answered",
  "input_changed",
  "not_approvable",
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
  // a database that was asked
  "connection_failed",
  // ours
  "store_failed",
  "store_full",
  "shutting_down",
  "internal",
] as const;
export type FailureCode = (typeof ERROR_CODES)[number];

/** An expected failure: a code of the closed set and a message for the caller. Everything else that is thrown is a bug. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly details: unknown;

  constructor(code: FailureCode, message: string, details?: unknown) {
    super(message);
    this.name = "Failure";
    this.code = code;
    this.details = details;
  }

  toBody(): { error: { code: FailureCode; message: string; details?: unknown } } {
    return {
      error: {
        code: this.code,
        message: this.message,
        ...(this.details === undefined ? {} : { details: this.details }),
      },
    };
  }
}

/** The failure that an error body describes; undefined if it is none. */
export function failureIn(body: unknown): Failure | undefined {
  const error = (body as { readonly error?: unknown } | null | undefined)?.error;
  if (typeof error !== "object" || error === null) return undefined;
  const { code, message, details } = error as Readonly<Record<string, unknown>>;
  const known = ERROR_CODES.find((each) => each === code);
  return known === undefined || typeof message !== "string" ? undefined : new Failure(known, message, details);
}

export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
