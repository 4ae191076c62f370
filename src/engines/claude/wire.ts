import type { ContentBlock } from "../../protocol/index.ts";
import { ImageMediaType } from "../../protocol/index.ts";
import { statusOfType } from "../loop/failure.ts";
import { count, list, record, text, type VendorFields } from "../vendor/fields.ts";

/** A block of a whole message of the model. */
export type MessageBlock =
  | { readonly type: "text"; readonly text: string }
  | {
      readonly type: "thinking";
      readonly text: string;
      readonly signature?: string | undefined;
      /** The opaque form; then there is no text. */
      readonly redacted?: string | undefined;
    }
  | { readonly type: "tool_use"; readonly id: string; readonly name: string; readonly input: VendorFields };

/** An event of the model's own stream, reduced to what matters here. */
export type StreamEvent =
  | { readonly type: "message_start"; readonly id: string; readonly usage: Tokens }
  | { readonly type: "block_start"; readonly index: number; readonly kind: "text" | "thinking" | "other" }
  | { readonly type: "text" | "thinking"; readonly index: number; readonly text: string }
  | { readonly type: "message_delta"; readonly stop_reason: string | undefined; readonly usage: Tokens }
  | { readonly type: "other" };

/** Absent: not reported. */
export interface Tokens {
  readonly input?: number | undefined;
  readonly output?: number | undefined;
  readonly cacheRead?: number | undefined;
  readonly cacheWrite?: number | undefined;
  readonly reasoning?: number | undefined;
}

export interface VendorToolResult {
  readonly tool_use_id: string;
  readonly content: readonly ContentBlock[];
  readonly is_error: boolean;
}

/** The author of a message: a sub-agent by its own id, or by the call that started it; both absent at the top level. */
export interface MessageAuthor {
  readonly agent_id?: string | undefined;
  readonly parent?: string | undefined;
}

/** How the vendor's program reports that a turn is over. */
export interface ResultMessage {
  readonly type: "result";
  readonly subtype: string;
  readonly is_error: boolean;
  readonly stop_reason?: string | undefined;
  readonly terminal_reason?: string | undefined;
  /** HTTP; absent when no answer of the model ended it. */
  readonly api_status?: number | undefined;
  readonly text: string;
  readonly errors: readonly string[];
  /** Rounds of the model as the program counts them; absent: not reported. */
  readonly rounds?: number | undefined;
  /** All models together, since the last result. */
  readonly usage: Tokens;
  readonly cost_microusd?: number | undefined;
  /** The answer in the requested form; absent: there is none. */
  readonly structured?: unknown;
}

/** One message of the vendor's program. Unknown ones are `other`: new kinds come with every version. */
export type VendorMessage =
  | { readonly type: "init"; readonly session_id: string }
  | (MessageAuthor & { readonly type: "stream"; readonly event: StreamEvent })
  | (MessageAuthor & {
      readonly type: "assistant";
      readonly uuid?: string | undefined;
      readonly message_id: string;
      readonly blocks: readonly MessageBlock[];
      /** The program's own words in the model's place. */
      readonly synthetic: boolean;
      /** What went wrong, if the message stands for an error of the model's API. */
      readonly error?: string | undefined;
      /** It was cut off by an interrupt. */
      readonly aborted: boolean;
    })
  | (MessageAuthor & {
      readonly type: "user";
      readonly uuid?: string | undefined;
      readonly outcomes: readonly VendorToolResult[];
      /** The program's own form of the result; only if there is one outcome. */
      readonly structured: unknown;
      /** Text by the program: a summary, or its own message to the model. */
      readonly synthetic: boolean;
      readonly text: string;
    })
  | ResultMessage
  | {
      readonly type: "retry";
      readonly attempt: number;
      readonly attempts: number;
      readonly delay_ms: number;
      readonly status?: number | undefined;
      readonly error: string;
    }
  /** Whether a summary is being written, which reports nothing until it is done. */
  | { readonly type: "status"; readonly compacting: boolean }
  | { readonly type: "compacted"; readonly tokens_before: number; readonly kept_from?: string | undefined }
  | { readonly type: "task"; readonly agent_id: string; readonly tool_use_id: string }
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "keep_alive" }
  | { readonly type: "other" };

