import { isNumeric, type Column } from "../data/column.ts";
import { shownAt } from "../data/display.ts";
import type { GridLook } from "./look.ts";
import { GRID_LIMITS, SIZES, type Letters } from "./sizes.ts";
import { tintOf, type CellTint } from "./tint.ts";

export interface PlacedColumn {
  readonly column: Column;
  /** Among all that are shown, the pinned ones first. */
  readonly place: number;
  /** Of a pinned column from the left edge of the grid, of the others from the edge behind the pinned ones. */
  readonly left: number;
  readonly width: number;
  readonly pinned: boolean;
  /** Absent: its cells have no colours. */
  readonly tint: CellTint | undefined;
  /** Numbers and dates stand at the right. */
  readonly atRight: boolean;
}

/** The place of each column. */
export interface ColumnPlan {
  readonly all: readonly PlacedColumn[];
  readonly pinned: readonly PlacedColumn[];
  readonly free: readonly PlacedColumn[];
  /** The row numbers and the pinned columns. */
  readonly pinnedWidth: number;
  readonly freeWidth: number;
  readonly numberWidth: number;
}

/** Free columns from `first` up to, without, `end`. */
export interface ColumnWindow {
  readonly first: number;
  readonly end: number;
}

export function planColumns(
  columns: readonly Column[],
  look: Pick<GridLook, "widths" | "hidden" | "pinned" | "coloured">,
  options: {
    readonly rowCount: number;
    /** Of a digit. */
    readonly digit: number;
    readonly autoWidth: (column: Column) => number;
  },
): ColumnPlan {
  const shown = columns.filter(({ name }) => !look.hidden.includes(name));
  const named = (name: string): readonly Column[] => shown.filter((column) => column.name === name);
  const pinnedColumns = look.pinned.flatMap(named);
  const freeColumns = shown.filter(({ name }) => !look.pinned.includes(name));
  const numberWidth = Math.max(44, Math.ceil(String(options.rowCount).length * options.digit) + SIZES.cellPadding);
  const width = (column: Column): number => look.widths[column.name] ?? options.autoWidth(column);
  const coloured = look.coloured ?? [];
  const pinned = placed(pinnedColumns, { from: numberWidth, place: 0, pinned: true, coloured, width });
  const free = placed(freeColumns, { from: 0, place: pinned.length, pinned: false, coloured, width });
  return {
    all: [...pinned, ...free],
    pinned,
    free,
    numberWidth,
    pinnedWidth: rightOf(pinned) ?? numberWidth,
    freeWidth: rightOf(free) ?? 0,
  };
}

function placed(
  columns: readonly Column[],
  options: {
    readonly from: number;
    readonly place: number;
    readonly pinned: boolean;
    readonly coloured: readonly string[];
    readonly width: (column: Column) => number;
  },
): readonly PlacedColumn[] {
  const result: PlacedColumn[] = [];
  let left = options.from;
  for (const [index, column] of columns.entries()) {
    const width = options.width(column);
    const atRight = isNumeric(column) || column.type === "bigint";
    const tint = options.coloured.includes(column.name) ? tintOf(column) : undefined;
    result.push({ column, place: options.place + index, left, width, pinned: options.pinned, tint, atRight });
    left += width;
  }
  return result;
}

function rightOf(columns: readonly PlacedColumn[]): number | undefined {
  const last = columns.at(-1);
  return last === undefined ? undefined : last.left + last.width;
}

/** The free columns in sight. */
export function windowAt(plan: ColumnPlan, left: number, width: number): ColumnWindow {
  const first = Math.max(0, firstBeyond(plan.free, left) - 1);
  let end = first;
  while (end < plan.free.length && (plan.free[end]?.left ?? 0) < left + width) end += 1;
  return { first, end };
}

/** The index of the first column whose left edge is beyond a place. */
function firstBeyond(columns: readonly PlacedColumn[], left: number): number {
  let low = 0;
  let high = columns.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((columns[middle]?.left ?? 0) <= left) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A width that fits the name and the longest text of a sample: the first rows, and some from the whole table. */
export function fittingWidth(column: Column, rowCount: number, { textWidth, nameWidth }: Letters): number {
  let longest = "";
  const sample = Math.min(rowCount, GRID_LIMITS.widthSample);
  const step = Math.max(1, Math.floor(rowCount / Math.max(1, sample)));
  for (let index = 0; index < sample; index += 1) {
    for (const row of [index, index * step]) {
      const text = shownAt(column, row);
      if (text.length > longest.length) longest = text;
    }
  }
  const head = nameWidth(column.name) + SIZES.headPadding;
  const text = textWidth(longest.slice(0, GRID_LIMITS.measuredChars)) * SIZES.widest + SIZES.cellPadding;
  return clampWidth(Math.ceil(Math.max(head, text)), SIZES.maxAutoWidth);
}

export function clampWidth(width: number, most: number = SIZES.maxWidth): number {
  return Math.round(Math.min(most, Math.max(SIZES.minWidth, width)));
}
