import type { ColouredLine, ColouredText } from "../../code/highlighter.ts";
import { wordMarks, type LineSpan } from "./marks.ts";
import type { Patch, PatchLine } from "./patch.ts";

export type DiffLayout = "split" | "unified";

/** A piece of a line in one look. */
export interface LinePart extends ColouredText {
  /** It differs from the line that this one replaces. */
  readonly marked?: true;
}

export interface DiffCell {
  readonly kind: "context" | "added" | "removed";
  readonly old?: number;
  readonly new?: number;
  /** The line's place in the patch. */
  readonly line: number;
  readonly parts: readonly LinePart[];
  /** Characters that are left out; absent: none. */
  readonly more?: number;
}

export type DiffLineRow =
  | { readonly type: "line"; readonly cell: DiffCell }
  | { readonly type: "pair"; readonly left?: DiffCell; readonly right?: DiffCell }
  | { readonly type: "hunk" | "note"; readonly text: string };

/** Characters of a line shown at first. */
export const SHOWN_CHARS = 2_000;

export interface RowsWanted {
  readonly layout: DiffLayout;
  readonly from: number;
  /** Not included. */
  readonly to: number;
  /** Lines with more than the usual characters shown: index → characters. */
  readonly long: ReadonlyMap<number, number>;
}

export function countRows(patch: Patch, layout: DiffLayout): number {
  return layout === "split" ? patch.pairs.length : patch.lines.length;
}

/** Rows as they are drawn. `coloursOf` a line on its old or new side: undefined while they are not known. */
export function rowsOf(
  patch: Patch,
  { layout, from, to, long }: RowsWanted,
  coloursOf: (line: number, side: "old" | "new") => ColouredLine | undefined,
): readonly DiffLineRow[] {
  const cell = (place: number, side: "old" | "new"): DiffCell | undefined => {
    const line = patch.lines[place];
    if (line === undefined || line.kind === "hunk" || line.kind === "note") return undefined;
    return cellOf(patch, place, { line, shown: long.get(place) ?? SHOWN_CHARS, colours: coloursOf(place, side) });
  };
  const whole = (place: number): DiffLineRow | undefined => {
    const line = patch.lines[place];
    return line?.kind === "hunk" || line?.kind === "note" ? { type: line.kind, text: line.text } : undefined;
  };
  if (layout === "unified") {
    return patch.lines.slice(from, to).flatMap((line, index): readonly DiffLineRow[] => {
      const found = cell(from + index, line.kind === "removed" ? "old" : "new");
      const row = found === undefined ? whole(from + index) : ({ type: "line", cell: found } as const);
      return row === undefined ? [] : [row];
    });
  }
  return patch.pairs.slice(from, to).flatMap((pair): readonly DiffLineRow[] => {
    const row = pair.whole && pair.left !== undefined ? whole(pair.left) : undefined;
    if (row !== undefined) return [row];
    const left = pair.left === undefined ? undefined : cell(pair.left, "old");
    const right = pair.right === undefined ? undefined : cell(pair.right, "new");
    return [{ type: "pair", ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) }];
  });
}

function cellOf(
  patch: Patch,
  place: number,
  { line, shown, colours }: { line: PatchLine; shown: number; colours: ColouredLine | undefined },
): DiffCell {
  const text = line.text.slice(0, shown);
  const partner = patch.partners.get(place);
  const other = partner === undefined ? undefined : patch.lines[partner];
  const marks =
    other === undefined
      ? undefined
      : line.kind === "removed"
        ? wordMarks(line.text, other.text)?.before
        : wordMarks(other.text, line.text)?.after;
  return {
    kind: line.kind === "added" || line.kind === "removed" ? line.kind : "context",
    ...(line.old === undefined ? {} : { old: line.old }),
    ...(line.new === undefined ? {} : { new: line.new }),
    line: place,
    parts: partsOf(text, colours, marks ?? []),
    ...(line.text.length > shown ? { more: line.text.length - shown } : {}),
  };
}

/** Cuts a line where its colour or its mark changes. ColouredLine of another text are not used. */
export function partsOf(
  text: string,
  colours: ColouredLine | undefined,
  marks: readonly LineSpan[],
): readonly LinePart[] {
  const runs = runsOf(text, colours);
  const parts: LinePart[] = [];
  let at = 0;
  for (const run of runs) {
    const end = Math.min(at + run.text.length, text.length);
    while (at < end) {
      const mark = marks.find(([, to]) => to > at);
      const marked = mark !== undefined && mark[0] <= at;
      const stop = Math.min(end, mark === undefined ? end : marked ? mark[1] : mark[0]);
      parts.push({ ...run, text: text.slice(at, stop), ...(marked ? { marked: true } : {}) });
      at = stop;
    }
  }
  return parts;
}

function runsOf(text: string, colours: ColouredLine | undefined): ColouredLine {
  const coloured = colours?.map((part) => part.text).join("") ?? "";
  if (colours === undefined || coloured === "") return [{ text }];
  if (coloured.startsWith(text)) return colours;
  // A carriage return at the end of the line is not coloured.
  return text.startsWith(coloured) ? [...colours, { text: text.slice(coloured.length) }] : [{ text }];
}
