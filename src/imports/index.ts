import { LIMITS } from "../protocol/index.ts";
import { isClaudeCode, readClaudeCode } from "./claude-code.ts";
import { isCodex, readCodex } from "./codex.ts";
import type { FoundConversation } from "./record.ts";

export type { FoundConversation } from "./record.ts";

const READERS = [
  { isOurs: isClaudeCode, read: readClaudeCode },
  { isOurs: isCodex, read: readCodex },
];

/**
 * The conversation in a record of Claude Code or Codex, JSON Lines. Undefined: it is no such record, or nobody prompted in it. A line that
 * cannot be read is left out, and said.
 */
export function readRecord(text: string): FoundConversation | undefined {
  const lines: unknown[] = [];
  let broken = 0;
  const all = text.split("\n").filter((line) => line.trim() !== "");
  for (const line of all.slice(0, LIMITS.importLines)) {
    try {
      lines.push(JSON.parse(line));
    } catch {
      broken += 1;
    }
  }
  const reader = READERS.find(({ isOurs }) => lines.some(isOurs));
  const found = reader?.read(lines);
  if (found === undefined) return undefined;
  const beyond = all.length - LIMITS.importLines;
  return {
    ...found,
    left_out: [
      ...found.left_out,
      ...(broken === 0 ? [] : [`${broken} lines that are no JSON`]),
      ...(beyond <= 0 ? [] : [`the last ${beyond} lines: the record is too long`]),
    ],
  };
}