const OTHER = { type: "other" } as const;

/** The parse line: everything received becomes one of the above. */
export function readMessage(raw: unknown): VendorMessage {
  const fields = record(raw);
  switch (fields["type"]) {
    case "stream_event":
      return { type: "stream", ...whose(fields), event: readEvent(record(fields["event"])) };
    case "assistant":
      return readAssistant(fields);
    case "user":
      return readUser(fields);
    case "result":
      return readResult(fields);
    case "system":
      return readSystem(fields);
    case "keep_alive":
      return { type: "keep_alive" };
    default:
      return OTHER;
  }
}

function whose(fields: VendorFields): MessageAuthor {
  return { agent_id: text(fields["agent_id"]), parent: text(fields["parent_tool_use_id"]) };
}

function readEvent(event: VendorFields): StreamEvent {
  const index = count(event["index"]) ?? 0;
  switch (event["type"]) {
    case "message_start": {
      const message = record(event["message"]);
      return { type: "message_start", id: text(message["id"]) ?? "", usage: readTokens(record(message["usage"])) };
    }
    case "content_block_start": {
      const kind = record(event["content_block"])["type"];
      return { type: "block_start", index, kind: kind === "text" || kind === "thinking" ? kind : "other" };
    }
    case "content_block_delta": {
      const delta = record(event["delta"]);
      if (delta["type"] === "text_delta") return { type: "text", index, text: text(delta["text"]) ?? "" };
      if (delta["type"] === "thinking_delta") return { type: "thinking", index, text: text(delta["thinking"]) ?? "" };
      return OTHER;
    }
    case "message_delta":
      return {
        type: "message_delta",
        stop_reason: text(record(event["delta"])["stop_reason"]),
        usage: readTokens(record(event["usage"])),
      };
    default:
      return OTHER;
  }
}

function readTokens(usage: VendorFields): Tokens {
  return {
    input: count(usage["input_tokens"]),
    output: count(usage["output_tokens"]),
    cacheRead: count(usage["cache_read_input_tokens"]),
    cacheWrite: count(usage["cache_creation_input_tokens"]),
    reasoning: count(record(usage["output_tokens_details"])["thinking_tokens"]),
  };
}

function readAssistant(fields: VendorFields): VendorMessage {
  const message = record(fields["message"]);
  return {
    type: "assistant",
    ...whose(fields),
    uuid: text(fields["uuid"]),
    message_id: text(message["id"]) ?? "",
    blocks: list(message["content"]).flatMap(readBlock),
    synthetic: message["model"] === "<synthetic>" || fields["is_api_error_message"] === true,
    error: text(fields["error"]),
    aborted: fields["aborted"] === true,
  };
}

function readBlock(value: unknown): readonly MessageBlock[] {
  const block = record(value);
  switch (block["type"]) {
    case "text":
      return [{ type: "text", text: text(block["text"]) ?? "" }];
    case "thinking":
      return [{ type: "thinking", text: text(block["thinking"]) ?? "", signature: text(block["signature"]) }];
    case "redacted_thinking":
      return [{ type: "thinking", text: "", redacted: text(block["data"]) }];
    case "tool_use":
      return [
        {
          type: "tool_use",
          id: text(block["id"]) ?? "",
          name: text(block["name"]) ?? "",
          input: record(block["input"]),
        },
      ];
    default:
      return [];
  }
}

