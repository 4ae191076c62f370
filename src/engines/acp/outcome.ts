import type { ErrorDetail, SessionSettings, ToolItem } from "../../protocol/index.ts";
import type { EngineEvent, MeteredRequest } from "../engine.ts";
import type { VendorFields } from "../vendor/fields.ts";
import type { ProcessEnd } from "../vendor/output.ts";
import { RpcError } from "./connection.ts";

/** How a process ended, for people. */
export function endWords(title: string, end: ProcessEnd | undefined): ErrorDetail {
  const { code = null, signal = null, complaint = "", failure } = end ?? {};
  if (failure !== undefined)
    return { code: "engine_failed", message: `${title} was ended because ${failure}. Send the prompt again.` };
  const how = signal === null ? `with exit code ${code ?? "unknown"}` : `by ${signal}`;
  const said = complaint.trim();
  return {
    code: "engine_failed",
    message: `${title} ended unexpectedly, ${how}${said === "" ? "" : `: ${said}`}. Send the prompt again.`,
  };
}

/** What the model is told about a refusal: the protocol has no field for its words. */
export function rejectedWords({ tool, input }: ToolItem, words: string): string {
  return `Your call ${tool} ${JSON.stringify(input)} was not run. ${words}\nGo on with the task with this in mind.`;
}

/**
 * Why the turn failed; undefined: it did not. The protocol has no field for a model's error, so the proxy's own record of the last request
 * says what it was.
 */
export function failureOf(
  title: string,
  answer: VendorFields | RpcError,
  last: MeteredRequest | undefined,
): ErrorDetail | undefined {
  const said = answer instanceof RpcError ? `${title}: ${answer.message}` : title;
  const isFailed = last !== undefined && (last.refusal !== undefined || last.status >= 400 || !last.completed);
  if (isFailed) return modelFailure(said, last);
  if (!(answer instanceof RpcError)) return undefined;
  return { code: "engine_failed", message: `${said}. Send the prompt again.` };
}

function modelFailure(said: string, { status, refusal }: MeteredRequest): ErrorDetail {
  if (refusal !== undefined) return { code: refusal, message: `the model proxy refused the request (${said})` };
  if (status === 401 || status === 403)
    return {
      code: "model_unauthenticated",
      message: `Authentication failed: the model answered ${status} (${said}). Set a valid key for the provider and start again.`,
    };
  if (status === 429 || status >= 500)
    return { code: "model_unavailable", message: `the model answered ${status} (${said}); try again later` };
  if (status >= 400) return { code: "model_error", message: `the model answered ${status} (${said})` };
  return { code: "model_stream_cut", message: `the model's answer broke off (${said}); send the prompt again` };
}

/** The protocol lets an agent forget a prompt that it refused. It does not say what happens to one that failed. */
export function isDropped(answer: VendorFields | RpcError): boolean {
  return answer instanceof RpcError || answer["stopReason"] === "refusal";
}

export function tooMany(title: string): ErrorDetail {
  return { code: "engine_failed", message: `${title} has too many open tool calls` };
}

export function maxTurns({ max_turns }: SessionSettings): ErrorDetail {
  return {
    code: "max_turns",
    message: `Max turns reached: stopped after ${max_turns} rounds of the model (max_turns); send another prompt to go on`,
  };
}

type AgentTurnEnd = Extract<EngineEvent, { type: "turn.completed" | "turn.failed" }>;

/** How the agent says that its turn ended. */
export function stopOf({ stopReason }: VendorFields, settings: SessionSettings): AgentTurnEnd {
  const failed = (code: ErrorDetail["code"], message: string): AgentTurnEnd => ({
    type: "turn.failed",
    error: { code, message },
  });
  switch (stopReason) {
    case "max_tokens":
      return failed(
        "max_tokens",
        "the model's answer was longer than max_tokens allows; raise max_tokens or ask for less",
      );
    case "max_turn_requests":
      return { type: "turn.failed", error: maxTurns(settings) };
    case "refusal":
      return failed("refusal", "the model refused to answer; say it in another way or start a new session");
    case "cancelled":
      return failed("aborted", "aborted");
    default:
      return { type: "turn.completed", stop_reason: typeof stopReason === "string" ? stopReason : "end_turn" };
  }
}
