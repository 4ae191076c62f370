/** Lines of a prompt shown before somebody asks for all. */
const LINES = 12;
/** A line that wraps often counts for many. */
const CHARS = 1_200;
/** It is not worth a button to hide less. */
const SLACK = 1.25;

/** The part of a long prompt that is shown at first; absent: it is short. */
export function beginningOf(text: string): string | undefined {
  const lines = text.split("\n", Math.ceil(LINES * SLACK) + 1);
  if (lines.length <= LINES * SLACK && text.length <= CHARS * SLACK) return undefined;
  return lines.slice(0, LINES).join("\n").slice(0, CHARS).trimEnd();
}