function readUser(fields: VendorFields): VendorMessage {
  const { content } = record(fields["message"]);
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(record);
  const outcomes = blocks.flatMap((block) => readOutcome(block));
  return {
    type: "user",
    ...whose(fields),
    uuid: text(fields["uuid"]),
    outcomes,
    structured: outcomes.length === 1 ? fields["tool_use_result"] : undefined,
    synthetic: fields["isSynthetic"] === true,
    text: blocks.flatMap((block) => (block["type"] === "text" ? [text(block["text"]) ?? ""] : [])).join("\n"),
  };
}

function readOutcome(block: VendorFields): readonly VendorToolResult[] {
  const tool_use_id = text(block["tool_use_id"]);
  if (block["type"] !== "tool_result" || tool_use_id === undefined) return [];
  const { content } = block;
  const parts = typeof content === "string" ? [{ type: "text", text: content }] : list(content).map(record);
  return [{ tool_use_id, content: parts.flatMap(readContent), is_error: block["is_error"] === true }];
}

function readContent(part: VendorFields): readonly ContentBlock[] {
  if (part["type"] === "text") return [{ type: "text", text: text(part["text"]) ?? "" }];
  if (part["type"] !== "image") return [];
  const source = record(part["source"]);
  const media_type = ImageMediaType.safeParse(source["media_type"]);
  const data = text(source["data"]);
  return media_type.success && data !== undefined ? [{ type: "image", media_type: media_type.data, data }] : [];
}

function readResult(fields: VendorFields): ResultMessage {
  const models = Object.values(record(fields["model_usage_since_last_result"])).map(record);
  const cost = models.map((model) => model["costUSD"]).filter((value) => typeof value === "number");
  const sum = (name: string): number => models.reduce((total, model) => total + (count(model[name]) ?? 0), 0);
  return {
    type: "result",
    subtype: text(fields["subtype"]) ?? "",
    is_error: fields["is_error"] === true,
    stop_reason: text(fields["stop_reason"]),
    terminal_reason: text(fields["terminal_reason"]),
    api_status: count(fields["api_error_status"]) ?? statusOfType(fields["api_error_type"]),
    text: text(fields["result"]) ?? "",
    structured: fields["structured_output"],
    rounds: count(fields["num_turns"]),
    errors: list(fields["errors"]).filter((error): error is string => typeof error === "string"),
    usage: {
      input: sum("inputTokens"),
      output: sum("outputTokens"),
      cacheRead: sum("cacheReadInputTokens"),
      cacheWrite: sum("cacheCreationInputTokens"),
      reasoning: sum("thinkingTokens"),
    },
    cost_microusd:
      models.length === 0 ? undefined : Math.round(cost.reduce((total, value) => total + value, 0) * 1_000_000),
  };
}

function readSystem(fields: VendorFields): VendorMessage {
  switch (fields["subtype"]) {
    case "init":
      return { type: "init", session_id: text(fields["session_id"]) ?? "" };
    case "api_retry":
      return {
        type: "retry",
        attempt: count(fields["attempt"]) ?? 1,
        attempts: count(fields["max_retries"]) ?? 1,
        delay_ms: count(fields["retry_delay_ms"]) ?? 0,
        status: count(fields["error_status"]),
        error: text(fields["error"]) ?? "unknown",
      };
    case "status":
      return { type: "status", compacting: fields["status"] === "compacting" };
    case "compact_boundary": {
      const metadata = record(fields["compact_metadata"]);
      return {
        type: "compacted",
        tokens_before: count(metadata["pre_tokens"]) ?? 0,
        kept_from: text(record(metadata["preserved_segment"])["head_uuid"]),
      };
    }
    case "task_started": {
      const agent_id = text(fields["task_id"]);
      const tool_use_id = text(fields["tool_use_id"]);
      return agent_id === undefined || tool_use_id === undefined ? OTHER : { type: "task", agent_id, tool_use_id };
    }
    case "informational": {
      const message = text(fields["content"]);
      return message === undefined ? OTHER : { type: "notice", message };
    }
    default:
      return OTHER;
  }
}
