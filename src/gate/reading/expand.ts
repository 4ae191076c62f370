import { resolve } from "node:path/posix";
import { LIMITS } from "../../protocol/index.ts";
import { isInside, type Folder } from "../shell/paths.ts";
import { fixedWord, type ShellWord, type WordPiece } from "../shell/words.ts";
import type { ReadableFiles } from "./files.ts";

/**
 * The words that the shell may make of a word with a pattern: the word itself, as when nothing fits, and every name that fits. Brackets
 * stand for any character, so there may be more names here than the shell finds. A text: why that is not known.
 */
export async function expanded(
  word: ShellWord,
  { cwd, workspace }: Folder,
  files: ReadableFiles,
): Promise<readonly ShellWord[] | string> {
  if (word.fixed) return [word];
  if (word.value.startsWith("-")) return `${word.text} may become another option`;
  const segments = segmentsOf(word.pieces);
  if (segments === undefined) return `${word.text} is known only at run time`;
  let found: readonly string[] = [segments[0]?.literal === "" ? "/" : ""];
  for (const [index, { literal, fits }] of segments.entries()) {
    if (index === 0 && literal === "") continue;
    const next: string[] = [];
    for (const front of found) {
      if (literal !== undefined) next.push(`${front}${literal}`);
      else {
        const folder = resolve(cwd, front);
        const real = (await files.look(folder)).real;
        if (!isInside(workspace, folder) || !isInside(workspace, real)) return `${word.text} leaves the workspace`;
        const entries = (await files.kindOf(folder)) === "folder" ? await files.entries(folder) : [];
        if (entries === undefined) return `${folder} holds too many files`;
        next.push(...entries.filter(({ name }) => fits(name)).map(({ name }) => `${front}${name}`));
      }
      if (next.length > LIMITS.readingWords) return `${word.text} stands for too many files`;
    }
    const isLast = index === segments.length - 1;
    found = isLast ? next : next.map((path) => `${path}/`);
  }
  // A file of that name would be read as an option.
  const option = found.find((path) => path.startsWith("-"));
  if (option !== undefined) return `${word.text} becomes the option ${option}`;
  return [fixedWord(word.value, word.text), ...found.map((path) => fixedWord(path))];
}

interface PatternSegment {
  /** Without a pattern in it. */
  readonly literal?: string | undefined;
  readonly fits: (name: string) => boolean;
}

/** Between slashes. Undefined: a piece is no text and no plain pattern. */
function segmentsOf(pieces: readonly WordPiece[]): readonly PatternSegment[] | undefined {
  const parts = [{ text: "", pattern: "", stars: 0, isPattern: false }];
  for (const piece of pieces) {
    if (piece.kind === "text") {
      for (const [index, text] of piece.text.split("/").entries()) {
        if (index > 0) parts.push({ text: "", pattern: "", stars: 0, isPattern: false });
        const part = parts.at(-1);
        if (part === undefined) return undefined;
        part.text += text;
        part.pattern += text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
      }
    } else if (piece.kind === "glob" && /^(?:\*+|\?|\[[^/]+\])$/.test(piece.text)) {
      const part = parts.at(-1);
      if (part === undefined) return undefined;
      // A pattern at the front fits no dot.
      if (part.pattern === "") part.pattern = String.raw`(?!\.)`;
      part.isPattern = true;
      if (!piece.text.startsWith("*")) part.pattern += "[^]{1,4}";
      else if (!part.pattern.endsWith("[^]*")) {
        part.pattern += "[^]*";
        // Each one more makes the search longer by the length of a name.
        if (++part.stars > LIMITS.readingStars) return undefined;
      }
    } else return undefined;
  }
  return parts.map(({ text, pattern, isPattern }) => {
    const expression = new RegExp(`^${pattern}$`, "u");
    return { literal: isPattern ? undefined : text, fits: (name) => expression.test(name) };
  });
}
