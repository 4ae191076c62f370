import { Bits } from "./bits.ts";
import { isText } from "./column.ts";
import type { Column, ExactTexts, NumberColumn, TextColumn } from "./column.ts";

/** Times are milliseconds since 1970. NaN: not applicable, such as the mean of texts or the deviation of one value. */
export interface ColumnStats {
  /** Rows with a value. */
  readonly count: number;
  readonly missing: number;
  readonly unique: number;
  readonly min: number;
  readonly max: number;
  readonly sum: number;
  readonly avg: number;
  readonly median: number;
  /** Of a sample: divided by count - 1. */
  readonly stdev: number;
  readonly q1: number;
  readonly q3: number;
}

// Columns never change, so what was once counted holds.
const known = new WeakMap<Column, ColumnStats>();

/** Absent rows: all. */
export function statsOf(column: Column, rows?: Bits): ColumnStats {
  if (rows !== undefined) return count(column, rows);
  const found = known.get(column);
  if (found !== undefined) return found;
  const made = count(column, undefined);
  known.set(column, made);
  return made;
}

function count(column: Column, rows: Bits | undefined): ColumnStats {
  const length = isText(column) ? column.codes.length : column.numbers.length;
  const picked = rows === undefined || rows.count === length ? undefined : rows.toArray();
  const total = picked?.length ?? length;
  const numbers = sortedNumbers(column, picked);
  const unique = isText(column) ? uniqueTexts(column, picked) : uniqueOf(column, numbers, picked);
  const texts = isText(column) ? column : column.exact;
  const values = texts === undefined ? numbers.length : textCount(texts, picked);
  return { count: values, missing: total - values, unique, ...numberStats(numbers) };
}

function uniqueOf({ exact }: NumberColumn, sorted: Float64Array, rows: Int32Array | undefined): number {
  return exact === undefined ? uniqueNumbers(sorted) : uniqueTexts(exact, rows);
}

type NumberStats = Omit<ColumnStats, "count" | "missing" | "unique">;

/** Of numbers in ascending order. */
function numberStats(sorted: Float64Array): NumberStats {
  const count = sorted.length;
  const sum = sumOf(sorted);
  return {
    min: sorted[0] ?? Number.NaN,
    max: sorted[count - 1] ?? Number.NaN,
    sum: count === 0 ? Number.NaN : sum,
    avg: sum / count,
    median: quantile(sorted, 0.5),
    stdev: Math.sqrt(varianceOf(sorted)),
    q1: quantile(sorted, 0.25),
    q3: quantile(sorted, 0.75),
  };
}

/** With what each addition rounds off added at the end, so that many small numbers beside large ones are not lost. */
export function sumOf(numbers: Float64Array): number {
  let sum = 0;
  let rest = 0;
  for (const number of numbers) {
    const next = sum + number;
    rest += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
    sum = next;
  }
  return Number.isFinite(sum) ? sum + rest : sum;
}

/** Of a sample; in two passes, because squares of large numbers lose the small differences. */
export function varianceOf(numbers: Float64Array): number {
  const count = numbers.length;
  if (count < 2) return Number.NaN;
  const mean = sumOf(numbers) / count;
  let squares = 0;
  for (const number of numbers) squares += (number - mean) ** 2;
  return squares / (count - 1);
}

/** Between two values, the share of the way between them (what R calls type 7). Numbers in ascending order. */
export function quantile(sorted: Float64Array, share: number): number {
  if (sorted.length === 0) return Number.NaN;
  const place = (sorted.length - 1) * share;
  const below = Math.floor(place);
  const low = sorted[below] ?? Number.NaN;
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? Number.NaN;
  return place === below ? low : low + (high - low) * (place - below);
}

function sortedNumbers(column: Column, rows: Int32Array | undefined): Float64Array {
  if (column.type === "string") return new Float64Array(0);
  const numbers = isText(column) ? numbersOfTexts(column) : column.numbers;
  const length = rows?.length ?? numbers.length;
  const kept = new Float64Array(length);
  let at = 0;
  for (let index = 0; index < length; index += 1) {
    const number = numbers[rows === undefined ? index : (rows[index] ?? 0)] ?? Number.NaN;
    if (Number.isNaN(number)) continue;
    kept[at] = number;
    at += 1;
  }
  return kept.subarray(0, at).sort();
}

function numbersOfTexts(column: TextColumn): Float64Array {
  const ofCategory = column.categories.map(Number);
  return Float64Array.from(column.codes, (code) => ofCategory[code] ?? Number.NaN);
}

function uniqueNumbers(sorted: Float64Array): number {
  let unique = 0;
  for (let index = 0; index < sorted.length; index += 1)
    if (index === 0 || sorted[index] !== sorted[index - 1]) unique += 1;
  return unique;
}

function uniqueTexts(column: ExactTexts, rows: Int32Array | undefined): number {
  const seen = new Bits(column.categories.length);
  const length = rows?.length ?? column.codes.length;
  for (let index = 0; index < length; index += 1) {
    const code = column.codes[rows === undefined ? index : (rows[index] ?? 0)] ?? -1;
    if (code >= 0) seen.add(code);
  }
  return seen.count;
}

function textCount(column: ExactTexts, rows: Int32Array | undefined): number {
  let values = 0;
  const length = rows?.length ?? column.codes.length;
  for (let index = 0; index < length; index += 1)
    if ((column.codes[rows === undefined ? index : (rows[index] ?? 0)] ?? -1) >= 0) values += 1;
  return values;
}
