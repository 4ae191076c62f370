import type { Bits } from "./bits.ts";
import { isMissing, isText, numberAt } from "./column.ts";
import type { Column, ExactTexts, NumberColumn } from "./column.ts";
import { numberText } from "./format.ts";
import { rankOfCategories, rankOfExact } from "./rank.ts";
import { quantile, sumOf, varianceOf } from "./stats.ts";

/** `count`: rows. `values`: rows with a value. `nulls`: rows without. `first`: the first value. */
export const AGGREGATES = [
  "avg",
  "min",
  "max",
  "sum",
  "med",
  "stdev",
  "variance",
  "q1",
  "q3",
  "count",
  "values",
  "unique",
  "nulls",
  "first",
] as const;

export type Aggregate = (typeof AGGREGATES)[number];

/** One number for some rows of a column. NaN where there is none, such as the mean of no values. Texts count as the numbers that they read as. */
export function aggregate(kind: Aggregate, column: Column, rows: Iterable<number> | Int32Array): number {
  const picked = rows instanceof Int32Array ? rows : Int32Array.from(rows);
  switch (kind) {
    case "count":
      return picked.length;
    case "values":
      return valueCount(column, picked);
    case "nulls":
      return picked.length - valueCount(column, picked);
    case "unique":
      return uniqueCount(column, picked);
    case "first":
      return firstOf(column, picked);
    case "avg":
    case "min":
    case "max":
    case "sum":
    case "med":
    case "stdev":
    case "variance":
    case "q1":
    case "q3":
      return ofNumbers(kind, numbersOf(column, picked));
  }
}

function ofNumbers(
  kind: "avg" | "min" | "max" | "sum" | "med" | "stdev" | "variance" | "q1" | "q3",
  numbers: Float64Array,
): number {
  if (numbers.length === 0) return Number.NaN;
  switch (kind) {
    case "avg":
      return sumOf(numbers) / numbers.length;
    case "sum":
      return sumOf(numbers);
    case "min":
      return numbers.reduce((least, number) => (number < least ? number : least));
    case "max":
      return numbers.reduce((most, number) => (number > most ? number : most));
    case "med":
      return quantile(numbers.sort(), 0.5);
    case "q1":
      return quantile(numbers.sort(), 0.25);
    case "q3":
      return quantile(numbers.sort(), 0.75);
    case "variance":
      return varianceOf(numbers);
    case "stdev":
      return Math.sqrt(varianceOf(numbers));
  }
}

function numbersOf(column: Column, rows: Int32Array): Float64Array {
  const numbers = new Float64Array(rows.length);
  let at = 0;
  for (const row of rows) {
    const number = numberAt(column, row);
    if (Number.isNaN(number)) continue;
    numbers[at] = number;
    at += 1;
  }
  return numbers.subarray(0, at);
}

function valueCount(column: Column, rows: Int32Array): number {
  let values = 0;
  for (const row of rows) if (!isMissing(column, row)) values += 1;
  return values;
}

function uniqueCount(column: Column, rows: Int32Array): number {
  const seen = new Set<number>();
  const keys = isText(column) ? column.codes : (column.exact?.codes ?? column.numbers);
  for (const row of rows) if (!isMissing(column, row)) seen.add(keys[row] ?? 0);
  return seen.size;
}

function firstOf(column: Column, rows: Int32Array): number {
  for (const row of rows) {
    const number = numberAt(column, row);
    if (!Number.isNaN(number)) return number;
  }
  return Number.NaN;
}

export interface RowGroup {
  /** What the grid shows of the value; null: the rows without one. */
  readonly key: string | null;
  readonly rows: Int32Array;
}

/** Rows by value, in the order of the values, rows without one last. */
export function groupRows(column: Column, rows: Bits): RowGroup[] {
  const picked = rows.toArray();
  if (isText(column)) return groupTexts(column, { rows: picked, ranks: rankOfCategories(column) });
  return column.exact === undefined
    ? groupNumbers(column, picked)
    : groupTexts(column.exact, { rows: picked, ranks: rankOfExact(column.exact) });
}

function groupTexts(
  column: ExactTexts,
  { rows, ranks }: { readonly rows: Int32Array; readonly ranks: Int32Array },
): RowGroup[] {
  const groups = splitBy(rows, (row) => column.codes[row] ?? -1);
  return [...groups]
    .toSorted(([left], [right]) => (left < 0 ? 1 : right < 0 ? -1 : (ranks[left] ?? 0) - (ranks[right] ?? 0)))
    .map(([code, members]) => ({ key: column.categories[code] ?? null, rows: members }));
}

function groupNumbers(column: NumberColumn, rows: Int32Array): RowGroup[] {
  const groups = splitBy(rows, (row) => column.numbers[row] ?? Number.NaN);
  return [...groups]
    .toSorted(([left], [right]) => (Number.isNaN(left) ? 1 : Number.isNaN(right) ? -1 : left - right))
    .map(([number, members]) => ({
      key: Number.isNaN(number) ? null : numberText(column.type, number),
      rows: members,
    }));
}

/** Counts first, so that each group's array is made once in its size. */
function splitBy(rows: Int32Array, keyAt: (row: number) => number): Map<number, Int32Array> {
  const groupOf = new Map<number, number>();
  const sizes: number[] = [];
  const groupOfRow = new Int32Array(rows.length);
  for (let index = 0; index < rows.length; index += 1) {
    const key = keyAt(rows[index] ?? 0);
    let group = groupOf.get(key);
    if (group === undefined) {
      group = sizes.length;
      groupOf.set(key, group);
      sizes.push(0);
    }
    sizes[group] = (sizes[group] ?? 0) + 1;
    groupOfRow[index] = group;
  }
  const members = sizes.map((size) => new Int32Array(size));
  const filled = new Int32Array(sizes.length);
  for (let index = 0; index < rows.length; index += 1) {
    const group = groupOfRow[index] ?? 0;
    const place = filled[group] ?? 0;
    const list = members[group];
    if (list !== undefined) list[place] = rows[index] ?? 0;
    filled[group] = place + 1;
  }
  return new Map([...groupOf].map(([key, group]) => [key, members[group] ?? new Int32Array(0)]));
}
