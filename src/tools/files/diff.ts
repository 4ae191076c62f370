import { createHash } from "node:crypto";
import { structuredPatch } from "diff";
import { LIMITS } from "../../protocol/index.ts";
import { countLines } from "./content.ts";

const CONTEXT_LINES = 3;

export interface UnifiedDiff {
  /** Empty when nothing changes. */
  readonly text: string;
  readonly added: number;
  readonly removed: number;
  /** Why `text` is not the whole diff; absent when it is. */
  readonly note?: string;
}

interface TextChange {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** How many diffs share the time limit of one. */
  readonly of?: number;
}

interface Hunk {
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
  readonly lines: readonly string[];
}

/**
 * Unified diff with three lines of context and headers without times. Ranges are written as in Python's difflib: a length of
 * one is omitted, an empty range starts one line before. A missing last newline is not marked.
 */
export function unifiedDiff(change: TextChange): UnifiedDiff {
  const { path, before, after } = change;
  if (before === after) return { text: "", added: 0, removed: 0 };
  const hunks = hunksBetween(change);
  const lines = [`--- a/${path}`, `+++ b/${path}`];
  let added = 0;
  let removed = 0;
  for (const hunk of hunks) {
    lines.push(`@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith("\\")) continue;
      if (line.startsWith("+")) added += 1;
      if (line.startsWith("-")) removed += 1;
      lines.push(line);
    }
  }
  const text = lines.join("\n");
  if (text.length <= LIMITS.diffChars) return { text, added, removed };
  const note = `the diff has ${text.length} characters; the first ${LIMITS.diffChars} are shown`;
  return { text: text.slice(0, LIMITS.diffChars), added, removed, note };
}

function hunksBetween({ before, after, of = 1 }: Omit<TextChange, "path">): readonly Hunk[] {
  const patch = structuredPatch("", "", before, after, "", "", {
    context: CONTEXT_LINES,
    timeout: Math.ceil(LIMITS.diffTimeoutMs / of),
  });
  return patch?.hunks ?? [wholeHunk(before, after)];
}

/** A part of a diff that can be chosen alone. */
export interface DiffHunk {
  /** Made of its place and its lines: the same only for the same change. */
  readonly id: string;
  /** The first line on each side, counted from 1, and how many there are. */
  readonly oldStart: number;
  readonly oldLines: number;
  readonly newStart: number;
  readonly newLines: number;
}

/** The parts of a diff, in the order in which `unifiedDiff` shows them. */
export function diffHunks(before: string, after: string): readonly DiffHunk[] {
  if (before === after) return [];
  return hunksBetween({ before, after }).map(({ lines, ...range }) => {
    const { oldStart, oldLines, newStart, newLines } = range;
    const place = [oldStart, oldLines, newStart, newLines];
    const id = createHash("sha256")
      .update(JSON.stringify([place, lines]))
      .digest("hex")
      .slice(0, 16);
    return { id, oldStart, oldLines, newStart, newLines };
  });
}

/** The old text with these parts of the change made, and no others. Undefined: one of them is no part of it. */
export function withHunks(
  { before, after }: { readonly before: string; readonly after: string },
  chosen: ReadonlySet<string>,
): string | undefined {
  const hunks = diffHunks(before, after);
  const known = new Set(hunks.map(({ id }) => id));
  if ([...chosen].some((id) => !known.has(id))) return undefined;
  const [old, now] = [splitLines(before), splitLines(after)];
  const lines: string[] = [];
  let at = 0;
  for (const { id, oldStart, oldLines, newStart, newLines } of hunks) {
    lines.push(...old.slice(at, oldStart - 1));
    at = oldStart - 1 + oldLines;
    const part = chosen.has(id) ? now.slice(newStart - 1, newStart - 1 + newLines) : old.slice(oldStart - 1, at);
    lines.push(...part);
  }
  return [...lines, ...old.slice(at)].join("");
}

function range(start: number, length: number): string {
  if (length === 1) return String(start);
  return length === 0 ? `${start - 1},0` : `${start},${length}`;
}

/** When finding the smallest diff takes too long: all lines between the first and the last changed one, old then new. */
function wholeHunk(before: string, after: string): Hunk {
  const old = splitLines(before);
  const now = splitLines(after);
  const shorter = Math.min(old.length, now.length);
  let head = 0;
  while (head < shorter && old[head] === now[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail += 1;
  const from = Math.max(0, head - CONTEXT_LINES);
  const after3 = Math.min(tail, CONTEXT_LINES);
  const bare = (line: string): string => line.replace(/\n$/, "");
  return {
    oldStart: from + 1,
    oldLines: old.length - tail + after3 - from,
    newStart: from + 1,
    newLines: now.length - tail + after3 - from,
    lines: [
      ...old.slice(from, head).map((line) => ` ${bare(line)}`),
      ...old.slice(head, old.length - tail).map((line) => `-${bare(line)}`),
      ...now.slice(head, now.length - tail).map((line) => `+${bare(line)}`),
      ...old.slice(old.length - tail, old.length - tail + after3).map((line) => ` ${bare(line)}`),
    ],
  };
}

/** Lines with their newlines, so that a last line without one differs from the same line with it. */
function splitLines(text: string): readonly string[] {
  const count = countLines(text);
  return text.split(/(?<=\n)/, count);
}
