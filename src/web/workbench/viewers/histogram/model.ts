import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import { isText, type Column, type NumberColumn } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { categoriesOf, NO_VALUE, rowsByGroup } from "../drawing/categories.ts";
import { axisRule, type AxisRule } from "../drawing/log-axis.ts";
import type { SharedEnds, SharedRows } from "../drawing/plot.ts";
import { bounded, extentOf, isSpan, withinDoubles } from "../drawing/scale.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { withoutOutliers } from "./outliers.ts";

export interface BinSpan {
  readonly min: number;
  readonly max: number;
  readonly bins: number;
  readonly logarithmic: boolean;
}

/** The number of the bin of each value; the last one holds its end too. -1: outside, or none. */
export function binCodes(numbers: Float64Array, { min, max, bins, logarithmic }: BinSpan): Int32Array {
  const codes = new Int32Array(numbers.length);
  const [low, high] = logarithmic ? [Math.log(min), Math.log(max)] : [min, max];
  const width = (high - low) / bins;
  for (let row = 0; row < numbers.length; row += 1) {
    const value = numbers[row] ?? Number.NaN;
    if (!(value >= min && value <= max)) {
      codes[row] = -1;
      continue;
    }
    const bin = width > 0 ? Math.floor(((logarithmic ? Math.log(value) : value) - low) / width) : 0;
    codes[row] = bin >= bins ? bins - 1 : bin;
  }
  return codes;
}

/** Where bins begin and end: one more than there are bins. */
export function binEdges({ min, max, bins, logarithmic }: BinSpan): readonly number[] {
  return Array.from({ length: bins + 1 }, (_, index) => {
    if (index === bins) return max;
    return logarithmic ? min * (max / min) ** (index / bins) : min + (max - min) * (index / bins);
  });
}

