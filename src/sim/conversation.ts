import type { Fields, SimMessage } from "./wire.ts";

/** Text that programs add to a person's words. */
const REMINDER = { start: "<system-reminder>", end: "</system-reminder>" };
/** Claude Code's own messages: that a person interrupted it, or that the answer does not have the requested form. */
const OWN_WORDS = [/^\[Request interrupted by user[^\]]*\]$/, /^\[structured-output-enforce\] /];
/** How our own loop ends an unanswered prompt; another prompt follows. */
const UNANSWERED = "[No answer";

export interface LastPrompt {
  /** The texts of the message that holds the last prompt. */
  readonly blocks: readonly string[];
  /** What came after it. */
  readonly after: readonly SimMessage[];
}

/** The last message that contains a person's words. */
export function findPrompt(messages: readonly SimMessage[]): LastPrompt {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== "user") continue;
    let blocks: string[] = [];
    for (const block of message.content) {
      if (block.type !== "text") continue;
      const text = withoutReminders(block.text).trim();
      if (text.startsWith(UNANSWERED)) blocks = [];
      else if (text !== "" && !OWN_WORDS.some((words) => words.test(text))) blocks.push(text);
    }
    if (blocks.length > 0) return { blocks, after: messages.slice(index + 1) };
  }
  return { blocks: [], after: messages };
}

function withoutReminders(text: string): string {
  let kept = "";
  let at = 0;
  for (;;) {
    const start = text.indexOf(REMINDER.start, at);
    const end = start === -1 ? -1 : text.indexOf(REMINDER.end, start);
    if (end === -1) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + REMINDER.end.length;
  }
}

export interface PastToolCall {
  readonly tool: string;
  readonly input: Fields;
  readonly text: string;
  readonly is_error: boolean;
}

/** The tool calls in a part of a conversation with their results, in order. */
export function toolOutcomes(messages: readonly SimMessage[]): readonly PastToolCall[] {
  const calls = new Map<string, { readonly tool: string; readonly input: Fields }>();
  const outcomes: PastToolCall[] = [];
  for (const message of messages) {
    for (const block of message.content) {
      if (block.type === "tool_use") calls.set(block.id, { tool: block.name, input: block.input });
      const call = block.type === "tool_result" ? calls.get(block.tool_use_id) : undefined;
      if (call !== undefined && block.type === "tool_result")
        outcomes.push({ ...call, text: block.text, is_error: block.is_error });
    }
  }
  return outcomes;
}
