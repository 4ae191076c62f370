import type { Bits } from "../../data/bits.ts";
import { isNumeric } from "../../data/column.ts";
import { statsOf } from "../../data/stats.ts";
import type { Table } from "../../data/table.ts";
import { axisColumn, type AxisColumn } from "../drawing/axis-column.ts";
import { shortWords } from "../drawing/categories.ts";
import { axisRule, joinedNotes } from "../drawing/log-axis.ts";
import { extentOf, joinedExtent, type Extent } from "../drawing/scale.ts";
import { chosenList, flagOf, listOf, numberOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export interface PcAxis {
  readonly axis: AxisColumn;
  readonly extent: Extent;
  readonly logarithmic: boolean;
  /** From 0 at the bottom to 1 at the top; NaN: no value. */
  readonly shareOf: (value: number) => number;
  readonly valueAt: (share: number) => number;
  readonly low: string;
  readonly high: string;
  /** Shares of the quartiles and the mean; absent: not asked for, or no numbers. */
  readonly quartiles: readonly [q1: number, q3: number] | undefined;
  readonly median: number | undefined;
  readonly mean: number | undefined;
}

export interface PcModel {
  readonly axes: readonly PcAxis[];
  readonly rows: Int32Array;
  readonly out: Int32Array;
  readonly note: string | undefined;
}

interface PcRows {
  readonly rows: Bits;
  readonly everything: Bits;
}

export function pcModel(table: Table, look: Look, { rows, everything }: PcRows): PcModel {
  const logs = new Set(listOf(look, "logColumnsColumnNames"));
  const most = numberOf(look, "maxCategories") ?? 100;
  const out = flagOf(look, "showFilteredOutLines") ? everything.without(rows) : undefined;
  const scaleRows = out === undefined ? rows : everything;
  const axes = chosenList(table, look, "columnNames")
    .map(axisColumn)
    .filter(({ names }) => names === undefined || names.length <= most);
  const numbers = axes.filter(({ names, column }) => names === undefined && column.type !== "datetime");
  const rules = new Map(
    axes.map(({ column }) => [
      column,
      axisRule(column, { rows, scaleRows }, logs.has(column.name) ? "logarithmic" : "linear"),
    ]),
  );
  const extents = numbers.map(({ column }) => extentOf(column, scaleRows));
  const common = flagOf(look, "normalizeEachColumn") ? undefined : joinedExtent(extents);
  return {
    axes: axes.map((axis) => {
      const logarithmic = rules.get(axis.column)?.type === "logarithmic";
      const own =
        axis.names === undefined
          ? extentOf(axis.column, scaleRows, logarithmic)
          : { min: 0, max: Math.max(1, axis.names.length - 1) };
      return axisOf({
        axis,
        logarithmic,
        rows,
        look,
        extent: numbers.includes(axis) ? commonOr(common, own, logarithmic) : own,
      });
    }),
    note: joinedNotes(...[...rules.values()].map(({ note }) => note)),
    rows: rows.toArray(),
    out: out?.toArray() ?? new Int32Array(0),
  };
}

/** A logarithmic axis begins above zero, also where others begin below. */
function commonOr(common: Extent | undefined, own: Extent, logarithmic: boolean): Extent {
  if (common === undefined) return own;
  return logarithmic && common.min <= 0 ? { min: own.min, max: common.max } : common;
}

interface AxisOptions {
  readonly axis: AxisColumn;
  readonly extent: Extent;
  readonly logarithmic: boolean;
  readonly rows: Bits;
  readonly look: Look;
}

function axisOf({ axis, extent, logarithmic, rows, look }: AxisOptions): PcAxis {
  const { min, max } = extent;
  const logs = logarithmic && min > 0;
  const [low, high] = logs ? [Math.log(min), Math.log(max)] : [min, max];
  const shareOf = (value: number): number => {
    if (!Number.isFinite(value) || (logs && value <= 0)) return Number.NaN;
    return high > low ? ((logs ? Math.log(value) : value) - low) / (high - low) : value === min ? 0.5 : Number.NaN;
  };
  // What lies below a logarithmic axis has its mark at the lower end.
  const markOf = (value: number): number | undefined => {
    const share = logs && value <= 0 ? 0 : shareOf(value);
    return Number.isNaN(share) ? undefined : Math.max(0, Math.min(1, share));
  };
  const valueAt = (share: number): number => {
    const at = low + share * (high - low);
    return logs ? Math.exp(at) : at;
  };
  const wanted = ["showInterquartileRange", "showMedian", "showMeanCross"].some((name) => flagOf(look, name));
  const stats = wanted && isNumeric(axis.column) ? statsOf(axis.column, rows) : undefined;
  const mark = (name: string, value: number | undefined): number | undefined =>
    value !== undefined && flagOf(look, name) ? markOf(value) : undefined;
  const [q1, q3] = stats === undefined ? [] : [markOf(stats.q1), markOf(stats.q3)];
  return {
    axis,
    extent,
    logarithmic: logs,
    shareOf,
    valueAt,
    low: endText(axis, min, 0),
    high: endText(axis, max, -1),
    quartiles: q1 !== undefined && q3 !== undefined && flagOf(look, "showInterquartileRange") ? [q1, q3] : undefined,
    median: mark("showMedian", stats?.median),
    mean: mark("showMeanCross", stats?.avg),
  };
}

/** "" where the axis has no values. */
function endText({ names, column }: AxisColumn, value: number, place: number): string {
  if (names !== undefined) return names.at(place) ?? "";
  return Number.isFinite(value) ? shortWords(column, value) : "";
}

/** Many rows are drawn as the strands between these many places of neighbouring axes, each as dense as its rows. */
const PLACES = 160;

export interface Strand {
  readonly from: number;
  readonly to: number;
  /** Place in the list of colours. */
  readonly color: number;
  readonly count: number;
}

/** Rows between two axes, gathered. */
export function strandsOf(
  left: PcAxis,
  right: PcAxis,
  rows: Int32Array,
  places: Uint16Array | undefined,
): readonly Strand[] {
  const counts = new Map<number, number>();
  const spread = PLACES - 1;
  for (const row of rows) {
    const [a, b] = [
      left.shareOf(left.axis.positions[row] ?? Number.NaN),
      right.shareOf(right.axis.positions[row] ?? Number.NaN),
    ];
    if (!(a >= 0 && a <= 1 && b >= 0 && b <= 1)) continue;
    const key = ((places?.[row] ?? 0) * PLACES + Math.round(a * spread)) * PLACES + Math.round(b * spread);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => ({
    color: Math.floor(key / (PLACES * PLACES)),
    from: (Math.floor(key / PLACES) % PLACES) / spread,
    to: (key % PLACES) / spread,
    count,
  }));
}
