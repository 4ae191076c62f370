import { isText, type Column } from "../../data/column.ts";
import { shownAt } from "../../data/display.ts";
import type { Table } from "../../data/table.ts";
import { Bits } from "../../data/bits.ts";
import { axisRule, joinedNotes } from "../drawing/log-axis.ts";
import { extentIn } from "../drawing/extent.ts";
import { shareBetween, valueScale, type Extent } from "../drawing/scale.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** Points that are drawn; of more, every n-th. */
export const MOST_POINTS = 100_000;
/** Diameter of a marker, px: without a size column, the least and the most with one. */
const PLAIN = 5;
const SMALL = 3;
const LARGE = 15;

type AxisLetter = "x" | "y" | "z";

export interface Axis3d extends Extent {
  readonly column: Column;
  readonly logarithmic: boolean;
  /** By row: what is drawn, logarithms where it is logarithmic, codes of texts. NaN: nothing to draw. */
  readonly values: Float64Array;
  /** Values without a place. */
  readonly note: string | undefined;
}

export interface PointsModel {
  readonly rows: Int32Array;
  /** x, y, z of each point, -1 to 1. */
  readonly places: Float32Array;
  /** Diameter of each, px. */
  readonly sizes: Float32Array;
  /** Whether a point is filtered out and only hinted at. */
  readonly out: Uint8Array;
  readonly axes: Readonly<Record<AxisLetter, Axis3d>>;
  /** One of MARKER_TYPES. */
  readonly marker: string;
  /** 0 to 1. */
  readonly opacity: number;
  readonly showSelected: boolean;
  /** What was left out, in words. */
  readonly cut: string | undefined;
}

/** Words instead of a model where there is nothing to show. */
export function pointsOf(table: Table, look: Look): PointsModel | string {
  const columns = (["x", "y", "z"] as const).map((letter) => chosen(table, look, `${letter}ColumnName`));
  const [x, y, z] = columns;
  if (x === undefined || y === undefined || z === undefined) return "Choose three columns of numbers.";
  const withOut = flagOf(look, "showFilteredOutPoints");
  const axes = { x: axisOf(x, "x", table, look), y: axisOf(y, "y", table, look), z: axisOf(z, "z", table, look) };
  const usable = usableRows(table, axes, withOut);
  if (usable.length === 0) return "No row that is shown has a number in all three columns.";
  const rows = thin(usable);
  const places = new Float32Array(rows.length * 3);
  for (const [at, axis] of [axes.x, axes.y, axes.z].entries()) spread(axis, rows, places, at);
  return {
    rows,
    places,
    sizes: sizesOf(chosen(table, look, "sizeColumnName"), rows, textOf(look, "markerSizeScaling") === "logarithmic"),
    out: Uint8Array.from(rows, (row) => (table.filtered.has(row) ? 0 : 1)),
    axes,
    marker: textOf(look, "markerType") ?? "circle",
    opacity: (numberOf(look, "markerOpacity") ?? 80) / 100,
    showSelected: flagOf(look, "showSelectedRows"),
    cut: joinedNotes(
      axes.x.note,
      axes.y.note,
      axes.z.note,
      rows.length === usable.length
        ? undefined
        : `Shows ${rows.length.toLocaleString("en-US")} of ${usable.length.toLocaleString("en-US")} points, evenly taken.`,
    ),
  };
}

function valuesOf(column: Column, logarithmic: boolean): Float64Array {
  if (isText(column)) return Float64Array.from(column.codes, (code) => (code < 0 ? Number.NaN : code));
  if (!logarithmic) return column.numbers;
  return column.numbers.map((value) => (value > 0 ? Math.log10(value) : Number.NaN));
}

function axisOf(column: Column, letter: AxisLetter, table: Table, look: Look): Axis3d {
  const rule = axisRule(
    column,
    { rows: table.filtered, scaleRows: Bits.all(table.rowCount) },
    textOf(look, `${letter}AxisType`),
  );
  const logarithmic = rule.type === "logarithmic";
  const values = valuesOf(column, logarithmic);
  return { column, logarithmic, values, ...extentIn(values), note: rule.note };
}

function usableRows(table: Table, { x, y, z }: PointsModel["axes"], withOut: boolean): Int32Array {
  const rows = new Int32Array(table.rowCount);
  const { filtered } = table;
  let count = 0;
  for (let row = 0; row < table.rowCount; row += 1) {
    // A sum is finite where all are.
    const sum = (x.values[row] ?? Number.NaN) + (y.values[row] ?? Number.NaN) + (z.values[row] ?? Number.NaN);
    if (!Number.isFinite(sum) || (!withOut && !filtered.has(row))) continue;
    rows[count] = row;
    count += 1;
  }
  return rows.subarray(0, count);
}

function thin(rows: Int32Array): Int32Array {
  if (rows.length <= MOST_POINTS) return rows.slice();
  const step = rows.length / MOST_POINTS;
  return Int32Array.from({ length: MOST_POINTS }, (_, at) => rows[Math.floor(at * step)] ?? 0);
}

function spread(axis: Axis3d, rows: Int32Array, places: Float32Array, offset: number): void {
  for (let at = 0; at < rows.length; at += 1) {
    const value = axis.values[rows[at] ?? 0] ?? Number.NaN;
    places[at * 3 + offset] = shareBetween(value, axis) * 2 - 1;
  }
}

function sizesOf(column: Column | undefined, rows: Int32Array, logarithmic: boolean): Float32Array {
  const sizes = new Float32Array(rows.length).fill(PLAIN);
  if (column === undefined || isText(column)) return sizes;
  const values = Float64Array.from(rows, (row) => {
    const value = column.numbers[row] ?? Number.NaN;
    return logarithmic ? Math.log10(value) : value;
  });
  const extent = extentIn(values);
  for (const [at, value] of values.entries()) {
    const share = shareBetween(value, extent);
    sizes[at] = Number.isFinite(value) && Number.isFinite(share) ? SMALL + share * (LARGE - SMALL) : SMALL;
  }
  return sizes;
}

/** A few round values of an axis, each with its place from -1 to 1. */
export function ticksOf(axis: Axis3d): readonly { readonly place: number; readonly text: string }[] {
  const { column, min, max } = axis;
  const placeOf = (value: number): number => shareBetween(value, axis) * 2 - 1;
  if (isText(column)) {
    const places = [...new Set([min, Math.round((min + max) / 2), max])];
    return places.map((value) => ({ place: placeOf(value), text: column.categories[value] ?? "" }));
  }
  const extent = axis.logarithmic ? { min: 10 ** min, max: 10 ** max } : { min, max };
  const scale = valueScale({
    extent,
    range: [0, TICK_ROOM],
    type: axis.logarithmic ? "logarithmic" : "linear",
    time: column.type === "datetime",
  });
  return scale.ticks
    .map(({ value, text }) => ({ place: placeOf(axis.logarithmic ? Math.log10(value) : value), text }))
    .filter(({ place }) => !Number.isNaN(place));
}

/** Length of an axis as far as its numbers are concerned, px. */
const TICK_ROOM = 260;

/** A point in words, for the tooltip: each column once. */
export function pointWords(
  model: PointsModel,
  row: number,
  further: readonly Column[],
): readonly (readonly [name: string, value: string])[] {
  const columns = new Set([...Object.values(model.axes).map(({ column }) => column), ...further]);
  return [...columns].map((column) => [column.name, shownAt(column, row)]);
}
