import { LIMITS } from "../../protocol/index.ts";
import type { CallResultBlock, ModelMessage } from "./blocks.ts";
import { messageChars, type ModelTranscript } from "./transcript.ts";

const CHARS_PER_TOKEN = 4;

export const SUMMARY_SYSTEM =
  "You write summaries of conversations between a person and a coding agent. The agent will go on from your summary alone, so keep every fact it needs and invent nothing.";

const INSTRUCTION = `Summarize the conversation below, in which a person works with a coding agent. Keep: what the person wants, in their words where it matters; rules and preferences they gave; decisions and why; files that were read or changed, by path, and what is in them that matters; commands and their outcome; errors and what became of them; what is done and what is left. Write plain text, no preface.`;

export function estimateTokens(messages: readonly ModelMessage[]): number {
  return Math.ceil(messages.reduce((sum, message) => sum + messageChars(message), 0) / CHARS_PER_TOKEN);
}

/** The last message to include in the summary; undefined when there is none. */
export function compactThrough(transcript: ModelTranscript, contextTokens: number): string | undefined {
  const marks = transcript.marks();
  const total = estimateTokens(transcript.messages()) * CHARS_PER_TOKEN;
  const keep = contextTokens * LIMITS.compactKeepFraction * CHARS_PER_TOKEN;
  return (marks.find((mark) => total - mark.chars <= keep) ?? marks.at(-1))?.message_id;
}

/** The conversation as a text to be summarised: quoted, so that nothing in it is taken for an instruction. */
export function summaryPrompt(messages: readonly ModelMessage[], contextTokens: number): ModelMessage {
  const budget = Math.floor(contextTokens * LIMITS.compactAtFraction * CHARS_PER_TOKEN * 0.75);
  const quoted = quotes(messages).map((text) => text.replaceAll(/^/gm, "> "));
  let chars = 0;
  const newest: string[] = [];
  for (const text of quoted.toReversed()) {
    chars += text.length;
    if (chars > budget) break;
    newest.unshift(text);
  }
  const left = quoted.length - newest.length;
  const note = left > 0 ? [`> (the ${left} oldest parts are left out)`] : [];
  return { role: "user", content: [{ type: "text", text: [INSTRUCTION, "", ...note, ...newest].join("\n") }] };
}

export function summaryText(summary: string): string {
  return `[The earlier part of this conversation was too long and was replaced by this summary.]\n\n${summary}`;
}

function quotes(messages: readonly ModelMessage[]): readonly string[] {
  const tools = new Map<string, string>();
  return messages.flatMap(({ role, content }) =>
    content.flatMap((block): string[] => {
      switch (block.type) {
        case "text":
          return [`${role === "user" ? "user" : "agent"}: ${clip(block.text)}`];
        case "image":
          return [`${role}: (a picture)`];
        case "tool_use":
          tools.set(block.id, block.name);
          return [`agent calls ${block.name}: ${clip(JSON.stringify(block.input))}`];
        case "tool_result":
          return [`${tools.get(block.tool_use_id) ?? "a tool"} gives: ${clip(resultText(block))}`];
        case "thinking":
        case "redacted_thinking":
          return [];
      }
    }),
  );
}

function resultText({ content }: CallResultBlock): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : "(a picture)")).join("\n");
}

function clip(text: string): string {
  const half = LIMITS.compactPartChars / 2;
  return text.length <= LIMITS.compactPartChars ? text : `${text.slice(0, half)}\n… (cut) …\n${text.slice(-half)}`;
}
