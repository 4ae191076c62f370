import type { ErrorCode, ErrorDetail } from "../../protocol/index.ts";
import type { MeteredRequest } from "../engine.ts";
import type { LastMessage } from "./translate.ts";
import type { OpenCodeError } from "./wire.ts";

/** What follows when OpenCode rests. `funds`: there was no money for the next request. `unformed`: it must be asked for the form again. */
export type RestOutcome =
  | { readonly type: "completed"; readonly stop_reason: string }
  | { readonly type: "failed"; readonly error: ErrorDetail }
  | { readonly type: "funds"; readonly message: string }
  | { readonly type: "unformed" };

/** The same of a request to the model that failed. */
type ModelOutcome = Extract<RestOutcome, { type: "failed" | "funds" }>;

export interface RestContext {
  /** An answer of the model was cut off. */
  readonly cut: boolean;
  /** Why the model proxy refused the last request; absent: the error is the provider's. */
  readonly refusal: ErrorCode | undefined;
  /** The status of its answer, which OpenCode does not always say. Absent: there was none. */
  readonly status?: number | undefined;
  /** The session has an `output_schema`. */
  readonly structured: boolean;
}

/** `failure`: an error that is no message's own; absent: none. */
export function restOutcome(
  last: LastMessage | undefined,
  failure: OpenCodeError | undefined,
  context: RestContext,
): RestOutcome {
  const error = last?.error ?? failure;
  if (error !== undefined) return failedOutcome(error, context);
  switch (last?.finish) {
    case "stop":
      return context.structured ? { type: "unformed" } : { type: "completed", stop_reason: "end_turn" };
    case "length":
      return failed(
        "max_tokens",
        "the model's answer was longer than max_tokens allows; raise max_tokens or ask for less",
      );
    case "content-filter":
      return failed("refusal", "the model refused to answer; say it in another way or start a new session");
    case undefined:
      return failed("engine_failed", "OpenCode ended the turn without an answer. Send the prompt again.");
    default:
      return failed("model_error", `the model's answer ended with "${last?.finish ?? ""}"; send the prompt again`);
  }
}

function failedOutcome(error: OpenCodeError, context: RestContext): RestOutcome {
  switch (error.name) {
    case "MessageAbortedError":
      return failed("aborted", "aborted");
    case "MessageOutputLengthError":
      return failed(
        "max_tokens",
        "the model's answer was longer than max_tokens allows; raise max_tokens or ask for less",
      );
    case "ContextOverflowError":
      return failed(
        "context_exceeded",
        `the conversation is too long for the model (${error.message}); start a new session`,
      );
    case "ContentFilterError":
      return failed("refusal", "the model refused to answer; say it in another way or start a new session");
    case "ProviderAuthError":
      return failed("model_unauthenticated", unauthenticated(error));
    case "APIError":
      return modelOutcome(error, context);
    default:
      return failed("engine_failed", `OpenCode ended the turn with an error: ${error.message}`);
  }
}

/** The end of a request that the model, or the proxy before it, answered with an error, or not at all. */
export function modelOutcome(error: OpenCodeError, context: RestContext): ModelOutcome {
  const { name, message } = error;
  const { cut, refusal, status: answered = 0 } = context;
  const status = error.status ?? (answered >= 400 ? answered : undefined);
  if (refusal === "budget_exceeded") return { type: "funds", message };
  // OpenCode knows only the status; the proxy's own reason is more precise.
  if (refusal !== undefined && status !== undefined && !isPassing(status)) return failed(refusal, message);
  if (status === 401 || status === 403)
    return failed("model_unauthenticated", unauthenticated({ status, message, name }));
  if (status === undefined)
    return cut
      ? failed("model_stream_cut", `the model's answer broke off (${message}); send the prompt again`)
      : failed("model_unavailable", `the model could not be reached (${message}); try again later`);
  if (isPassing(status))
    return failed("model_unavailable", `the model answered ${status} (${message}); try again later`);
  return failed("model_error", `the model answered ${status} (${message})`);
}

function unauthenticated({ status, message }: OpenCodeError): string {
  const why = status === 401 ? "" : ` (${message})`;
  return `Authentication failed: the model answered ${status ?? "that the key is wrong"}${why}. Set a valid key for the provider and start again.`;
}

/**
 * Whether a request that failed may succeed if it is made again. OpenCode goes by words and figures in the answer, and asks again for what
 * was refused because of an amount such as 500.
 */
export function maySucceed({ status, refusal }: Pick<MeteredRequest, "status" | "refusal">): boolean {
  if (refusal === "budget_exceeded") return false;
  return status < 400 || status === 408 || status === 409 || isPassing(status);
}

function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

function failed(code: ErrorCode, message: string): Extract<RestOutcome, { type: "failed" }> {
  return { type: "failed", error: { code, message } };
}
