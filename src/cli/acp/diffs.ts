import type { Diff } from "@agentclientprotocol/sdk";
import type { FileDiff } from "../../protocol/index.ts";

const FILE = /^\+\+\+ b\/(.*)$/;
/** A length of one is omitted. */
const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/** A unified diff as separate changes, each with the text before and after, and the lines around it. */
export function diffsOf(unified: string, kind: (path: string) => "new" | "changed"): readonly Diff[] {
  const diffs: Diff[] = [];
  const lines = unified.split("\n");
  let path = "";
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? "";
    path = FILE.exec(line)?.[1] ?? path;
    const hunk = HUNK.exec(line);
    if (hunk === null) continue;
    const piece = takeHunk(lines, index + 1, { before: Number(hunk[1] ?? 1), after: Number(hunk[2] ?? 1) });
    index = piece.end - 1;
    const oldText = kind(path) === "new" ? null : piece.before.join("\n");
    diffs.push({ path, oldText, newText: piece.after.join("\n") });
  }
  return diffs;
}

/** As many lines as the hunk's header says, whatever they look like; fewer if the diff was cut off. */
function takeHunk(
  lines: readonly string[],
  start: number,
  wanted: { readonly before: number; readonly after: number },
): { readonly before: readonly string[]; readonly after: readonly string[]; readonly end: number } {
  const [before, after]: [string[], string[]] = [[], []];
  let end = start;
  for (; end < lines.length && (before.length < wanted.before || after.length < wanted.after); end += 1) {
    const line = lines[end] ?? "";
    if (!line.startsWith("+")) before.push(line.slice(1));
    if (!line.startsWith("-")) after.push(line.slice(1));
  }
  return { before, after, end };
}

/** What a question shows: the whole file before and after. */
export function wholeDiff(file: FileDiff): Diff {
  return {
    path: file.file_path,
    oldText: file.is_new_file ? null : file.original_content,
    newText: file.new_content,
  };
}
