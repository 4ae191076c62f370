import { isText, type Column, type TextColumn } from "../../data/column.ts";
import { shownAt } from "../../data/display.ts";
import { textAt } from "../../data/format.ts";
import type { ActiveCell } from "../keys.ts";
import type { ShownRows } from "../order/shown-rows.ts";
import { GRID_LIMITS } from "../sizes.ts";

export interface FoundCells {
  /** Ordered by row, then from left to right. */
  readonly cells: readonly ActiveCell[];
  /** There are more matches than were counted. */
  readonly isCut: boolean;
}

/** Whether a cell contains the text, ignoring case, as shown or as stored. */
export type CellTest = (row: number) => boolean;

/** One for each column. */
export function cellTests(columns: readonly Column[], text: string): readonly CellTest[] {
  const wanted = text.toLowerCase();
  return columns.map((column) =>
    isText(column) && column.format === undefined ? textTest(column, wanted) : plainTest(column, wanted),
  );
}

/** Each different text is looked at once. */
function textTest({ codes, categories }: TextColumn, wanted: string): CellTest {
  const known = new Uint8Array(categories.length);
  return (row) => {
    const code = codes[row] ?? -1;
    if (code < 0) return false;
    if (known[code] === 0) known[code] = (categories[code] ?? "").toLowerCase().includes(wanted) ? 2 : 1;
    return known[code] === 2;
  };
}

function plainTest(column: Column, wanted: string): CellTest {
  const has = (text: string): boolean => text !== "" && text.toLowerCase().includes(wanted);
  if (column.format === undefined) return (row) => has(textAt(column, row));
  return (row) => has(textAt(column, row)) || has(shownAt(column, row));
}

/** Searches the shown rows. Pauses after each slice, so that the page stays responsive. */
export function* searchCells(shown: ShownRows, tests: readonly CellTest[]): Generator<FoundCells, FoundCells> {
  const cells: ActiveCell[] = [];
  const slice = Math.max(1, Math.floor(GRID_LIMITS.searchedCells / Math.max(1, tests.length)));
  for (let position = 0; position < shown.count; position += 1) {
    const row = shown.at(position);
    for (const [place, test] of tests.entries()) {
      if (!test(row)) continue;
      if (cells.length === GRID_LIMITS.foundCells) return { cells, isCut: true };
      cells.push({ position, place });
    }
    if ((position + 1) % slice === 0) yield { cells, isCut: false };
  }
  return { cells, isCut: false };
}

/** The index of the next match after a cell, or before it; the first follows the last. -1: there is none. */
export function nextFound(cells: readonly ActiveCell[], from: ActiveCell, direction: "forward" | "back"): number {
  const after = ({ position, place }: ActiveCell): boolean =>
    position > from.position || (position === from.position && place > from.place);
  const before = ({ position, place }: ActiveCell): boolean =>
    position < from.position || (position === from.position && place < from.place);
  if (direction === "back") return cells.findLastIndex(before) >= 0 ? cells.findLastIndex(before) : cells.length - 1;
  const next = cells.findIndex(after);
  return next >= 0 ? next : cells.length === 0 ? -1 : 0;
}
