import { describe, expect, it } from "vitest";
import { endOf, endWords, errorOf } from "../../../src/engines/codex/outcome.ts";
import type { CodexError } from "../../../src/engines/codex/wire.ts";
import type { ErrorCode } from "../../../src/protocol/index.ts";

interface Row {
  readonly name: string;
  readonly error: CodexError;
  readonly refusal?: ErrorCode;
  readonly decision: string;
  readonly code: ErrorCode;
}

const status = (number: number, words: string): CodexError => ({
  message: `unexpected status ${number} Words: ${words}, url: http://127.0.0.1:1/v1/responses`,
  kind: "httpConnectionFailed",
  status: number,
});

const ROWS: readonly Row[] = [
  { name: "a refused key", error: status(401, "no"), decision: "final", code: "model_unauthenticated" },
  { name: "a missing model", error: status(404, "no such model"), decision: "final", code: "model_error" },
  { name: "an overloaded model", error: status(529, "later"), decision: "retry", code: "model_unavailable" },
  {
    name: "too many requests",
    error: {
      message: "exceeded retry limit, last status: 429 Too Many Requests",
      kind: "responseTooManyFailedAttempts",
      status: 429,
    },
    decision: "retry",
    code: "model_unavailable",
  },
  {
    name: "an error of the server, without a status",
    error: { message: "high demand", kind: "internalServerError" },
    decision: "retry",
    code: "model_unavailable",
  },
  {
    name: "a wrong request, as its body",
    error: { message: '{"error":{"message":"no such field","type":"invalid_request_error"}}', kind: "other" },
    decision: "final",
    code: "model_error",
  },
  {
    name: "a conversation that is too long",
    error: { message: "ran out of room", kind: "contextWindowExceeded" },
    decision: "too_long",
    code: "context_exceeded",
  },
  {
    name: "no money",
    error: status(402, "the budget is used up"),
    refusal: "budget_exceeded",
    decision: "funds",
    code: "model_unavailable",
  },
  {
    name: "the proxy's own reason",
    error: status(403, "this model is not allowed"),
    refusal: "model_not_allowed",
    decision: "final",
    code: "model_not_allowed",
  },
  {
    name: "an answer that broke off",
    error: { message: "stream disconnected before completion: error", kind: "other" },
    decision: "retry",
    code: "model_stream_cut",
  },
  {
    name: "nobody there",
    error: { message: "Connection failed: error sending request", kind: "other" },
    decision: "retry",
    code: "model_unavailable",
  },
];

describe("what Codex puts around the provider's words", () => {
  const framed = (rest: string): string => `unexpected status 500 Oops: ${rest}`;
  it.each([
    { message: framed("no"), words: "no" },
    { message: framed("no, url: http://a/b"), words: "no" },
    { message: framed("no, url: http://a/b, request id: 7 8"), words: "no" },
    { message: framed("no, request id: 7"), words: "no" },
    { message: framed("one\ntwo, url: http://a"), words: "one\ntwo" },
    { message: framed("see, url: http://a for more"), words: "see, url: http://a for more" },
    { message: framed("one, request id: 7\ntwo"), words: "one, request id: 7\ntwo" },
    { message: "no frame, url: http://a", words: "no frame, url: http://a" },
    { message: framed(""), words: "" },
  ])("$message", ({ message, words }) => {
    expect(endOf({ message, kind: "", status: 500 }, undefined)).toMatchObject({ failure: { message: words } });
  });

  it("takes no longer for words that are made to be slow to read", () => {
    const words = `${", request id: ".repeat(1_000_000)}\nx`;
    const begun = performance.now();
    expect(endOf({ message: framed(words), kind: "", status: 500 }, undefined)).toMatchObject({
      failure: { message: words },
    });
    // With a pattern it took hours.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});

describe("the end of Codex's turn", () => {
  it.each(ROWS)("$name", ({ error, refusal, decision, code }) => {
    const end = endOf(error, refusal);
    expect(end.decision).toBe(decision);
    if (end.decision !== "stopped") expect(errorOf(end, 1).code).toBe(code);
  });

  it("knows an answer that was cut off from one that was refused", () => {
    const incomplete = (reason: string): unknown =>
      endOf({ message: `Incomplete response returned, reason: ${reason}`, kind: "other" }, undefined);
    expect(incomplete("max_output_tokens")).toMatchObject({ decision: "stopped", error: { code: "max_tokens" } });
    expect(incomplete("content_filter")).toMatchObject({ decision: "stopped", error: { code: "refusal" } });
    const message = "stream disconnected before completion: Incomplete response returned, reason: content_filter";
    expect(endOf({ message, kind: "other" }, undefined)).toMatchObject({ error: { code: "refusal" } });
  });

  it("shows the provider's words without what Codex puts around them", () => {
    expect(endOf(status(503, "come back at ten"), undefined)).toMatchObject({
      failure: { message: "come back at ten" },
    });
  });
});

describe("the end of Codex's process", () => {
  it("is told without what it says at each start", () => {
    const complaint = "WARNING: proceeding, even though we could not create PATH aliases: no\npanicked";
    expect(endWords({ code: 101, signal: null, complaint })).toBe(
      "Codex ended unexpectedly, with exit code 101: panicked. Send the prompt again.",
    );
    expect(endWords({ code: null, signal: "SIGKILL", complaint: "" })).toBe(
      "Codex ended unexpectedly, by SIGKILL. Send the prompt again.",
    );
  });
});
