import { isText, type Column, type NumberColumn } from "../../data/column.ts";
import type { Bits } from "../../data/bits.ts";
import { dateText, figure, numberText, shortNumber } from "../../data/format.ts";
import { extentIn } from "./extent.ts";

/** A column seen as groups: each row's group by number, in the order in which they are shown. */
export interface Categories {
  /** -1: no value. */
  readonly codes: Int32Array;
  readonly names: readonly string[];
}

/** Numbers with more different values than this become ranges. */
const MOST_VALUES = 24;
const RANGES = 10;

/** Columns never change, so what was found is kept with them, by time unit ("" for none). */
const known = new WeakMap<Column, Map<string, Categories>>();

/** The units that times can be grouped by. */
export const TIME_MAPS = ["year", "quarter", "month"] as const;

export const NO_VALUE = "(no value)";

/** `map`: the unit that times are grouped by; absent: years where there are many. */
export function categoriesOf(column: Column, map = ""): Categories {
  const kept = known.get(column) ?? new Map<string, Categories>();
  const before = kept.get(map);
  if (before !== undefined) return before;
  const made = isText(column) ? textCategories(column.codes, column.categories) : numberCategories(column, map);
  known.set(column, kept.set(map, made));
  return made;
}

const byName = new Intl.Collator("en", { numeric: true, sensitivity: "base" });

function textCategories(codes: Int32Array, categories: readonly string[]): Categories {
  const order = categories.map((_, code) => code);
  order.sort((left, right) => byName.compare(categories[left] ?? "", categories[right] ?? ""));
  const places = new Int32Array(categories.length);
  order.forEach((code, place) => {
    places[code] = place;
  });
  return {
    codes: codes.map((code) => (code < 0 ? -1 : (places[code] ?? -1))),
    names: order.map((code) => categories[code] ?? ""),
  };
}

function numberCategories(column: NumberColumn, map: string): Categories {
  if (column.type === "bool")
    return {
      codes: Int32Array.from(column.numbers, (value) => (Number.isNaN(value) ? -1 : value)),
      names: ["false", "true"],
    };
  if (column.type === "datetime" && map !== "") return timeCategories(column.numbers, map);
  const values = fewValues(column.numbers);
  if (values === undefined)
    return column.type === "datetime" ? timeCategories(column.numbers, "year") : rangeCategories(column);
  const places = new Map(values.map((value, place) => [value, place]));
  return {
    codes: Int32Array.from(column.numbers, (value) => places.get(value) ?? -1),
    names: values.map((value) => valueName(column, value)),
  };
}

function timeCategories(numbers: Float64Array, map: string): Categories {
  const steps = Int32Array.from(numbers, (value) => (Number.isFinite(value) ? stepOf(new Date(value), map) : -1));
  const order = [...new Set(steps)].filter((step) => step >= 0).sort((left, right) => left - right);
  const places = new Map(order.map((step, place) => [step, place]));
  return {
    codes: steps.map((step) => places.get(step) ?? -1),
    names: order.map((step) => stepName(step, map)),
  };
}

/** Units since the year 0: what comes later is greater. Times before count with it. */
function stepOf(date: Date, map: string): number {
  const year = Math.max(0, date.getUTCFullYear());
  if (map === "year") return year;
  return map === "quarter" ? year * 4 + Math.floor(date.getUTCMonth() / 3) : year * 12 + date.getUTCMonth();
}

function stepName(step: number, map: string): string {
  if (map === "year") return String(step);
  if (map === "quarter") return `${Math.floor(step / 4)} Q${(step % 4) + 1}`;
  return `${Math.floor(step / 12)}-${String((step % 12) + 1).padStart(2, "0")}`;
}

function fewValues(numbers: Float64Array): readonly number[] | undefined {
  const seen = new Set<number>();
  for (const value of numbers) {
    if (Number.isNaN(value)) continue;
    seen.add(value);
    if (seen.size > MOST_VALUES) return undefined;
  }
  return [...seen].sort((left, right) => left - right);
}

function rangeCategories(column: NumberColumn): Categories {
  const { min, max } = extentIn(column.numbers);
  const step = (max - min) / RANGES;
  const edges = Array.from({ length: RANGES + 1 }, (_, index) => min + step * index);
  return {
    codes: Int32Array.from(column.numbers, (value) =>
      Number.isNaN(value) ? -1 : Math.max(0, Math.min(RANGES - 1, Math.floor((value - min) / step))),
    ),
    names: edges
      .slice(1)
      .map((edge, index) => `${edgeText(column, edges[index] ?? min, step)} – ${edgeText(column, edge, step)}`),
  };
}

/** As many digits as tell the ends of ranges apart. */
function edgeText(column: NumberColumn, value: number, step: number): string {
  if (column.type === "datetime") return dateText(value);
  const digits = 1 - Math.floor(Math.log10(step));
  return digits <= -2 || digits > 12 ? shortNumber(value) : String(Number(value.toFixed(Math.max(0, digits))));
}

/** A number of a column, or one computed from it, as people read it. */
export function wordsOf(column: Column, value: number): string {
  if (Number.isNaN(value)) return NO_VALUE;
  return column.type === "datetime" ? dateText(value) : figure(value);
}

/** The same where there is little room, rounded. */
export function shortWords(column: Column, value: number): string {
  if (Number.isNaN(value)) return NO_VALUE;
  return column.type === "datetime" ? dateText(value) : shortNumber(value);
}

/** A value exactly: two that differ have different names. */
function valueName(column: NumberColumn, value: number): string {
  return column.type === "datetime" ? dateText(value) : numberText(column.type, value);
}

/** The rows of each group, ascending; the last list holds those without a value. */
export function rowsByGroup(codes: Int32Array, groups: number, list: Int32Array): readonly Int32Array[] {
  const counts = new Int32Array(groups + 1);
  for (const row of list) {
    const code = codes[row] ?? -1;
    counts[code < 0 ? groups : code] = (counts[code < 0 ? groups : code] ?? 0) + 1;
  }
  const made = Array.from(counts, (count) => new Int32Array(count));
  counts.fill(0);
  for (const row of list) {
    const code = codes[row] ?? -1;
    const group = code < 0 ? groups : code;
    const at = counts[group] ?? 0;
    const into = made[group];
    if (into !== undefined) into[at] = row;
    counts[group] = at + 1;
  }
  return made;
}

export interface CategoryRows {
  readonly name: string;
  /** Number of the category, for its colour; -1: no value. */
  readonly index: number;
  readonly rows: Int32Array;
}

/** Rows by category, also those that none of them has; without a value last. */
export function groupsOf({ codes, names }: Categories, list: Int32Array): readonly CategoryRows[] {
  return rowsByGroup(codes, names.length, list).map((rows, index) => ({
    name: names[index] ?? NO_VALUE,
    index: index < names.length ? index : -1,
    rows,
  }));
}

/** How many of a list of rows are in a set. */
export function countIn(list: Int32Array, rows: Bits): number {
  let count = 0;
  for (const row of list) if (rows.has(row)) count += 1;
  return count;
}
