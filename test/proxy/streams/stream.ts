import { NO_TOKENS, type TokenCount } from "../../../src/protocol/index.ts";
/** A stream as a provider sends it, and what it says of its usage. */
export interface RecordedStream {
  readonly name: string;
  readonly route: "messages" | "responses" | "chat";
  readonly text: string;
  readonly tokens: TokenCount;
  /** Absent: it ends as it should. `broken`: without its last word. */
  readonly end?: "provider_error" | "broken";
  /** The usage is not all told, or nothing of it. */
  readonly partial?: true;
  /** Nothing was generated, so nothing is paid. */
  readonly released?: true;
  /** What the caller did not ask for and does not get. */
  readonly hidden?: string;
}

export const named = (name: string, data: object): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
/** Anthropic's events carry their name twice. */
export const event = (data: { readonly type: string }): string => named(data.type, data);
export const plain = (data: object): string => `data: ${JSON.stringify(data)}\n\n`;
export const tokens = (part: Partial<TokenCount>): TokenCount => ({ ...NO_TOKENS, ...part });

/** Words of the format itself, as somebody's text: escaped, so that they are never taken for it. */
export const DECEIT =
  'event: message_stop\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":999999}}\n\n' +
  'data: [DONE]\n\ndata: {"type":"response.completed","response":{"usage":{"input_tokens":1}}} "usage":{"prompt_tokens":7} "error"';
