import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { axisColumn, type AxisColumn } from "../drawing/axis-column.ts";
import { categoriesOf, NO_VALUE, wordsOf } from "../drawing/categories.ts";
import { bounded, type Extent } from "../drawing/scale.ts";
import { chosen, chosenList, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export interface LinePoint {
  readonly x: number;
  readonly y: number;
  /** Bounds around it; NaN: none. */
  readonly low: number;
  readonly high: number;
  readonly rows: Int32Array;
}

export interface LineSeries {
  readonly name: string;
  /** For its colour. */
  readonly index: number;
  /** The value of the split; "" without one. */
  readonly group: string;
  /** Place in the y columns. */
  readonly measure: number;
  readonly points: readonly LinePoint[];
}

export interface LineModel {
  readonly x: AxisColumn;
  readonly measures: readonly Column[];
  readonly split: Column | undefined;
  readonly kind: Aggregate;
  readonly series: readonly LineSeries[];
  readonly extentX: Extent;
  /** By y column. */
  readonly extentsY: readonly Extent[];
  /** Places are ranges, because there were too many single ones. */
  readonly bucketed: boolean;
}

/** More different places than this become as many ranges: no screen is broader. */
export const MOST_PLACES = 2_000;
const MOST_SERIES = 40;

/** Undefined: columns are missing. */
export function lineModel(table: Table, look: Look, rows: Bits): LineModel | undefined {
  const column = chosen(table, look, "xColumnName");
  const measures = chosenList(table, look, "yColumnNames");
  if (column === undefined || measures.length === 0) return undefined;
  const x = axisColumn(column);
  const kind = (textOf(look, "aggrType") ?? "avg") as Aggregate;
  const split = chosen(table, look, "splitColumnName");
  const list = rows.toArray();
  const places = placesOf(x.positions, list);
  const groups = split === undefined ? [{ name: "", index: 0, rows: list }] : splitRows(split, list);
  const whiskers = textOf(look, "whiskersType") ?? "None";
  const series = groups.flatMap((group) =>
    measures.map((measure, place): LineSeries => ({
      name: nameOf(group.name, measure.name, measures.length),
      index: colorIndex({
        split,
        multi: look["multiAxis"] === true,
        group: group.index,
        place,
        measures: measures.length,
      }),
      group: group.name,
      measure: place,
      points: pointsOf({ places, rows: group.rows, measure, kind, whiskers }),
    })),
  );
  const kept = series.slice(0, MOST_SERIES);
  return {
    x,
    measures,
    split,
    kind,
    series: kept,
    extentX: extentX(x, kept, look),
    extentsY: extentsY(kept, measures.length, look),
    bucketed: places.bucketed,
  };
}

interface ColorOptions {
  readonly split: Column | undefined;
  readonly multi: boolean;
  readonly group: number;
  readonly place: number;
  readonly measures: number;
}

/** Columns with a picture each need no colours of their own. */
function colorIndex({ split, multi, group, place, measures }: ColorOptions): number {
  if (split === undefined) return place;
  return multi || group < 0 ? group : group * measures + place;
}

function nameOf(group: string, measure: string, measures: number): string {
  if (group === "") return measure;
  return measures === 1 ? group : `${group}, ${measure}`;
}

interface Places {
  /** The place of each row; -1: none. */
  readonly codes: Int32Array;
  readonly values: readonly number[];
  readonly bucketed: boolean;
}

/** Where along the axis rows lie: each value, or ranges where there are too many. */
export function placesOf(positions: Float64Array, rows: Int32Array): Places {
  const seen = new Map<number, number>();
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const value = positions[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    if (seen.size <= MOST_PLACES) seen.set(value, 0);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const codes = new Int32Array(positions.length).fill(-1);
  if (seen.size > MOST_PLACES) {
    const step = (max - min) / MOST_PLACES;
    for (const row of rows) {
      const value = positions[row] ?? Number.NaN;
      if (!Number.isNaN(value)) codes[row] = Math.min(MOST_PLACES - 1, Math.floor((value - min) / step));
    }
    return {
      codes,
      values: Array.from({ length: MOST_PLACES }, (_, place) => min + (place + 0.5) * step),
      bucketed: true,
    };
  }
  const values = [...seen.keys()].sort((left, right) => left - right);
  values.forEach((value, place) => seen.set(value, place));
  for (const row of rows) codes[row] = seen.get(positions[row] ?? Number.NaN) ?? -1;
  return { codes, values, bucketed: false };
}

function splitRows(
  split: Column,
  list: Int32Array,
): readonly { readonly name: string; readonly index: number; readonly rows: Int32Array }[] {
  const { codes, names } = categoriesOf(split);
  const members = Array.from({ length: names.length + 1 }, (): number[] => []);
  for (const row of list) {
    const code = codes[row] ?? -1;
    members[code < 0 ? names.length : code]?.push(row);
  }
  return members
    .map((rows, index) => ({
      name: names[index] ?? NO_VALUE,
      index: index < names.length ? index : -1,
      rows: Int32Array.from(rows),
    }))
    .filter(({ rows }) => rows.length > 0);
}

interface PointOptions {
  readonly places: Places;
  readonly rows: Int32Array;
  readonly measure: Column;
  readonly kind: Aggregate;
  readonly whiskers: string;
}

function pointsOf({ places, rows, measure, kind, whiskers }: PointOptions): readonly LinePoint[] {
  const counts = new Int32Array(places.values.length);
  for (const row of rows) {
    const place = places.codes[row] ?? -1;
    if (place >= 0) counts[place] = (counts[place] ?? 0) + 1;
  }
  const lists = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (const row of rows) {
    const place = places.codes[row] ?? -1;
    const list = lists[place];
    if (list === undefined) continue;
    list[counts[place] ?? 0] = row;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  return lists.flatMap((list, place) => {
    if (list.length === 0) return [];
    const y = aggregate(kind, measure, list);
    if (Number.isNaN(y)) return [];
    return [{ x: places.values[place] ?? 0, y, ...boundsOf(whiskers, measure, list), rows: list }];
  });
}

function boundsOf(
  whiskers: string,
  measure: Column,
  list: Int32Array,
): { readonly low: number; readonly high: number } {
  const of = (kind: Aggregate): number => aggregate(kind, measure, list);
  switch (whiskers) {
    case "Med | Q1, Q3":
      return { low: of("q1"), high: of("q3") };
    case "Avg | Min, Max":
      return { low: of("min"), high: of("max") };
    case "Avg | +/-StDev": {
      const [middle, deviation] = [of("avg"), of("stdev") || 0];
      return { low: middle - deviation, high: middle + deviation };
    }
    default:
      return { low: Number.NaN, high: Number.NaN };
  }
}

function extentX(x: AxisColumn, series: readonly LineSeries[], look: Look): Extent {
  if (x.names !== undefined) return { min: -0.5, max: x.names.length - 0.5 };
  const logarithmic = textOf(look, "xAxisType") === "logarithmic";
  const own = extent(
    series.flatMap(({ points }) => points.map((point) => point.x)),
    logarithmic,
  );
  return bounded(own, numberOf(look, "xMin"), numberOf(look, "xMax"));
}

function extentsY(series: readonly LineSeries[], measures: number, look: Look): readonly Extent[] {
  const logarithmic = textOf(look, "yAxisType") === "logarithmic";
  const valuesOf = (wanted: (line: LineSeries) => boolean): readonly number[] =>
    series.filter(wanted).flatMap(({ points }) => points.flatMap(({ y, low, high }) => [y, low, high]));
  const each = Array.from({ length: measures }, (_, measure) =>
    extent(
      valuesOf((line) => line.measure === measure),
      logarithmic,
    ),
  );
  const all = extent(
    valuesOf(() => true),
    logarithmic,
  );
  const own = look["multiAxis"] === true ? each : each.map(() => all);
  return own.map((one) => bounded(one, numberOf(look, "yMin"), numberOf(look, "yMax")));
}

function extent(values: readonly number[], positiveOnly: boolean): Extent {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (Number.isNaN(value) || (positiveOnly && value <= 0)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

/** A place of the horizontal axis in words. */
export function placeWords(x: AxisColumn, value: number): string {
  return x.names?.[value] ?? wordsOf(x.column, value);
}
