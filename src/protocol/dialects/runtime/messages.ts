import { z } from "zod";
import type { Approval, Outcome } from "../../sessions/approvals.ts";
import { Attachment, ImageMediaType, type Prompt } from "../../journal/content.ts";
import type { ErrorCode, ErrorDetail } from "../../errors.ts";
import type { ContextPart } from "../../sessions/instructions.ts";
import { LIMITS } from "../../limits.ts";
import { RuntimeContextInput } from "./context.ts";

/** Document 000's messages at `/ws`. Fields and types beyond the document are optional additions. */

const sessionId = z.string().min(1).max(LIMITS.clientSessionChars);

const UserMessage = z.object({
  type: z.literal("user_message"),
  sessionId,
  message: z.string().max(LIMITS.promptChars).default(""),
  context: RuntimeContextInput.nullish(),
  images: z
    .array(z.object({ mediaType: ImageMediaType, data: z.string() }))
    .max(LIMITS.attachmentsPerPrompt)
    .nullish(),
  model: z.string().min(1).max(200).nullish(),
  /** A client that has shown earlier messages does not want to continue with an assistant that has forgotten them. */
  resumeExpected: z.boolean().nullish(),
  /** Dollars, for this message. */
  max_budget_usd: z.number().nonnegative().max(1_000_000).nullish(),
  /** These count when the conversation begins. */
  systemPromptMode: z.enum(["datagrok", "bash", "none"]).nullish(),
  engine: z.string().max(100).nullish(),
  profile: z.string().max(100).nullish(),
  max_turns: z.number().int().min(1).max(1_000).nullish(),
});
export type RuntimeUserMessage = z.infer<typeof UserMessage>;

const ToolResult = z.object({
  type: z.literal("tool_result"),
  callId: z.string().max(100),
  result: z.string(),
  /** Absent: the text decides, which then begins with `Error:`. */
  isError: z.boolean().nullish(),
});

const Answer = z.object({
  approved: z.boolean(),
  feedback: z.string().max(LIMITS.feedbackChars).optional(),
  updated_input: z.record(z.string(), z.unknown()).optional(),
  always: z.boolean().optional(),
  interrupt: z.boolean().optional(),
});
export type RuntimeAnswer = z.infer<typeof Answer>;

const InputResponse = z.object({
  type: z.literal("input_response"),
  sessionId,
  /** Absent: the oldest question. */
  requestId: z.string().max(100).nullish(),
  /** Yes or no, words, document 001's answer (`{approved, feedback?, …}`), or the answers to a question. */
  value: z.union([z.boolean(), z.string().max(LIMITS.feedbackChars), z.record(z.string(), z.unknown())]),
});
export type RuntimeInputResponse = z.infer<typeof InputResponse>;

const RuntimeRequest = z.discriminatedUnion("type", [
  UserMessage,
  ToolResult,
  InputResponse,
  z.object({ type: z.literal("abort"), sessionId }),
  z.object({ type: z.literal("new_chat"), sessionId }),
  z.object({ type: z.literal("session.clear"), sessionId }),
]);
export type RuntimeRequest = z.infer<typeof RuntimeRequest>;

const TYPES: ReadonlySet<string> = new Set([
  "user_message",
  "tool_result",
  "input_response",
  "abort",
  "new_chat",
  "session.clear",
]);

/** An error in this wire's format. `sessionId` is empty if the message named none. */
export interface RuntimeError {
  readonly type: "error";
  readonly sessionId: string;
  readonly message: string;
  readonly code: ErrorCode;
  readonly details?: unknown;
}

export type RuntimeMessage =
  | { readonly type: "chunk"; readonly sessionId: string; readonly content: string }
  /** Discard the chunks since the last message began; `content` is what remains of the answer. */
  | { readonly type: "revision_start"; readonly sessionId: string; readonly content: string }
  | {
      readonly type: "tool_use";
      readonly sessionId: string;
      readonly tool: string;
      readonly input: unknown;
      /** What was requested, if a person changed it: `input` is what ran. */
      readonly askedInput?: unknown;
      readonly status: "running" | "completed" | "failed";
      readonly tool_use_id: string;
      /** Of a failed one: what the model was told. */
      readonly error?: string;
    }
  | {
      readonly type: "tool_execute";
      readonly callId: string;
      readonly tool: string;
      readonly args: unknown;
      readonly sessionId: string;
    }
  | RuntimeFinal
  | RuntimeError
  | { readonly type: "queued"; readonly sessionId: string }
  | { readonly type: "repository_context"; readonly sessionId: string; readonly parts: readonly ContextPart[] }
  | { readonly type: "aborted"; readonly sessionId: string; readonly note?: string }
  | { readonly type: "session_reset"; readonly sessionId: string; readonly reason: "new_chat" | "not_found" }
  | (Readonly<Record<string, unknown>> & {
      readonly type: "approval_request";
      readonly sessionId: string;
      readonly requestId: string;
    })
  | {
      readonly type: "approval_resolved";
      readonly sessionId: string;
      readonly requestId: string;
      readonly status: Outcome;
    };

