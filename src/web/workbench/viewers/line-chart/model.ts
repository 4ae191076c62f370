import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { axisColumn, axisKind, type AxisColumn } from "../drawing/axis-column.ts";
import { categoriesOf, groupsOf, rowsByGroup, wordsOf } from "../drawing/categories.ts";
import { axisRule, isPlaced, valuesRule, type AxisRule } from "../drawing/log-axis.ts";
import type { SharedEnds, SharedRows } from "../drawing/plot.ts";
import { extentIn } from "../drawing/extent.ts";
import { bounded, extentOf, joinedExtent, type Extent } from "../drawing/scale.ts";
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
  readonly ruleX: AxisRule;
  readonly ruleY: AxisRule;
  /** Rows in points that are drawn. */
  readonly drawn: number;
}

/** More different places than this become as many ranges: no screen is broader. */
export const MOST_PLACES = 2_000;
const MOST_SERIES = 40;

interface LineRows {
  readonly rows: Bits;
  readonly scaleRows: Bits;
}

/** Undefined: columns are missing. */
export function lineModel(table: Table, look: Look, { rows, scaleRows }: LineRows): LineModel | undefined {
  const column = chosen(table, look, "xColumnName");
  const measures = chosenList(table, look, "yColumnNames");
  if (column === undefined || measures.length === 0) return undefined;
  const x = axisColumn(column);
  const kind = (textOf(look, "aggrType") ?? "avg") as Aggregate;
  const split = chosen(table, look, "splitColumnName");
  const list = rows.toArray();
  const places = placesOf(x.positions, list);
  const groups =
    split === undefined
      ? [{ name: "", index: 0, rows: list }]
      : groupsOf(categoriesOf(split), list).filter((group) => group.rows.length > 0);
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
  const ruleX = axisRule(column, { rows, scaleRows }, textOf(look, "xAxisType"));
  const ruleY = valuesRule(
    kept.flatMap(({ points }) => points.map(({ y }) => y)),
    {
      name: measures.map(({ name }) => `${kind}(${name})`).join(", "),
      wanted: textOf(look, "yAxisType"),
      what: "point",
    },
  );
  const isDrawn = (point: LinePoint): boolean => isPlaced(point.x, axisKind(x, ruleX)) && isPlaced(point.y, ruleY.type);
  const shown = kept.map(({ name, index, group, measure, points }) => ({
    name,
    index,
    group,
    measure,
    points: points.filter(isDrawn),
  }));
  return {
    x,
    measures,
    split,
    kind,
    series: shown,
    extentX: axisExtentOf(x, scaleRows, { look, type: ruleX.type }),
    extentsY: extentsY(shown, measures.length, { look, type: ruleY.type }),
    ruleX,
    ruleY,
    drawn: rowsIn(shown),
  };
}

/** Each row once, however many lines it is in. */
function rowsIn(series: readonly LineSeries[]): number {
  const seen = new Set<number>();
  for (const { points } of series) for (const { rows } of points) for (const row of rows) seen.add(row);
  return seen.size;
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

interface RowPlaces {
  /** The place of each row; -1: none. */
  readonly codes: Int32Array;
  readonly values: readonly number[];
}

/** Where along the axis rows lie: each value, or ranges where there are too many. */
export function placesOf(positions: Float64Array, rows: Int32Array): RowPlaces {
  const seen = new Map<number, number>();
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const value = positions[row] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    if (seen.size <= MOST_PLACES) seen.set(value, 0);
    if (value < min) min = value;
    if (value > max) max = value;
  }
  const codes = new Int32Array(positions.length).fill(-1);
  if (seen.size > MOST_PLACES) {
    const step = (max - min) / MOST_PLACES;
    for (const row of rows) {
      const value = positions[row] ?? Number.NaN;
      if (Number.isFinite(value)) codes[row] = Math.min(MOST_PLACES - 1, Math.floor((value - min) / step));
    }
    return {
      codes,
      values: Array.from({ length: MOST_PLACES }, (_, place) => min + (place + 0.5) * step),
    };
  }
  const values = [...seen.keys()].sort((left, right) => left - right);
  values.forEach((value, place) => seen.set(value, place));
  for (const row of rows) codes[row] = seen.get(positions[row] ?? Number.NaN) ?? -1;
  return { codes, values };
}

interface PointOptions {
  readonly places: RowPlaces;
  readonly rows: Int32Array;
  readonly measure: Column;
  readonly kind: Aggregate;
  readonly whiskers: string;
}

function pointsOf({ places, rows, measure, kind, whiskers }: PointOptions): readonly LinePoint[] {
  const lists = rowsByGroup(places.codes, places.values.length, rows).slice(0, -1);
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

interface ExtentOptions {
  readonly look: Look;
  readonly type: AxisRule["type"];
}

function axisExtentOf(x: AxisColumn, rows: Bits, { look, type }: ExtentOptions): Extent {
  if (x.names !== undefined) return { min: -0.5, max: x.names.length - 0.5 };
  return bounded(extentOf(x.column, rows, type === "logarithmic"), numberOf(look, "xMin"), numberOf(look, "xMax"));
}

function extentsY(series: readonly LineSeries[], measures: number, { look, type }: ExtentOptions): readonly Extent[] {
  const logarithmic = type === "logarithmic";
  const extent = (lines: readonly LineSeries[]): Extent => {
    const values = lines.flatMap(({ points }) => points.flatMap(({ y, low, high }) => [y, low, high]));
    return extentIn(logarithmic ? values.filter((value) => value > 0) : values);
  };
  const each = Array.from({ length: measures }, (_, place) =>
    extent(series.filter(({ measure }) => measure === place)),
  );
  const all = extent(series);
  const own = look["multiAxis"] === true ? each : each.map(() => all);
  return own.map((one) => bounded(one, numberOf(look, "yMin"), numberOf(look, "yMax")));
}

/** Ends of the axes of several charts that share them. */
export function lineEnds(table: Table, look: Look, { sets, scaleRows }: SharedRows): SharedEnds | undefined {
  const models = sets.flatMap((rows) => lineModel(table, look, { rows, scaleRows }) ?? []);
  const [first] = models;
  if (first === undefined) return undefined;
  const values = first.extentsY.map((_, measure) =>
    joinedExtent(models.flatMap((model) => model.extentsY[measure] ?? [])),
  );
  return { x: first.extentX, values };
}

/** A place of the horizontal axis in words. */
export function placeWords(x: AxisColumn, value: number): string {
  return x.names?.[value] ?? wordsOf(x.column, value);
}
