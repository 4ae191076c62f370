import type { ModelBody, SessionSettings, Usage } from "../../../protocol/index.ts";
import type { ToolDefinition } from "../../../tools/toolbox.ts";
import type { ModelMessage } from "../blocks.ts";

/** What a model is asked, the same for every API. */
export interface ModelPrompt {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolDefinition[];
  readonly settings: Pick<SessionSettings, "max_tokens" | "thinking_tokens">;
}

/** The same for one model. */
export interface WirePrompt extends ModelPrompt {
  readonly model: string;
  /** Whose thoughts go back: see `originOf`. Absent: those of the Messages API. */
  readonly origin?: string | undefined;
  /** The most tokens that an answer can have. Absent: unknown. */
  readonly outputTokens?: number | undefined;
  /** The same for all requests of a conversation, so that the provider finds its cache. Absent: none. */
  readonly cacheKey?: string | undefined;
}

/** One API of models: how it is asked, and how its answer is read. */
export interface ModelWire {
  /** Below `/v1/`. */
  readonly path: string;
  /** Without those that all requests have. */
  headers(key: string): Readonly<Record<string, string>>;
  /** A streaming request. */
  body(prompt: WirePrompt): ModelBody;
  /** For one answer to a request with these tools. */
  reader(tools: readonly ToolDefinition[]): StreamReader;
}

/** Reads the events of one answer, in order. Unknown events are passed over. */
export interface StreamReader {
  /** Throws `StreamFailure` where an event lacks what it must have. */
  read(event: WireFields): readonly MessagePart[];
  /** The stream ended without its last event: what is whole all the same. */
  end(): readonly MessagePart[];
}

export type WireFields = Readonly<Record<string, unknown>>;

/** What the loop looks at in a streamed message. `id` names the block. */
export type MessagePart =
  | { readonly type: "text"; readonly id: string; readonly text: string }
  | {
      readonly type: "thought";
      readonly id: string;
      readonly text: string;
      readonly signature?: string;
      readonly redacted?: string;
    }
  | { readonly type: "end"; readonly id: string }
  /** `input` is JSON, or what came of it. */
  | { readonly type: "call"; readonly tool_use_id: string; readonly tool: string; readonly input: string }
  | { readonly type: "error"; readonly error: unknown }
  | Finish;

/** The message is whole. */
export interface Finish {
  readonly type: "finish";
  /** By Anthropic's names, where there is one for it. Absent: the provider gave none. */
  readonly stop_reason: string | undefined;
  readonly usage: Usage;
}