export function countByBin(codes: Int32Array, bins: number, rows: Bits): Float64Array {
  const counts = new Float64Array(bins);
  for (const row of rows.toArray()) {
    const code = codes[row] ?? -1;
    if (code >= 0) counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

export interface HistogramPart {
  readonly name: string;
  /** Number of the category, for its colour. */
  readonly index: number;
  /** Counts by bin, or shares of the part. */
  readonly heights: Float64Array;
}

export interface HistogramModel {
  readonly column: NumberColumn;
  readonly span: BinSpan;
  readonly edges: readonly number[];
  readonly codes: Int32Array;
  /** One without a split. */
  readonly parts: readonly HistogramPart[];
  /** Rows by bin. */
  readonly counts: Float64Array;
  /** Rows by bin, those that the filter took out with them; absent: not asked for. */
  readonly whole: Float64Array | undefined;
  /** The aggregated value of the colour column by bin. */
  readonly colors: Float64Array | undefined;
  readonly split: Column | undefined;
  readonly total: number;
  /** Rows whose value is beyond an axis that was cut. */
  readonly beyond: number;
  readonly rule: AxisRule;
}

interface HistogramRows {
  readonly rows: Bits;
  readonly scaleRows: Bits;
  readonly everything: Bits;
}

/** Undefined: there is no column to show. */
export function histogramModel(
  table: Table,
  look: Look,
  { rows, scaleRows, everything }: HistogramRows,
): HistogramModel | undefined {
  const column = chosen(table, look, "valueColumnName");
  if (column === undefined || isText(column)) return undefined;
  const whole = flagOf(look, "showFilteredOutRows") ? everything : undefined;
  const scaled = whole?.or(scaleRows) ?? scaleRows;
  const rule = axisRule(column, { rows, scaleRows: scaled }, textOf(look, "xAxisType"));
  const span = spanOf(column, look, { rows: scaled, rule });
  const codes = binCodes(column.numbers, span);
  const counts = countByBin(codes, span.bins, rows);
  const split = chosen(table, look, "splitColumnName");
  const total = counts.reduce((sum, count) => sum + count, 0);
  return {
    column,
    span,
    edges: binEdges(span),
    codes,
    parts: partsOf({ codes, span, rows, split, share: flagOf(look, "normalizeValues"), counts, total }),
    counts,
    whole: whole === undefined || split !== undefined || total === 0 ? undefined : countByBin(codes, span.bins, whole),
    colors: colorsOf(table, look, { codes, rows, bins: span.bins }),
    split,
    total,
    beyond: span.isCut ? beyondOf(column, span, rows) : 0,
    rule,
  };
}

function beyondOf({ numbers }: NumberColumn, { min, max }: BinSpan, rows: Bits): number {
  let beyond = 0;
  for (const row of rows.toArray()) {
    const value = numbers[row] ?? Number.NaN;
    if (value < min || value > max) beyond += 1;
  }
  return beyond;
}

function spanOf(
  column: NumberColumn,
  look: Look,
  { rows, rule }: { readonly rows: Bits; readonly rule: AxisRule },
): BinSpan & { readonly isCut: boolean } {
  const logarithmic = rule.type === "logarithmic";
  const all = extentOf(column, rows, logarithmic);
  const isFixed = (numberOf(look, "valueMin") ?? numberOf(look, "valueMax")) !== undefined;
  const mayCut = flagOf(look, "cutOutliers") && !logarithmic && !isFixed && isSpan(all.min, all.max);
  const own = mayCut ? withoutOutliers(column.numbers, rows.toArray(), all) : all;
  return { ...ownSpan(column, look, { own, logarithmic }), isCut: own !== all };
}

function ownSpan(
  column: NumberColumn,
  look: Look,
  { own, logarithmic }: { readonly own: ReturnType<typeof extentOf>; readonly logarithmic: boolean },
): BinSpan {
  const wanted = bounded(own, numberOf(look, "valueMin"), numberOf(look, "valueMax"));
  // Below zero there is nothing on a logarithmic axis.
  const min = withinDoubles(logarithmic && wanted.min <= 0 ? own.min : wanted.min);
  const max = withinDoubles(wanted.max);
  const bins = numberOf(look, "bins") ?? 20;
  if (own.min > own.max && (numberOf(look, "valueMin") ?? numberOf(look, "valueMax")) === undefined)
    return { min: 0, max: 1, bins, logarithmic: false };
  if (isSpan(min, max)) return { min, max, bins, logarithmic };
  return aroundValue(column, min, logarithmic);
}

/** Half of a smaller number may be none at all. */
const LEAST_LOG = 1e-290;
const HALF_DAY = 43_200_000;

/** One value gets one bin around it. */
function aroundValue(column: NumberColumn, value: number, logarithmic: boolean): BinSpan {
  if (logarithmic && value > LEAST_LOG) return { min: value / 2, max: value * 2, bins: 1, logarithmic };
  if (logarithmic) return { min: 0, max: 1, bins: 1, logarithmic: false };
  const half = column.type === "datetime" ? HALF_DAY : Math.max(0.5, Math.abs(value) * 0.05);
  return { min: value - half, max: value + half, bins: 1, logarithmic };
}

/** The rows of the highest bar of each part or stack: what the vertical axis must hold. */
export function mostOf({ parts, span }: Pick<HistogramModel, "parts" | "span">, isStack: boolean): number {
  let most = 0;
  for (let bin = 0; bin < span.bins; bin += 1) {
    const heights = parts.map(({ heights: own }) => own[bin] ?? 0);
    most = Math.max(most, isStack ? heights.reduce((sum, height) => sum + height, 0) : Math.max(0, ...heights));
  }
  return most;
}

/** Ends of the axis of several pictures that share it. */
export function histogramEnds(table: Table, look: Look, { sets, scaleRows }: SharedRows): SharedEnds {
  const heights = sets.map((rows) => {
    const model = histogramModel(table, look, { rows, scaleRows, everything: scaleRows });
    return model === undefined ? 0 : mostOf(model, isStacked(look, model));
  });
  return { values: [{ min: 0, max: Math.max(0, ...heights) }] };
}

export function isStacked(look: Look, { parts }: Pick<HistogramModel, "parts">): boolean {
  return flagOf(look, "splitStack") || parts.length === 1;
}

interface PartsOptions {
  readonly codes: Int32Array;
  readonly span: BinSpan;
  readonly rows: Bits;
  readonly split: Column | undefined;
  readonly share: boolean;
  readonly counts: Float64Array;
  readonly total: number;
}

function partsOf({ codes, span, rows, split, share, counts, total }: PartsOptions): readonly HistogramPart[] {
  const shares = (heights: Float64Array, sum: number): Float64Array =>
    share && sum > 0 ? heights.map((height) => height / sum) : heights;
  if (split === undefined) return [{ name: "", index: 0, heights: shares(counts, total) }];
  const categories = categoriesOf(split);
  const groups = categories.names.length;
  const heights = Array.from({ length: groups + 1 }, () => new Float64Array(span.bins));
  for (const row of rows.toArray()) {
    const bin = codes[row] ?? -1;
    if (bin < 0) continue;
    const code = categories.codes[row] ?? -1;
    const into = heights[code < 0 ? groups : code];
    if (into !== undefined) into[bin] = (into[bin] ?? 0) + 1;
  }
  return heights
    .map((values, index) => {
      const sum = values.reduce((all, value) => all + value, 0);
      return {
        name: categories.names[index] ?? NO_VALUE,
        index: index < groups ? index : -1,
        heights: shares(values, sum),
        sum,
      };
    })
    .filter(({ sum }) => sum > 0)
    .map(({ name, index, heights: own }) => ({ name, index, heights: own }));
}

function colorsOf(
  table: Table,
  look: Look,
  { codes, rows, bins }: { readonly codes: Int32Array; readonly rows: Bits; readonly bins: number },
): Float64Array | undefined {
  const column = chosen(table, look, "colorColumnName");
  if (column === undefined) return undefined;
  const kind = (textOf(look, "colorAggrType") ?? "avg") as Aggregate;
  const groups = rowsByGroup(codes, bins, rows.toArray());
  return Float64Array.from({ length: bins }, (_, bin) => aggregate(kind, column, groups[bin] ?? new Int32Array(0)));
}

/** Where each part starts and ends in each bin; stacked, or all from zero. */
export function stacked(
  parts: readonly HistogramPart[],
  bins: number,
): readonly (readonly (readonly [from: number, to: number])[])[] {
  const tops = new Float64Array(bins);
  return parts.map(({ heights }) =>
    Array.from(heights, (height, bin): readonly [number, number] => {
      const from = tops[bin] ?? 0;
      tops[bin] = from + height;
      return [from, from + height];
    }),
  );
}
