import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import { isText, type Column, type NumberColumn } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { categoriesOf, NO_VALUE, rowsByGroup, type CategoryRows } from "../drawing/categories.ts";
import { axisRule, type AxisRule } from "../drawing/log-axis.ts";
import { bounded, extentOf, padded, type Extent } from "../drawing/scale.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { anovaP, boxStatistics, densityCurve, type BoxStatistics } from "./statistics.ts";

export interface BoxGroup extends CategoryRows {
  readonly statistics: BoxStatistics;
  /** Of a violin only. */
  readonly curve: ReturnType<typeof densityCurve> | undefined;
  /** Of the colour column, aggregated. */
  readonly color: number | undefined;
}

export interface BoxModel {
  readonly value: NumberColumn;
  readonly categories: readonly Column[];
  readonly groups: readonly BoxGroup[];
  readonly extent: Extent;
  readonly rule: AxisRule;
  /** NaN: fewer than two groups. */
  readonly p: number;
  /** Lines of numbers below the boxes. */
  readonly statistics: readonly (readonly [name: string, key: keyof BoxStatistics])[];
}

/** A plot shows no more boxes than this. */
const MOST_BOXES = 120;

const STATISTICS = [
  ["showTotalCount", "n", "count"],
  ["showAvg", "avg", "mean"],
  ["showMed", "med", "median"],
  ["showStdev", "stdev", "stdev"],
  ["showMin", "min", "min"],
  ["showMax", "max", "max"],
] as const;

/** Undefined: there is no column of numbers to show. */
export function boxModel(
  table: Table,
  look: Look,
  { rows, scaleRows }: { readonly rows: Bits; readonly scaleRows: Bits },
): BoxModel | undefined {
  const value = chosen(table, look, "valueColumnName");
  if (value === undefined || isText(value)) return undefined;
  const categories = ["category1ColumnName", "category2ColumnName"].flatMap((name) => chosen(table, look, name) ?? []);
  const colored = chosen(table, look, "binColorColumnName");
  const colorKind = (textOf(look, "binColorAggrType") ?? "avg") as Aggregate;
  const violin = textOf(look, "plotStyle") === "violin";
  const sortedOf = new Map<number, Float64Array>();
  const groups = groupsOf(table, look, rows)
    .slice(0, MOST_BOXES)
    .map(({ name, index, rows: list }): BoxGroup => {
      const sorted = sortedValues(value, list);
      sortedOf.set(index, sorted);
      return {
        name,
        index,
        rows: list,
        statistics: boxStatistics(sorted),
        curve: violin && sorted.length > 1 ? densityCurve(sorted, numberOf(look, "bins") ?? 40) : undefined,
        color: colored === undefined ? undefined : aggregate(colorKind, colored, list),
      };
    });
  const rule = axisRule(value, { rows, scaleRows }, textOf(look, "axisType"));
  const logarithmic = rule.type === "logarithmic";
  const own = padded(extentOf(value, scaleRows, logarithmic), 0.03, logarithmic);
  return {
    value,
    categories,
    groups,
    extent: bounded(own, numberOf(look, "valueMin"), numberOf(look, "valueMax")),
    rule,
    p: flagOf(look, "showPValue") ? anovaP([...sortedOf.values()]) : Number.NaN,
    statistics: flagOf(look, "showStatistics")
      ? STATISTICS.filter(([property]) => flagOf(look, property)).map(([, name, key]) => [name, key] as const)
      : [],
  };
}

function groupsOf(table: Table, look: Look, rows: Bits): readonly CategoryRows[] {
  const first = chosen(table, look, "category1ColumnName");
  const second = chosen(table, look, "category2ColumnName");
  const one = first === undefined ? undefined : categoriesOf(first, textOf(look, "category1Map"));
  const two = second === undefined ? undefined : categoriesOf(second);
  const [ones, twos] = [one?.names ?? [], two?.names ?? []];
  const seconds = twos.length + 1;
  const codes = new Int32Array(table.rowCount);
  for (let row = 0; row < codes.length; row += 1) {
    const [high, low] = [one?.codes[row] ?? -1, two?.codes[row] ?? -1];
    codes[row] = (high < 0 ? ones.length : high) * seconds + (low < 0 ? twos.length : low);
  }
  const lists = rowsByGroup(codes, (ones.length + 1) * seconds, rows.toArray());
  return lists.slice(0, -1).flatMap((list, code) => {
    const [high, low] = [Math.floor(code / seconds), code % seconds];
    const names = [
      ...(one === undefined ? [] : [ones[high] ?? NO_VALUE]),
      ...(two === undefined ? [] : [twos[low] ?? NO_VALUE]),
    ];
    const real = (one === undefined || high < ones.length) && (two === undefined || low < twos.length);
    if (list.length === 0 && !(real && flagOf(look, "showEmptyCategories"))) return [];
    return [{ name: names.join(" / ") || "all", index: code, rows: list }];
  });
}

function sortedValues(column: NumberColumn, rows: Int32Array): Float64Array {
  const values = new Float64Array(rows.length);
  let at = 0;
  for (const row of rows) {
    const value = column.numbers[row] ?? Number.NaN;
    if (!Number.isFinite(value)) continue;
    values[at] = value;
    at += 1;
  }
  return values.subarray(0, at).sort();
}

export function pWords(p: number): string {
  return p < 0.0001 ? "< 0.0001" : `= ${p.toPrecision(2)}`;
}
