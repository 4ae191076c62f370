/** One change of a text. */
export interface Replacement {
  readonly old_string: string;
  readonly new_string: string;
  readonly replace_all: boolean;
}

export type ReplacedText =
  | { readonly text: string; readonly occurrences: number }
  | { readonly problem: "same" | "empty" | "missing" }
  | { readonly problem: "ambiguous"; readonly occurrences: number };

/**
 * Replaces exact text. Models write lines that end in `\n` only. If the file has `\r\n`, the search ignores the
 * difference, new lines get the local line ending, and every other byte stays the same.
 */
export function replaceText(raw: string, change: Replacement): ReplacedText {
  if (change.old_string === change.new_string) return { problem: "same" };
  if (change.old_string === "") return { problem: "empty" };
  const windows = raw.includes("\r\n");
  const plain = windows ? withoutCarriageReturns(raw) : { text: raw, dropped: [] };
  // Text with `\r\n` may still mean a plain newline left in the file.
  const spellings = windows ? [change.old_string, change.old_string.replaceAll("\r\n", "\n")] : [change.old_string];
  const wanted = spellings.find((spelling) => plain.text.includes(spelling)) ?? change.old_string;
  const places = occurrencesOf(plain.text, wanted);
  if (places.length === 0) return { problem: "missing" };
  if (places.length > 1 && !change.replace_all) return { problem: "ambiguous", occurrences: places.length };
  const pieces: string[] = [];
  let done = 0;
  for (const place of places) {
    const start = place + droppedBefore(plain.dropped, place);
    const end = place + wanted.length + droppedBefore(plain.dropped, place + wanted.length);
    pieces.push(raw.slice(done, start), windows ? withEndings(change.new_string, raw, start) : change.new_string);
    done = end;
  }
  pieces.push(raw.slice(done));
  return { text: pieces.join(""), occurrences: places.length };
}

/** Where `wanted` begins in `text`, without overlaps. */
function occurrencesOf(text: string, wanted: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) places.push(at);
  return places;
}

/** `dropped`: the positions in the new text of each newline whose `\r` was removed; ascending. */
function withoutCarriageReturns(raw: string): { readonly text: string; readonly dropped: readonly number[] } {
  const dropped: number[] = [];
  for (let at = raw.indexOf("\r\n"); at !== -1; at = raw.indexOf("\r\n", at + 2)) dropped.push(at - dropped.length);
  return { text: raw.replaceAll("\r\n", "\n"), dropped };
}

/** How many `\r` were removed before this position of the new text; one exactly at it belongs to what follows. */
function droppedBefore(dropped: readonly number[], place: number): number {
  let low = 0;
  let high = dropped.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((dropped[middle] ?? Infinity) < place) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The new text with the ending of the line it begins in; in a last line without one, of the line before. */
function withEndings(text: string, raw: string, start: number): string {
  const plain = text.replaceAll("\r\n", "\n");
  const following = raw.indexOf("\n", start);
  const newline = following === -1 ? raw.lastIndexOf("\n") : following;
  return raw[newline - 1] === "\r" ? plain.replaceAll("\n", "\r\n") : plain;
}
