import { LIMITS, type ErrorCode, type ErrorDetail } from "../../protocol/index.ts";
import { judge, readAnswer, toError, type ModelFailure, type RetryDecision } from "../loop/failure.ts";
import { parsedJson } from "../vendor/fields.ts";
import type { ProcessEnd } from "../vendor/output.ts";
import type { CodexError } from "./wire.ts";

/** Kinds of errors that stand for an answer of the model, with the status that they stand for. */
const STATUS_OF_KIND: Readonly<Record<string, number>> = {
  badRequest: 400,
  contextWindowExceeded: 400,
  unauthorized: 401,
  modelNotFound: 404,
  usageLimitExceeded: 429,
  rateLimitExceeded: 429,
  internalServerError: 500,
  serverOverloaded: 503,
};
const INCOMPLETE = /^(?:stream disconnected before completion: )?Incomplete response returned, reason: (.*)$/;
const BROKEN_OFF = /^(?:stream disconnected|stream closed|idle timeout)/;
/** What Codex puts around the provider's own words: this, an address without white space, and an id up to the end. */
const FRAME = /^unexpected status \d{3} [^:]*: /;
const ADDRESS = ", url: ";
const REQUEST = ", request id: ";

export const TOO_MANY: ErrorDetail = {
  code: "engine_failed",
  message: `Codex was ended because it had more than ${LIMITS.engineOpenCalls} tool calls open. Send the prompt again.`,
};

/** What follows from an error of Codex's turn. */
export type CodexEnd =
  | { readonly decision: "stopped"; readonly error: ErrorDetail }
  | { readonly decision: Exclude<RetryDecision, "thoughts">; readonly failure: ModelFailure };

/** `refusal`: why the model proxy refused the last request; absent: the error is the provider's. */
export function endOf(error: CodexError, refusal: ErrorCode | undefined): CodexEnd {
  const reason = INCOMPLETE.exec(error.message)?.[1];
  if (reason !== undefined) return { decision: "stopped", error: incomplete(reason) };
  const failure = failureOf(error, refusal);
  if (error.kind === "contextWindowExceeded") return { decision: "too_long", failure };
  const decision = judge(failure);
  return { decision: decision === "thoughts" ? "final" : decision, failure };
}

/** The error of a turn that ends with it, after so many requests. */
export function errorOf({ decision, failure }: Extract<CodexEnd, { failure: unknown }>, attempts: number): ErrorDetail {
  if (decision === "too_long")
    return {
      code: "context_exceeded",
      message: "the conversation is too long for the model; start a new session",
    };
  return toError(failure, attempts);
}

function incomplete(reason: string): ErrorDetail {
  if (reason === "content_filter")
    return { code: "refusal", message: "the model refused to answer; say it in another way or start a new session" };
  return { code: "max_tokens", message: `the model's answer was cut off (${reason}); ask for less at once` };
}

function failureOf({ message, kind, status }: CodexError, refusal: ErrorCode | undefined): ModelFailure {
  const known = status ?? (Object.hasOwn(STATUS_OF_KIND, kind) ? STATUS_OF_KIND[kind] : undefined);
  const code = refusal === undefined ? {} : { code: refusal };
  const body = parsed(message);
  // Codex shows the whole body of a 400 in place of words, and no status.
  if (body !== undefined) return { ...readAnswer(known ?? 400, body), ...code };
  if (known !== undefined) return { kind: "answer", status: known, message: unframed(message), ...code };
  if (BROKEN_OFF.test(message)) return { kind: "stream", message };
  return { kind: "connection", message };
}

/** The provider's own words. No pattern for all of it: a provider can write what a pattern takes hours for. */
function unframed(message: string): string {
  const frame = FRAME.exec(message)?.[0];
  if (frame === undefined) return message;
  const request = message.indexOf(REQUEST, message.lastIndexOf("\n") + 1);
  const words = message.slice(frame.length, Math.max(frame.length, request === -1 ? message.length : request));
  const address = words.lastIndexOf(ADDRESS);
  return address === -1 || /\s/.test(words.slice(address + ADDRESS.length)) ? words : words.slice(0, address);
}

function parsed(message: string): unknown {
  return message.startsWith("{") ? parsedJson(message) : undefined;
}

/** How a process ended, for people. */
export function endWords({ code, signal, complaint, failure }: ProcessEnd): string {
  if (failure !== undefined) return `Codex was ended because ${failure}. Send the prompt again.`;
  const how = signal === null ? `with exit code ${code ?? "unknown"}` : `by ${signal}`;
  const said = complaint.replaceAll(NO_ALIASES, "").trim();
  return `Codex ended unexpectedly, ${how}${said === "" ? "" : `: ${said}`}. Send the prompt again.`;
}

/** It says at each start that it made no helpers for a shell, which it does not have. */
const NO_ALIASES = /^WARNING: proceeding, even though we could not create PATH aliases:.*$/gm;
