import type { Bits } from "../../data/bits.ts";
import { isText, type Column, type NumberColumn, type TextColumn } from "../../data/column.ts";
import type { FilterSpec } from "../../data/filter.ts";
import { numberText } from "../../data/format.ts";
import { GRID_LIMITS } from "../sizes.ts";

/** What the filter of a numeric column starts with. */
export interface RangeFacts {
  /** NaN where there are no values. */
  readonly min: number;
  readonly max: number;
  readonly missing: number;
  /** Rows by equal parts of the range. */
  readonly bins: readonly number[];
}

/** Of all rows; the bins only of some. */
export function rangeFacts(column: NumberColumn, rows: Bits): RangeFacts {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  let missing = 0;
  for (const number of column.numbers) {
    if (Number.isNaN(number)) missing += 1;
    else if (Number.isFinite(number)) {
      if (number < min) min = number;
      if (number > max) max = number;
    }
  }
  if (min > max) return { min: Number.NaN, max: Number.NaN, missing, bins: [] };
  const bins = Array.from({ length: GRID_LIMITS.histogramBins }, () => 0);
  const share = max === min ? 0 : GRID_LIMITS.histogramBins / (max - min);
  for (let row = 0; row < column.numbers.length; row += 1) {
    const number = column.numbers[row] ?? Number.NaN;
    if (!Number.isFinite(number) || !rows.has(row)) continue;
    const bin = Math.min(bins.length - 1, Math.floor((number - min) * share));
    bins[bin] = (bins[bin] ?? 0) + 1;
  }
  return { min, max, missing, bins };
}

export interface ValueCount {
  /** `null` stands for rows without a value. */
  readonly value: string | null;
  readonly rows: number;
}

/** Each value of a column with how many of some rows have it; frequent ones first, unless there are too many to put in order. */
export function valueCounts(column: Column, rows: Bits): readonly ValueCount[] {
  const { texts, codeAt } = isText(column) ? codesOf(column) : boolCodes(column);
  const counts = new Int32Array(texts.length + 1);
  for (let row = 0; row < rows.length; row += 1) {
    if (!rows.has(row)) continue;
    const code = codeAt(row) + 1;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  const values = texts.map((value, code): ValueCount => ({ value, rows: counts[code + 1] ?? 0 }));
  const listed = values.length > SORTED_VALUES ? values : values.toSorted((one, other) => other.rows - one.rows);
  return (counts[0] ?? 0) > 0 ? [{ value: null, rows: counts[0] ?? 0 }, ...listed] : listed;
}

/** More would keep the page busy. */
const SORTED_VALUES = 20_000;

interface ColumnCodes {
  readonly texts: readonly string[];
  /** -1: there is none. */
  readonly codeAt: (row: number) => number;
}

function codesOf(column: TextColumn): ColumnCodes {
  return { texts: column.categories, codeAt: (row) => column.codes[row] ?? -1 };
}

function boolCodes(column: NumberColumn): ColumnCodes {
  const texts = [numberText("bool", 0), numberText("bool", 1)];
  return {
    texts,
    codeAt: (row) => {
      const number = column.numbers[row] ?? Number.NaN;
      return Number.isNaN(number) ? -1 : Math.min(1, number);
    },
  };
}

/** The values whose text holds a search, up to a list's length. */
export function foundValues(values: readonly ValueCount[], search: string): readonly ValueCount[] {
  const wanted = search.trim().toLowerCase();
  const found: ValueCount[] = [];
  for (const value of values) {
    if (found.length >= GRID_LIMITS.listedValues) break;
    if (wanted === "" || (value.value ?? "no value").toLowerCase().includes(wanted)) found.push(value);
  }
  return found;
}

/** Absent where it would let every row through. */
export function rangeSpec(
  column: string,
  facts: RangeFacts,
  range: { readonly min: number | undefined; readonly max: number | undefined; readonly missing: boolean },
): FilterSpec | undefined {
  const min = range.min !== undefined && range.min > facts.min ? range.min : undefined;
  const max = range.max !== undefined && range.max < facts.max ? range.max : undefined;
  if (min === undefined && max === undefined && (range.missing || facts.missing === 0)) return undefined;
  return {
    kind: "range",
    column,
    ...(min === undefined ? {} : { min }),
    ...(max === undefined ? {} : { max }),
    ...(range.missing && facts.missing > 0 ? { missing: true } : {}),
  };
}
