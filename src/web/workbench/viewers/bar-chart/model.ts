import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { categoriesOf, groupsOf, type CategoryRows } from "../drawing/categories.ts";
import { valuesRule, type AxisRule } from "../drawing/log-axis.ts";
import type { SharedEnds, SharedRows } from "../drawing/plot.ts";
import { joinedExtent } from "../drawing/scale.ts";
import { chosen, flagOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export interface BarPart extends CategoryRows {
  readonly from: number;
  readonly to: number;
  readonly value: number;
}

export interface Bar extends CategoryRows {
  readonly value: number;
  /** Of the colour column, aggregated; absent: none is chosen. */
  readonly color: number | undefined;
  readonly parts: readonly BarPart[];
}

export interface BarModel {
  readonly split: Column;
  readonly stack: Column | undefined;
  readonly kind: Aggregate;
  /** What is counted or aggregated, in words: `avg(AGE)`, `count`. */
  readonly measure: string;
  readonly bars: readonly Bar[];
  readonly colorMin: number;
  readonly colorMax: number;
  readonly min: number;
  readonly max: number;
  /** Lengths are shares of the whole bar. */
  readonly relative: boolean;
  readonly rule: AxisRule;
  /** Rows in the bars. */
  readonly drawn: number;
}

/** A chart shows no more bars than this; the sentence says how many there are. */
export const MOST_BARS = 500;

/** Parts only add up to the whole for these. */
const ADDITIVE: ReadonlySet<Aggregate> = new Set(["count", "sum", "values", "nulls"]);

/** Undefined: there is no column to split by. */
export function barModel(table: Table, look: Look, rows: Bits): BarModel | undefined {
  const split = chosen(table, look, "splitColumnName");
  if (split === undefined) return undefined;
  const measured = chosen(table, look, "valueColumnName");
  const kind = measured === undefined ? "count" : ((textOf(look, "valueAggrType") ?? "count") as Aggregate);
  const stack = ADDITIVE.has(kind) ? chosen(table, look, "stackColumnName") : undefined;
  const relative = flagOf(look, "relativeValues") && stack !== undefined;
  const value = (list: Int32Array): number => aggregate(kind, measured ?? split, list);
  const colored = chosen(table, look, "colorColumnName");
  const colorKind = (textOf(look, "colorAggrType") ?? "avg") as Aggregate;
  const bars = shownGroups(split, look, rows).map(({ name, index, rows: list }): Bar => {
    const total = value(list);
    return {
      name,
      index,
      rows: list,
      value: total,
      color: colored === undefined ? undefined : aggregate(colorKind, colored, list),
      parts: partsOf({ list, total, stack, value, relative }),
    };
  });
  const sorted = sortBars(bars, look, split.type === "datetime").slice(0, MOST_BARS);
  const ends = sorted.flatMap(({ parts }) => parts.flatMap(({ from, to }) => [from, to])).filter(Number.isFinite);
  const colors = sorted.map(({ color }) => color ?? Number.NaN).filter(Number.isFinite);
  const measure = measured === undefined ? "count" : `${kind}(${measured.name})`;
  return {
    split,
    stack,
    kind,
    measure,
    bars: sorted,
    colorMin: Math.min(...colors),
    colorMax: Math.max(...colors),
    min: Math.min(0, ...ends),
    max: Math.max(0, ...ends),
    relative,
    rule: valuesRule(
      sorted.map(({ value: length }) => length),
      { name: measure, wanted: textOf(look, "axisType"), what: "bar" },
    ),
    drawn: sorted.reduce((sum, bar) => sum + bar.rows.length, 0),
  };
}

/** Ends of the value axis of several charts that share it. */
export function barEnds(table: Table, look: Look, { sets }: SharedRows): SharedEnds | undefined {
  const models = sets.flatMap((rows) => barModel(table, look, rows) ?? []);
  return models.length === 0 ? undefined : { values: [joinedExtent(models)] };
}

function shownGroups(split: Column, look: Look, rows: Bits): readonly CategoryRows[] {
  return groupsOf(categoriesOf(split, textOf(look, "splitMap")), rows.toArray()).filter(({ rows: list, index }) => {
    if (index < 0) return list.length > 0 && flagOf(look, "includeNulls");
    return list.length > 0 || flagOf(look, "showEmptyBars");
  });
}

interface PartOptions {
  readonly list: Int32Array;
  readonly total: number;
  readonly stack: Column | undefined;
  readonly value: (list: Int32Array) => number;
  readonly relative: boolean;
}

function partsOf({ list, total, stack, value, relative }: PartOptions): readonly BarPart[] {
  if (stack === undefined) return [{ name: "", index: 0, from: 0, to: total, value: total, rows: list }];
  let at = 0;
  return groupsOf(categoriesOf(stack), list)
    .filter(({ rows }) => rows.length > 0)
    .map(({ name, index, rows }) => {
      const own = value(rows);
      const length = relative ? own / (total || 1) : own;
      const from = at;
      at += Number.isNaN(length) ? 0 : length;
      return { name, index, rows, from, to: at, value: own };
    });
}

/** Rows without a value come last. */
function orderOf({ index }: Bar): number {
  return index < 0 ? Number.POSITIVE_INFINITY : index;
}

/** Rows without a value come last; by value, bars without one do. */
function sortBars(bars: readonly Bar[], look: Look, isTime: boolean): readonly Bar[] {
  const byValue = textOf(look, "barSortType") === "by value" && !isTime;
  // Times go from left to right, unless somebody turned their order by name round.
  const isForward = isTime && textOf(look, "barSortType") === "by value";
  const sign = isForward || textOf(look, "barSortOrder") === "asc" ? 1 : -1;
  const known = bars.filter(({ index }) => index >= 0);
  const unknown = bars.filter(({ index }) => index < 0);
  if (!byValue) return [...(sign > 0 ? known : known.toReversed()), ...unknown];
  return bars.toSorted((left, right) => {
    if (Number.isNaN(left.value) || Number.isNaN(right.value))
      return Number(Number.isNaN(left.value)) - Number(Number.isNaN(right.value));
    return sign * (left.value - right.value) || orderOf(left) - orderOf(right);
  });
}
