import { isText, type Column } from "../../data/column.ts";
import type { Bits } from "../../data/bits.ts";
import { categoriesOf } from "./categories.ts";
import type { AxisRule } from "./log-axis.ts";
import { bounded, categoryScale, extentOf, padded, valueScale, type Extent, type Scale } from "./scale.ts";

/** A column along an axis: numbers and times as they are, all else as the numbers of categories. */
export interface AxisColumn {
  readonly column: Column;
  /** NaN: no place on the axis. */
  readonly positions: Float64Array;
  /** Of categories. Absent: numbers or times. */
  readonly names: readonly string[] | undefined;
}

/** Columns never change, so what was made is kept with them. */
const known = new WeakMap<Column, AxisColumn>();

export function axisColumn(column: Column): AxisColumn {
  const before = known.get(column);
  if (before !== undefined) return before;
  const made =
    isText(column) || column.type === "bool"
      ? categories(column)
      : { column, positions: column.numbers, names: undefined };
  known.set(column, made);
  return made;
}

function categories(column: Column): AxisColumn {
  const { codes, names } = categoriesOf(column);
  return { column, positions: Float64Array.from(codes, (code) => (code < 0 ? Number.NaN : code)), names };
}

export interface AxisBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly type?: string | undefined;
}

/** What an axis shows before anybody zooms. */
export function axisExtent(axis: AxisColumn, rows: Bits, { min, max, type }: AxisBounds): Extent {
  if (axis.names !== undefined) return { min: -0.5, max: axis.names.length - 0.5 };
  const logarithmic = type === "logarithmic";
  return bounded(padded(extentOf(axis.column, rows, logarithmic), 0.03, logarithmic), min, max);
}

/** Positions of categories begin at 0 and are never logarithmic. */
export function axisKind({ names }: AxisColumn, rule: AxisRule): AxisRule["type"] {
  return names === undefined ? rule.type : "linear";
}

interface AxisScaleOptions {
  readonly extent: Extent;
  readonly range: readonly [from: number, to: number];
  readonly type?: string | undefined;
  readonly inverted?: boolean | undefined;
}

/** A scale over the extent; of categories with their names where they are in sight. */
export function axisScale(axis: AxisColumn, options: AxisScaleOptions): Scale {
  const { names } = axis;
  if (names === undefined) return valueScale({ ...options, time: axis.column.type === "datetime" });
  if (options.extent.min === -0.5 && options.extent.max === names.length - 0.5)
    return categoryScale(names, options.range, options.inverted);
  const scale = valueScale({ ...options, type: "linear" });
  const ticks = names
    .map((text, value) => ({ value, text }))
    .filter(({ value }) => value >= scale.domain[0] && value <= scale.domain[1]);
  const band = Math.abs(options.range[1] - options.range[0]) / (scale.domain[1] - scale.domain[0]);
  return { ...scale, kind: "category", band, ticks };
}
