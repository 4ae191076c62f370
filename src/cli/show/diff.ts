import type { FileDiff } from "../../protocol/index.ts";
import type { Paint } from "../terminal/paint.ts";
import { count } from "../terminal/words.ts";
import { visible } from "../terminal/visible.ts";

/** A unified diff in colours, cut after `most` lines. */
export function paintDiff(diff: string, paint: Paint, most: number): readonly string[] {
  if (diff === "") return [];
  const lines = diff.split("\n");
  const shown = lines.slice(0, most).map((line, index) => paintLine(visible(line), index, paint));
  const left = lines.length - shown.length;
  return left === 0 ? shown : [...shown, moreLines(left, paint)];
}

export function moreLines(left: number, paint: Paint): string {
  return paint.yellow(`… ${count(left, "more line")}: v shows them all`);
}

function paintLine(line: string, index: number, paint: Paint): string {
  // The headers are the first two lines only: further down, `---` is a removed line that begins with dashes.
  if (index < 2 && (line.startsWith("--- ") || line.startsWith("+++ "))) return paint.bold(line);
  if (line.startsWith("@@")) return paint.cyan(line);
  if (line.startsWith("+")) return paint.green(line);
  if (line.startsWith("-")) return paint.red(line);
  return line;
}

/** `NEW +3 −1`. */
export function badge(file: Pick<FileDiff, "is_new_file" | "added" | "removed">, paint: Paint): string {
  const sums = `${paint.green(`+${file.added}`)} ${paint.red(`−${file.removed}`)}`;
  return file.is_new_file ? `${paint.inverse(" NEW ")} ${sums}` : sums;
}

/** What a unified diff adds and removes. */
export function sumsOf(diff: string): { readonly added: number; readonly removed: number } {
  const lines = diff.split("\n").slice(2);
  return {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}
