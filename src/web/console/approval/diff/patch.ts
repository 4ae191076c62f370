/** One line of a unified diff. Numbers count from 1; a side that the line is not on has none. */
export interface PatchLine {
  readonly kind: "context" | "added" | "removed" | "hunk" | "note";
  readonly text: string;
  readonly old?: number;
  readonly new?: number;
}

/** Lines that are side by side, as indexes into the list of lines. A hunk's header and a note fill the row: `left` alone, `whole`. */
interface LinePair {
  readonly left?: number;
  readonly right?: number;
  readonly whole?: true;
}

export interface Patch {
  readonly lines: readonly PatchLine[];
  readonly pairs: readonly LinePair[];
  /** For a changed line the index of its counterpart. */
  readonly partners: ReadonlyMap<number, number>;
  readonly added: number;
  readonly removed: number;
  /** There were more lines than shown. */
  readonly cut: boolean;
}

/** More rows than this are taller than a browser can scroll. */
const MAX_LINES = 1_000_000;
const HUNK = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/;

/** Parses a unified diff of one file. The header before the first hunk is not shown. */
export function readPatch(patch: string): Patch {
  const lines = readLines(patch);
  const cut = lines.length >= MAX_LINES;
  const { pairs, partners } = pairUp(lines);
  return {
    lines,
    pairs,
    partners,
    added: lines.filter(({ kind }) => kind === "added").length,
    removed: lines.filter(({ kind }) => kind === "removed").length,
    cut,
  };
}

function readLines(patch: string): readonly PatchLine[] {
  const lines: PatchLine[] = [];
  let old = 0;
  let next = 0;
  let inside = false;
  let start = 0;
  while (start < patch.length && lines.length < MAX_LINES) {
    const end = patch.indexOf("\n", start);
    const raw = patch.slice(start, end === -1 ? undefined : end);
    start = end === -1 ? patch.length : end + 1;
    const head = HUNK.exec(raw);
    if (head !== null) {
      inside = true;
      old = Number(head[1]);
      next = Number(head[2]);
      lines.push({ kind: "hunk", text: raw });
    } else if (inside) {
      const text = raw.slice(1);
      if (raw.startsWith("+")) lines.push({ kind: "added", text, new: next++ });
      else if (raw.startsWith("-")) lines.push({ kind: "removed", text, old: old++ });
      else if (raw.startsWith("\\")) lines.push({ kind: "note", text: text.trim() });
      else lines.push({ kind: "context", text, old: old++, new: next++ });
    }
  }
  return lines;
}

/** Removed lines and the added ones after them are paired in order. */
function pairUp(lines: readonly PatchLine[]): Pick<Patch, "pairs" | "partners"> {
  const pairs: LinePair[] = [];
  const partners = new Map<number, number>();
  let removed: number[] = [];
  let added: number[] = [];
  let notes: number[] = [];
  const flush = (): void => {
    const rows = Math.max(removed.length, added.length);
    for (let row = 0; row < rows; row += 1) {
      const left = removed[row];
      const right = added[row];
      pairs.push({ ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) });
      if (left !== undefined && right !== undefined) partners.set(left, right).set(right, left);
    }
    for (const note of notes) pairs.push({ left: note, whole: true });
    removed = [];
    added = [];
    notes = [];
  };
  for (const [place, { kind }] of lines.entries()) {
    switch (kind) {
      case "removed":
        if (added.length > 0) flush();
        removed.push(place);
        break;
      case "added":
        added.push(place);
        break;
      case "context":
        flush();
        pairs.push({ left: place, right: place });
        break;
      case "hunk":
        flush();
        pairs.push({ left: place, whole: true });
        break;
      case "note":
        // It follows the lines that it is about; after removed ones their pairs are still to come.
        notes.push(place);
        if (removed.length === 0 || added.length > 0) flush();
    }
  }
  flush();
  return { pairs, partners };
}
