import type { Bits } from "../../data/bits.ts";
import { shortNumber } from "../../data/format.ts";
import type { Table } from "../../data/table.ts";
import type { AxisColumn } from "../drawing/axis-column.ts";
import { categoriesOf, rowsByGroup } from "../drawing/categories.ts";
import { regression, spearman, type RegressionLine } from "../drawing/correlation.ts";
import { MARKER_TYPES } from "../drawing/raster.ts";
import { extentOf } from "../drawing/scale.ts";
import { hasPlace, xyAxes, type XyAxes } from "../drawing/xy-axes.ts";
import { isNumeric } from "../../data/column.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export interface FittedLine {
  /** Number of the category of the colour; undefined: of all rows. */
  readonly category: number | undefined;
  readonly line: RegressionLine;
}

export interface ScatterModel extends XyAxes {
  /** Rows that are drawn: those with a place on both axes. And those that the filter took out. */
  readonly rows: Int32Array;
  readonly out: Int32Array;
  readonly sizeOf: (row: number) => number;
  readonly largest: number;
  readonly shapeOf: (row: number) => string;
  readonly lines: readonly FittedLine[];
  /** Equations and correlations, a line each. */
  readonly notes: readonly string[];
}

interface ScatterRows {
  readonly rows: Bits;
  readonly scaleRows: Bits;
  readonly everything: Bits;
}

/** Undefined: there are no columns to show. */
export function scatterModel(table: Table, look: Look, plot: ScatterRows): ScatterModel | undefined {
  const scaleRows = flagOf(look, "axesFollowFilter") ? plot.scaleRows : plot.everything;
  const axes = xyAxes(table, look, { rows: plot.rows, scaleRows });
  if (axes === undefined) return undefined;
  const { x, y } = axes;
  const drawn = (rows: Bits): Int32Array => rows.toArray().filter((row) => hasPlace(axes, row));
  const list = drawn(plot.rows);
  const lines = flagOf(look, "showRegressionLine") ? fitted(table, look, { x, y, list, rows: plot.rows }) : [];
  return {
    ...axes,
    rows: list,
    out: flagOf(look, "showFilteredOutPoints") ? drawn(plot.everything.without(plot.rows)) : new Int32Array(0),
    ...sizesOf(table, look, plot.rows),
    shapeOf: shapesOf(table, look),
    lines,
    notes: notesOf(look, { x, y, list, lines, names: colorNames(table, look) }),
  };
}

function sizesOf(table: Table, look: Look, rows: Bits): Pick<ScatterModel, "sizeOf" | "largest"> {
  const column = chosen(table, look, "sizeColumnName");
  const standard = numberOf(look, "markerDefaultSize") ?? 6;
  if (column === undefined || !isNumeric(column)) return { sizeOf: () => standard, largest: standard };
  const [least, most] = [numberOf(look, "markerMinSize") ?? 4, numberOf(look, "markerMaxSize") ?? 20];
  const { min, max } = extentOf(column, rows);
  const { numbers } = column;
  const sizeOf = (row: number): number => {
    const share = max > min ? ((numbers[row] ?? Number.NaN) - min) / (max - min) : Number.NaN;
    // By area: twice the number looks twice as large.
    return Number.isNaN(share) ? least : least + (most - least) * Math.sqrt(Math.max(0, Math.min(1, share)));
  };
  return { sizeOf, largest: Math.max(least, most) };
}

function shapesOf(table: Table, look: Look): (row: number) => string {
  const column = chosen(table, look, "markersColumnName");
  const standard = textOf(look, "markerType") ?? "circle";
  if (column === undefined) return () => standard;
  const { codes } = categoriesOf(column);
  return (row) => {
    const code = codes[row] ?? -1;
    return code < 0 ? standard : (MARKER_TYPES[code % MARKER_TYPES.length] ?? standard);
  };
}

function colorNames(table: Table, look: Look): readonly string[] {
  const column = chosen(table, look, "colorColumnName");
  return column === undefined || isNumeric(column) ? [] : categoriesOf(column).names;
}

interface FitOptions {
  readonly x: AxisColumn;
  readonly y: AxisColumn;
  readonly list: Int32Array;
  readonly rows: Bits;
}

function fitted(table: Table, look: Look, { x, y, list, rows }: FitOptions): readonly FittedLine[] {
  if (x.names !== undefined || y.names !== undefined) return [];
  const column = chosen(table, look, "colorColumnName");
  const each = flagOf(look, "regressionPerCategory") && column !== undefined && !isNumeric(column);
  const groups = each ? categoriesOf(column) : undefined;
  const parts =
    groups === undefined
      ? [{ category: undefined, members: list }]
      : rowsByGroup(groups.codes, groups.names.length, rows.toArray())
          .slice(0, -1)
          .map((members, category) => ({ category, members }));
  return parts
    .map(({ category, members }) => ({ category, line: regression(x.positions, y.positions, members) }))
    .filter(({ line }) => line.count > 1 && Number.isFinite(line.slope));
}

interface NoteOptions {
  readonly x: AxisColumn;
  readonly y: AxisColumn;
  readonly list: Int32Array;
  readonly lines: readonly FittedLine[];
  readonly names: readonly string[];
}

const MOST_NOTES = 8;

function notesOf(look: Look, { x, y, list, lines, names }: NoteOptions): readonly string[] {
  const equations = flagOf(look, "showRegressionLineEquation")
    ? lines.map(({ category, line }) => {
        const name = category === undefined ? "" : `${names[category] ?? ""}: `;
        return `${name}${equation(line)}, R² = ${(line.r * line.r).toFixed(3)}`;
      })
    : [];
  const numbers = x.names === undefined && y.names === undefined;
  const found = [
    ...(numbers && flagOf(look, "showPearsonCorrelation")
      ? [`r = ${regression(x.positions, y.positions, list).r.toFixed(3)}`]
      : []),
    ...(numbers && flagOf(look, "showSpearmanCorrelation")
      ? [`ρ = ${spearman(x.positions, y.positions, list).toFixed(3)}`]
      : []),
  ];
  return [...equations, ...found].slice(0, MOST_NOTES);
}

/** In words: `y = 0.42x + 12.1`. */
export function equation({ slope, intercept }: RegressionLine): string {
  return `y = ${shortNumber(slope)}x ${intercept < 0 ? "−" : "+"} ${shortNumber(Math.abs(intercept))}`;
}
