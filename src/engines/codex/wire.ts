import { LIMITS } from "../../protocol/index.ts";
import { count, list, record, text, type VendorFields } from "../vendor/fields.ts";

/** Tokens of one request, as Codex counts: the input includes what was cached. */
export interface CodexTokens {
  readonly input: number;
  readonly cached: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** What ended a turn, or a request within it. */
export interface CodexError {
  readonly message: string;
  /** The kind; empty: none was given. */
  readonly kind: string;
  /** HTTP; absent: there was no answer, or Codex does not say. */
  readonly status?: number | undefined;
}

/** Something that Codex tells without waiting for an answer. `turn` is its own id of the turn. */
export type CodexNotice =
  | { readonly type: "turn_started"; readonly turn: string }
  | { readonly type: "text" | "thought"; readonly turn: string; readonly item: string; readonly delta: string }
  /** Another part of a summary of thoughts begins. */
  | { readonly type: "thought_part"; readonly turn: string; readonly item: string; readonly index: number }
  | { readonly type: "text_done" | "thought_done"; readonly turn: string; readonly item: string; readonly text: string }
  | { readonly type: "call_done"; readonly turn: string; readonly call_id: string }
  | { readonly type: "compacted"; readonly turn: string }
  | { readonly type: "usage"; readonly turn: string; readonly tokens: CodexTokens }
  | {
      readonly type: "turn_ended";
      readonly turn: string;
      readonly status: string;
      readonly error?: CodexError | undefined;
    }
  | { readonly type: "warning"; readonly message: string }
  | { readonly type: "other" };

/** A question of Codex. Each is answered, or it would wait forever. */
export type CodexQuestion =
  | {
      readonly type: "call";
      readonly turn: string;
      readonly call_id: string;
      readonly tool: string;
      readonly input: VendorFields;
    }
  /** Codex wants to do something by itself. `answer` refuses it. */
  | { readonly type: "own_action"; readonly method: string; readonly answer: VendorFields }
  | { readonly type: "unknown"; readonly method: string };

const OTHER = { type: "other" } as const;

/** Warnings of what a person chose: another model. */
const EXPECTED = /^This session was recorded with model /;

/** The parse line: everything that Codex tells becomes one of the above. New kinds come with every version. */
export function readNotice(method: string, params: VendorFields): CodexNotice {
  const turn = text(params["turnId"]) ?? text(record(params["turn"])["id"]) ?? "";
  const item = text(params["itemId"]) ?? "";
  const delta = text(params["delta"]) ?? "";
  switch (method) {
    case "turn/started":
      return { type: "turn_started", turn };
    case "item/agentMessage/delta":
      return { type: "text", turn, item, delta };
    case "item/reasoning/summaryTextDelta":
    case "item/reasoning/textDelta":
      return { type: "thought", turn, item, delta };
    case "item/reasoning/summaryPartAdded":
      return { type: "thought_part", turn, item, index: count(params["summaryIndex"]) ?? 0 };
    case "item/completed":
      return readItem(turn, record(params["item"]));
    case "thread/tokenUsage/updated":
      return { type: "usage", turn, tokens: readTokens(record(record(params["tokenUsage"])["last"])) };
    case "turn/completed":
      return readEnd(record(params["turn"]));
    case "warning":
    case "configWarning": {
      const message = text(params["message"]) ?? text(params["summary"]);
      if (message === undefined || EXPECTED.test(message)) return OTHER;
      return { type: "warning", message: message.slice(0, LIMITS.engineNoticeChars).toWellFormed() };
    }
    default:
      return OTHER;
  }
}

function readItem(turn: string, item: VendorFields): CodexNotice {
  const id = text(item["id"]) ?? "";
  switch (item["type"]) {
    case "agentMessage":
      return { type: "text_done", turn, item: id, text: text(item["text"]) ?? "" };
    case "reasoning": {
      const summary = texts(item["summary"]);
      return {
        type: "thought_done",
        turn,
        item: id,
        text: (summary.length > 0 ? summary : texts(item["content"])).join("\n\n"),
      };
    }
    case "dynamicToolCall":
      return { type: "call_done", turn, call_id: id };
    case "contextCompaction":
      return { type: "compacted", turn };
    default:
      return OTHER;
  }
}

function texts(value: unknown): readonly string[] {
  return list(value).filter((part): part is string => typeof part === "string" && part !== "");
}

function readTokens(usage: VendorFields): CodexTokens {
  return {
    input: count(usage["inputTokens"]) ?? 0,
    cached: count(usage["cachedInputTokens"]) ?? 0,
    cacheWrite: count(usage["cacheWriteInputTokens"]) ?? 0,
    output: count(usage["outputTokens"]) ?? 0,
    reasoning: count(usage["reasoningOutputTokens"]) ?? 0,
  };
}

function readEnd(turn: VendorFields): CodexNotice {
  const error = turn["error"];
  return {
    type: "turn_ended",
    turn: text(turn["id"]) ?? "",
    status: text(turn["status"]) ?? "",
    ...(typeof error === "object" && error !== null ? { error: readError(record(error)) } : {}),
  };
}

/** The kind is a word, or an object with one field that has the word as its name. */
function readError(error: VendorFields): CodexError {
  const info = error["codexErrorInfo"];
  const [kind = "", details] = typeof info === "string" ? [info] : (Object.entries(record(info))[0] ?? []);
  return {
    message: (text(error["message"]) ?? "no explanation").slice(0, LIMITS.modelErrorBytes),
    kind,
    status: count(record(details)["httpStatusCode"]),
  };
}

/** How Codex is told no, by what it asks. */
const REFUSALS: Readonly<Record<string, VendorFields>> = {
  "item/commandExecution/requestApproval": { decision: "decline" },
  "item/fileChange/requestApproval": { decision: "decline" },
  execCommandApproval: { decision: "denied" },
  applyPatchApproval: { decision: "denied" },
  "mcpServer/elicitation/request": { action: "decline", content: null },
};

export function readQuestion(method: string, params: VendorFields): CodexQuestion {
  const answer = Object.hasOwn(REFUSALS, method) ? REFUSALS[method] : undefined;
  if (answer !== undefined) return { type: "own_action", method, answer };
  if (method !== "item/tool/call") return { type: "unknown", method };
  return {
    type: "call",
    turn: text(params["turnId"]) ?? "",
    call_id: text(params["callId"]) ?? "",
    tool: text(params["tool"]) ?? "",
    input: record(params["arguments"]),
  };
}