export interface RuntimeFinal {
  readonly type: "final";
  readonly sessionId: string;
  /** Everything that the assistant said in this turn; all chunks joined. */
  readonly content: string;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cache_read_input_tokens: number;
    readonly cache_creation_input_tokens: number;
  };
  readonly cost_usd: number;
  /** The part of the cost that is a bound, not measured; absent: none. */
  readonly bound_usd?: number;
  /** Calls of the model. */
  readonly num_turns: number;
  readonly metrics: {
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly cacheReadTokens: number;
    readonly cacheCreationTokens: number;
    readonly costUsd: number;
    readonly numTurns: number;
    /** Null if the beginning was not seen. */
    readonly durationMs: number | null;
    readonly durationApiMs: null;
  };
}

/** A client's message, validated; or the error that it gets. */
export function readRuntimeRequest(raw: unknown): RuntimeRequest | RuntimeError {
  const given = typeof raw === "object" && raw !== null && !Array.isArray(raw) ? (raw as Record<string, unknown>) : {};
  const named = given["sessionId"];
  const session = typeof named === "string" ? named.slice(0, LIMITS.clientSessionChars) : "";
  const { type } = given;
  if (given !== raw) return runtimeError(session, { code: "invalid_request", message: INVALID_FORMAT });
  if (typeof type !== "string" || !TYPES.has(type))
    return runtimeError(session, { code: "invalid_request", message: `Unknown message type: ${word(type)}` });
  const parsed = RuntimeRequest.safeParse(raw);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    const details = `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "is not valid"}`;
    return runtimeError(session, { code: "invalid_request", message: INVALID_FORMAT, details });
  }
  if (parsed.data.type === "user_message" && parsed.data.message.trim() === "")
    return runtimeError(session, { code: "invalid_request", message: "Empty message" });
  return parsed.data;
}

/** The document's text for unreadable input: not JSON, or no message of the protocol. */
export const INVALID_FORMAT = "Invalid message format";
const TYPE_CHARS = 100;

function word(type: unknown): string {
  const text = typeof type === "string" ? type : ((JSON.stringify(type) as string | undefined) ?? "undefined");
  return text.slice(0, TYPE_CHARS);
}

/** An error in the document's words if it has some (§10), else in ours. */
export function runtimeError(session: string, error: ErrorDetail): RuntimeError {
  const { code, details } = error;
  return {
    type: "error",
    sessionId: session,
    message: errorText(error),
    code,
    ...(details === undefined ? {} : { details }),
  };
}

function errorText({ code, message }: ErrorDetail): string {
  switch (code) {
    case "max_turns":
      return "Max turns reached";
    case "model_unauthenticated":
      return "Authentication failed";
    default:
      return message;
  }
}

/** The prompt of a message; `note` is what the page says about itself, empty: nothing new. Undefined: an image is invalid. */
export function runtimePrompt(message: RuntimeUserMessage, note: string): Prompt | undefined {
  const images = (message.images ?? []).map(({ mediaType, data }) => ({ type: "image", media_type: mediaType, data }));
  const notes = note === "" ? [] : [{ type: "text", name: "context", text: note }];
  const attachments = Attachment.array().safeParse([...notes, ...images]);
  if (!attachments.success) return undefined;
  const { max_budget_usd: budget } = message;
  return {
    text: message.message,
    ...(attachments.data.length === 0 ? {} : { attachments: attachments.data }),
    ...(typeof budget === "number" ? { max_cost_microusd: Math.floor(budget * 1_000_000) } : {}),
  };
}

/** Document 000's short names. */
const MODELS: Readonly<Record<string, string>> = {
  haiku: "claude-haiku-4-5",
  sonnet: "claude-sonnet-5",
  opus: "claude-opus-5",
};

/** The full name of the requested model; undefined: none is requested. */
export function runtimeModel({ model }: RuntimeUserMessage): string | undefined {
  if (typeof model !== "string") return undefined;
  return Object.hasOwn(MODELS, model) ? MODELS[model] : model;
}

const YES = new Set(["approve", "approved", "allow", "yes", "true"]);
const NO = new Set(["reject", "rejected", "deny", "no", "false"]);

/** What an answer means for its question. A person's answer to AskUserQuestion is the answers themselves. */
export function runtimeAnswer(value: RuntimeInputResponse["value"], { preview, input }: Approval): RuntimeAnswer {
  if (typeof value === "boolean") return { approved: value };
  if (typeof value === "object") {
    const answer = Answer.safeParse(value);
    if (answer.success) return answer.data;
  }
  if (preview.type === "question") {
    const [first] = preview.questions;
    const answers = typeof value === "string" ? { [first?.question ?? ""]: value } : (value["answers"] ?? value);
    return { approved: true, updated_input: { ...input, answers } };
  }
  const said = typeof value === "string" ? value.trim() : "";
  if (YES.has(said.toLowerCase())) return { approved: true };
  if (NO.has(said.toLowerCase()) || said === "") return { approved: false };
  // Any other text is no approval: the model reads it as the reason.
  return { approved: false, feedback: said };
}
