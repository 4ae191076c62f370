import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { categoriesOf, groupsOf, type CategoryRows } from "../drawing/categories.ts";
import { countWords } from "../drawing/words.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

interface Raw extends CategoryRows {
  readonly value: number;
}

export interface Slice extends Raw {
  /** Of the whole, 0 to 1. */
  readonly share: number;
  /** Radians, clockwise from the top. */
  readonly start: number;
  readonly end: number;
  /** Length as a share of the radius. */
  readonly length: number;
}

export interface PieModel {
  readonly column: Column;
  readonly measure: string;
  readonly slices: readonly Slice[];
  /** What is past the most slices goes into one. */
  readonly gathered: number;
  /** Groups that have no angle, in words. */
  readonly note: string | undefined;
  /** Rows in the slices. */
  readonly drawn: number;
}

/** Thinner slices cannot be told apart; the smallest are gathered into one. */
const MOST_SLICES = 60;
/** The shortest slice, as a share of the longest. */
const SHORTEST = 0.25;

/** Undefined: there is no column to show. */
export function pieModel(table: Table, look: Look, rows: Bits): PieModel | undefined {
  const column = chosen(table, look, "categoryColumnName");
  if (column === undefined) return undefined;
  const measured = chosen(table, look, "segmentAngleColumnName");
  const kind = measured === undefined ? "count" : ((textOf(look, "segmentAngleAggrType") ?? "sum") as Aggregate);
  const raw = groupsOf(categoriesOf(column, textOf(look, "categoryMap")), rows.toArray())
    .filter(({ rows: list, index }) => list.length > 0 && (index >= 0 || flagOf(look, "includeNulls")))
    .map(({ name, index, rows: list }): Raw => ({
      name,
      index,
      rows: list,
      value: aggregate(kind, measured ?? column, list),
    }));
  const drawable = raw.filter(({ value }) => value > 0 && Number.isFinite(value));
  const { kept, gathered } = gather(sorted(drawable, look));
  const left = raw.filter(({ value }) => !Number.isNaN(value)).length - drawable.length;
  return {
    column,
    measure: measured === undefined ? "count" : `${kind}(${measured.name})`,
    slices: layOut(kept, look, lengthsOf(kept, table, look)),
    gathered,
    note:
      left === 0
        ? undefined
        : `${countWords(left, "group")} with a value ≤ 0 or infinite not shown: a slice has no negative angle.`,
    drawn: drawable.reduce((sum, slice) => sum + slice.rows.length, 0),
  };
}

function sorted(slices: readonly Raw[], look: Look): readonly Raw[] {
  const sign = textOf(look, "pieSortOrder") === "asc" ? 1 : -1;
  if (textOf(look, "pieSortType") === "by value")
    return slices.toSorted((left, right) => sign * (left.value - right.value) || left.index - right.index);
  return sign > 0 ? slices : slices.toReversed();
}

function gather(slices: readonly Raw[]): { readonly kept: readonly Raw[]; readonly gathered: number } {
  if (slices.length <= MOST_SLICES) return { kept: slices, gathered: 0 };
  const largest = new Set(slices.toSorted((left, right) => right.value - left.value).slice(0, MOST_SLICES - 1));
  const rest = slices.filter((slice) => !largest.has(slice));
  const rows = Int32Array.from(rest.flatMap((slice) => [...slice.rows])).sort();
  const value = rest.reduce((sum, slice) => sum + slice.value, 0);
  return {
    kept: [...slices.filter((slice) => largest.has(slice)), { name: `${rest.length} others`, index: -1, value, rows }],
    gathered: rest.length,
  };
}

function lengthsOf(slices: readonly Raw[], table: Table, look: Look): readonly number[] {
  const column = chosen(table, look, "segmentLengthColumnName");
  if (column === undefined) return slices.map(() => 1);
  const kind = (textOf(look, "segmentLengthAggrType") ?? "avg") as Aggregate;
  const values = slices.map(({ rows }) => Math.max(0, aggregate(kind, column, rows) || 0));
  const most = Math.max(...values.filter(Number.isFinite));
  return values.map((value) => (most > 0 ? SHORTEST + (1 - SHORTEST) * Math.min(1, value / most) : 1));
}

const CIRCLE = 2 * Math.PI;

function layOut(slices: readonly Raw[], look: Look, lengths: readonly number[]): readonly Slice[] {
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  let at = ((numberOf(look, "startAngle") ?? 0) * Math.PI) / 180;
  return slices.map((slice, place) => {
    const share = slice.value / total;
    const start = at;
    at += share * CIRCLE;
    return { ...slice, share, start, end: at, length: lengths[place] ?? 1 };
  });
}
