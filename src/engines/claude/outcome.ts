import type { ErrorCode, ErrorDetail } from "../../protocol/index.ts";
import type { ResultMessage } from "./wire.ts";

/**
 * What follows from the vendor's result. `funds`: there was no money for the next request. `lost`: it could not begin, because its own
 * record of the conversation is missing.
 */
export type VendorTurnEnd =
  | { readonly type: "completed"; readonly stop_reason: string; readonly structured_output?: unknown }
  | { readonly type: "failed"; readonly error: ErrorDetail }
  | { readonly type: "funds"; readonly message: string }
  | { readonly type: "lost"; readonly message: string };

export interface ResultContext {
  /** The kind of error in the last message by the program itself. */
  readonly apiError: string | undefined;
  /** An answer of the model was cut off. */
  readonly cut: boolean;
  /** Why the model proxy refused the last request; absent: the error is the provider's. */
  readonly refusal: ErrorCode | undefined;
  readonly max_turns: number;
  /** The session has an `output_schema`. */
  readonly structured: boolean;
}

const UNAUTHENTICATED = new Set([
  "authentication_failed",
  "oauth_org_not_allowed",
  "account_on_hold",
  "verification_required",
  "cloud_credential_error",
]);
const UNAVAILABLE = new Set(["rate_limit", "overloaded", "server_error"]);
const TOO_LONG = new Set(["prompt_too_long", "blocking_limit", "rapid_refill_breaker"]);
const ABORTED = new Set(["aborted_streaming", "aborted_tools"]);

const NOT_STRUCTURED: VendorTurnEnd = failed(
  "model_error",
  "the model did not answer in the form that output_schema asks for; send the prompt again or change the schema",
);

/** Every error of the model's API arrives as a "success" that is an error, so the reason decides and not the subtype. */
export function outcomeOf(result: ResultMessage, context: ResultContext): VendorTurnEnd {
  const { terminal_reason = "", subtype, stop_reason, api_status } = result;
  if (!result.is_error && subtype === "success") return completed(result, context);
  if (subtype === "error_max_structured_output_retries") return NOT_STRUCTURED;
  if (subtype === "error_max_turns" || terminal_reason === "max_turns")
    return failed(
      "max_turns",
      `Max turns reached: stopped after ${context.max_turns} rounds of the model (max_turns); send another prompt to go on`,
    );
  if (subtype === "error_max_budget_usd" || terminal_reason === "budget_exhausted")
    return failed("budget_exceeded", `the program's own budget is used up (${words(result)})`);
  if (subtype === "error_during_execution" && result.rounds === 0 && terminal_reason === "")
    return { type: "lost", message: words(result) };
  if (ABORTED.has(terminal_reason)) return failed("aborted", "aborted");
  if (api_status === 402) return { type: "funds", message: words(result) };
  if (stop_reason === "refusal")
    return failed("refusal", "the model refused to answer; say it in another way or start a new session");
  if (TOO_LONG.has(terminal_reason))
    return failed(
      "context_exceeded",
      `the conversation is too long for the model (${words(result)}); start a new session`,
    );
  if (context.apiError === "max_output_tokens")
    return failed(
      "max_tokens",
      "the model's answer was longer than max_tokens allows; raise max_tokens or ask for less",
    );
  return ofTheApi(result, context) ?? other(result);
}

/** An answer in a requested form is itself a call, and its turn ends with it. */
function completed({ stop_reason = "end_turn", structured }: ResultMessage, context: ResultContext): VendorTurnEnd {
  // The program reminds the model once, and then takes its text as the answer.
  if (structured === undefined) return context.structured ? NOT_STRUCTURED : { type: "completed", stop_reason };
  return { type: "completed", stop_reason: "end_turn", structured_output: structured };
}

/** The end of a request that the model, or the proxy before it, answered with an error. */
function ofTheApi(result: ResultMessage, { apiError, cut, refusal }: ResultContext): VendorTurnEnd | undefined {
  const { api_status, terminal_reason } = result;
  const said = words(result);
  // The program knows only the status; the proxy's own reason is more precise.
  if (refusal !== undefined && api_status !== undefined && !isPassing(api_status)) return failed(refusal, said);
  if (api_status === 401 || api_status === 403 || (apiError !== undefined && UNAUTHENTICATED.has(apiError)))
    return failed(
      "model_unauthenticated",
      `Authentication failed: the model answered ${api_status ?? "that the key is wrong"}${api_status === 401 ? "" : ` (${said})`}. Set a valid key for the provider and start again.`,
    );
  if (api_status === undefined && terminal_reason !== "api_error") return undefined;
  if (api_status === undefined)
    return cut
      ? failed("model_stream_cut", `the model's answer broke off (${said}); send the prompt again`)
      : failed("model_unavailable", `the model could not be reached (${said}); try again later`);
  if (isPassing(api_status) || (apiError !== undefined && UNAVAILABLE.has(apiError)))
    return failed("model_unavailable", `the model answered ${api_status} (${said}); try again later`);
  return failed("model_error", `the model answered ${api_status} (${said})`);
}

/** Another attempt may succeed. */
function isPassing(status: number): boolean {
  return status === 429 || status >= 500;
}

function other(result: ResultMessage): VendorTurnEnd {
  const said = words(result);
  if (result.terminal_reason === "model_error" || result.terminal_reason === "image_error")
    return failed("model_error", said);
  return failed("engine_failed", `Claude Code ended the turn with an error: ${said}`);
}

function failed(code: ErrorDetail["code"], message: string): VendorTurnEnd {
  return { type: "failed", error: { code, message } };
}

/** The program's message without its own preamble. */
function words({ text, errors, subtype }: ResultMessage): string {
  const said = text === "" ? errors.join("; ") : text;
  const bare = said.replace(/^(?:Failed to authenticate\. )?API Error: (?:\d{3} |Request rejected \(\d{3}\) · )?/, "");
  return bare === "" ? subtype : bare;
}
