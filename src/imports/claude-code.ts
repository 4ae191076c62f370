import { z } from "zod";
import { TurnCollector, type FoundConversation } from "./record.ts";

const Block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  thinking: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().optional(),
});
type Block = z.infer<typeof Block>;

/** One line of `~/.claude/projects/<folder>/<session>.jsonl` that is part of the conversation. */
const ClaudeLine = z.looseObject({
  type: z.enum(["user", "assistant"]),
  message: z.looseObject({ content: z.union([z.string(), z.array(Block)]) }),
  sessionId: z.string().optional(),
  cwd: z.string().optional(),
  timestamp: z.string().optional(),
  /** A sub-agent's own conversation. Its result is in the call that started it. */
  isSidechain: z.boolean().optional(),
  /** Words of the program itself, not of the person. */
  isMeta: z.boolean().optional(),
});
type ClaudeLine = z.infer<typeof ClaudeLine>;

export function isClaudeCode(line: unknown): boolean {
  return ClaudeLine.safeParse(line).success;
}

/** Claude Code's record of a session. Lines of other kinds say nothing about the conversation. */
export function readClaudeCode(lines: Iterable<unknown>): FoundConversation | undefined {
  const turns = new TurnCollector();
  const about: { source_id?: string | undefined; workspace?: string | undefined } = {};
  for (const value of lines) {
    const { data } = ClaudeLine.safeParse(value);
    if (data === undefined || data.isSidechain === true) continue;
    about.source_id ??= data.sessionId;
    about.workspace ??= data.cwd;
    if (data.type === "assistant") answered(turns, data);
    else if (data.isMeta !== true) asked(turns, data);
  }
  return turns.end("claude-code", about);
}

function asked(turns: TurnCollector, { message, timestamp }: ClaudeLine): void {
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  for (const { type, tool_use_id, content: output, is_error } of blocks)
    if (type === "tool_result" && tool_use_id !== undefined) turns.output(tool_use_id, textOf(output), { is_error });
  const text = blocks
    .flatMap((block) => (block.type === "text" && block.text !== undefined ? [typed(block.text)] : []))
    .join("\n");
  turns.prompt(text, timestamp);
}

/** A slash command stands in tags of the program; what it printed is no prompt. */
function typed(text: string): string {
  const command = between(text, "command-name")?.trim();
  if (command === undefined || !/^\S+$/.test(command)) return /^\s*<(?:local-command-|bash-)/.test(text) ? "" : text;
  const words = between(text, "command-args") ?? "";
  return `${command.startsWith("/") ? command : `/${command}`} ${words}`.trim();
}

/** What stands in the first such tag. Undefined: there is none. */
function between(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  if (start < 0) return undefined;
  const from = start + tag.length + 2;
  const end = text.indexOf(`</${tag}>`, from);
  return end < 0 ? undefined : text.slice(from, end);
}

function answered(turns: TurnCollector, { message }: ClaudeLine): void {
  const { content } = message;
  for (const block of typeof content === "string" ? [{ type: "text", text: content } satisfies Block] : content)
    answeredBlock(turns, block);
}

function answeredBlock(turns: TurnCollector, { type, text, thinking, id, name, input }: Block): void {
  if (type === "text" && text !== undefined) turns.text("message", text);
  else if (type === "thinking" && thinking !== undefined) turns.text("thought", thinking);
  else if (type === "tool_use" && id !== undefined && name !== undefined) turns.call(id, name, input ?? {});
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = z.array(Block).safeParse(content);
  if (!blocks.success) return "";
  return blocks.data.map(({ type, text }) => text ?? `[${type}]`).join("\n");
}
