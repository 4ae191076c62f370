import type { Bits } from "../../data/bits.ts";
import { isNumeric, type Column } from "../../data/column.ts";
import { sortedRows } from "../../data/sort.ts";
import type { Table } from "../../data/table.ts";
import { categoriesOf } from "../drawing/categories.ts";
import { categoryColor, rgbOf, type Palette, type Rgb } from "../drawing/colors.ts";
import { extentOf, joinedExtent, type Extent } from "../drawing/scale.ts";
import { chosenList, flagOf, listOf, numberOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export interface HeatColumn {
  readonly column: Column;
  /** 0 to 1 by row, NaN: no value; of categories their number. */
  readonly shareOf: (row: number) => number;
  readonly categories: number;
}

export interface HeatModel {
  readonly columns: readonly HeatColumn[];
  /** In the order in which they are shown. */
  readonly rows: Int32Array;
  readonly sortedBy: readonly string[];
  /** Columns that there was no room for. */
  readonly left: number;
  /** The least and most of all columns of numbers, where they share their colours. */
  readonly common: Extent | undefined;
}

export function heatModel(table: Table, look: Look, rows: Bits): HeatModel {
  const named = chosenList(table, look, "columns");
  const all = named.length > 0 ? named : table.columns;
  const columns = all.slice(0, numberOf(look, "maxHeatmapColumns") ?? 100);
  const sortedBy = listOf(look, "sortByColumnNames");
  const common = flagOf(look, "globalColorScaling") ? commonExtent(columns, rows) : undefined;
  return {
    columns: columns.map((column) => heatColumn(column, common ?? extentOf(column, rows))),
    rows:
      sortedBy.length === 0
        ? rows.toArray()
        : sortedRows(
            table,
            sortedBy.map((column) => ({ column, descending: false })),
            rows,
          ),
    sortedBy,
    left: all.length - columns.length,
    common: common !== undefined && Number.isFinite(common.min) ? common : undefined,
  };
}

/** Times are left out: their numbers would leave no room for others. */
function commonExtent(columns: readonly Column[], rows: Bits): Extent {
  const numeric = columns.filter((column) => isNumeric(column) && column.type !== "datetime");
  return joinedExtent(numeric.map((column) => extentOf(column, rows)));
}

function heatColumn(column: Column, { min, max }: Extent): HeatColumn {
  if (isNumeric(column)) {
    const { numbers } = column;
    const width = max - min;
    return {
      column,
      categories: 0,
      shareOf: (row) => (width > 0 ? ((numbers[row] ?? Number.NaN) - min) / width : 0.5),
    };
  }
  const { codes, names } = categoriesOf(column);
  return {
    column,
    categories: Math.max(1, names.length),
    shareOf: (row) => {
      const code = codes[row] ?? -1;
      return code < 0 ? Number.NaN : code;
    },
  };
}

/** The colours of a column: by share for numbers, by category else. Many categories are told apart by shade only. */
export function heatColors({ categories }: HeatColumn, palette: Palette): (share: number) => Rgb {
  const missing = rgbOf(palette.panel);
  if (categories > 0) {
    const many = categories > palette.categories.length * 2;
    const made = new Map<number, Rgb>();
    return (code) => {
      if (Number.isNaN(code)) return missing;
      const known = made.get(code);
      if (known !== undefined) return known;
      const color = rgbOf(many ? palette.linear(code / categories) : categoryColor(palette, code));
      made.set(code, color);
      return color;
    };
  }
  const steps = Array.from({ length: 256 }, (_, step) => rgbOf(palette.linear(step / 255)));
  return (share) =>
    Number.isNaN(share) ? missing : (steps[Math.round(Math.max(0, Math.min(1, share)) * 255)] ?? missing);
}

/** What one line of the picture shows of a column: the mean of its rows, or the first. Of categories always the first. */
export function shareOfRows(column: HeatColumn, rows: Int32Array, from: number, to: number, mean: boolean): number {
  const first = column.shareOf(rows[from] ?? -1);
  if (!mean || column.categories > 0 || to - from < 2) return first;
  let [sum, count] = [0, 0];
  for (let at = from; at < to; at += 1) {
    const share = column.shareOf(rows[at] ?? -1);
    if (Number.isNaN(share)) continue;
    sum += share;
    count += 1;
  }
  return count === 0 ? Number.NaN : sum / count;
}
