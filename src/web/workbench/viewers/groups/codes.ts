import { isText, type Column } from "../../data/column.ts";
import { textAt } from "../../data/format.ts";
import { NO_VALUE } from "../drawing/categories.ts";

/** A small number for each different value of a column, so that rows can be counted by it. */
export interface Coded {
  /** By row; -1 where there is no value. */
  readonly codes: Int32Array;
  /** What a code stands for, as the grid shows it. */
  readonly labels: readonly string[];
  /** The codes in the order of their values: numbers and dates by size, texts by the alphabet with numbers in them by size. */
  readonly order: Int32Array;
}

/** Different values of a column of numbers that can be told apart as groups. */
const MOST_NUMBERS = 50_000;
/** Above this, texts are ordered by their characters alone: the rules of a language would take too long. */
const MOST_COLLATED = 5_000;

const made = new WeakMap<Column, Coded | "too many">();

/** Absent: a column of numbers with more different values than groups make sense of. Columns never change, so each is coded once. */
export function codesOf(column: Column): Coded | undefined {
  const known = made.get(column) ?? code(column);
  made.set(column, known);
  return known === "too many" ? undefined : known;
}

export function labelOf(coded: Coded, code: number): string {
  const label = coded.labels[code];
  return label === undefined || label === "" ? NO_VALUE : label;
}

/** Orders groups by the values that their codes stand for, the first column first; without a value last. */
export function byValues(columns: readonly Coded[]): (left: readonly number[], right: readonly number[]) => number {
  const ranks = columns.map(({ order }) => {
    const rank = new Int32Array(order.length);
    for (const [place, code] of order.entries()) rank[code] = place;
    return (code = -1): number => (code < 0 ? rank.length : (rank[code] ?? 0));
  });
  return (left, right) => {
    for (const [at, rank] of ranks.entries()) {
      const difference = rank(left[at]) - rank(right[at]);
      if (difference !== 0) return difference;
    }
    return 0;
  };
}

function code(column: Column): Coded | "too many" {
  if (isText(column)) return { codes: column.codes, labels: column.categories, order: textOrder(column.categories) };
  if (column.type === "bool") return codeBools(column.numbers);
  const codes = new Int32Array(column.numbers.length).fill(-1);
  const seen = new Map<number, number>();
  const labels: string[] = [];
  const values: number[] = [];
  for (let row = 0; row < codes.length; row += 1) {
    const value = column.numbers[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    let found = seen.get(value);
    if (found === undefined) {
      if (values.length === MOST_NUMBERS) return "too many";
      found = values.length;
      seen.set(value, found);
      values.push(value);
      labels.push(textAt(column, row));
    }
    codes[row] = found;
  }
  const order = Int32Array.from(values.keys()).sort((left, right) => (values[left] ?? 0) - (values[right] ?? 0));
  return { codes, labels, order };
}

function codeBools(numbers: Float64Array): Coded {
  const codes = Int32Array.from(numbers, (value) => (Number.isNaN(value) ? -1 : value));
  return { codes, labels: ["false", "true"], order: Int32Array.of(0, 1) };
}

function textOrder(labels: readonly string[]): Int32Array {
  const order = Int32Array.from(labels.keys());
  if (labels.length > MOST_COLLATED) {
    return order.sort((left, right) => ((labels[left] ?? "") < (labels[right] ?? "") ? -1 : 1));
  }
  const collator = new Intl.Collator("en", { numeric: true });
  return order.sort((left, right) => collator.compare(labels[left] ?? "", labels[right] ?? ""));
}
