// The conversation in the Messages API's own blocks: what is kept is what is sent there. Other APIs get them translated.

interface TextBlock {
  readonly type: "text";
  readonly text: string;
}

interface PictureBlock {
  readonly type: "image";
  readonly source: { readonly type: "base64"; readonly media_type: string; readonly data: string };
}

type ThinkingBlock =
  | {
      readonly type: "thinking";
      readonly thinking: string;
      readonly signature: string;
      /** As the item has it. Absent: the Messages API made it. */
      readonly origin?: string;
    }
  | { readonly type: "redacted_thinking"; readonly data: string };

interface CallBlock {
  readonly type: "tool_use";
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface CallResultBlock {
  readonly type: "tool_result";
  readonly tool_use_id: string;
  readonly content: string | readonly SayableBlock[];
  /** Absent: it is none. */
  readonly is_error?: true;
}

/** What a person can say, and what a tool can answer. */
export type SayableBlock = TextBlock | PictureBlock;
export type AnswerBlock = TextBlock | ThinkingBlock | CallBlock;

export type ModelMessage =
  | { readonly role: "user"; readonly content: readonly (SayableBlock | CallResultBlock)[] }
  | { readonly role: "assistant"; readonly content: readonly AnswerBlock[] };

/** The message without what the model thought. */
export function thoughtless(message: ModelMessage): ModelMessage {
  if (message.role === "user") return message;
  const content = message.content.filter(({ type }) => type !== "thinking" && type !== "redacted_thinking");
  return { role: "assistant", content };
}

export function pictureBlock(media_type: string, data: string): PictureBlock {
  return { type: "image", source: { type: "base64", media_type, data } };
}
