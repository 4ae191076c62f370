import type { Bits } from "./bits.ts";
import { isText } from "./column.ts";
import type { Column, TextColumn } from "./column.ts";
import type { Table } from "./table.ts";

export interface SortKey {
  readonly column: string;
  readonly descending: boolean;
}

/** The rows in order: by the first key, equal ones by the next. Missing values come last in either direction; equal rows keep their order. */
export function sortedRows(table: Table, keys: readonly SortKey[], rows: Bits): Int32Array {
  let order = rows.toArray();
  for (const { column: name, descending } of keys.toReversed()) {
    const column = table.column(name);
    if (column === undefined)
      throw new Error(`There is no column "${name}". Columns: ${table.columns.map((each) => each.name).join(", ")}.`);
    order = isText(column) ? orderByText(order, column, descending) : orderByNumber(order, column.numbers, descending);
  }
  return order;
}

const LAST = 0xffffffff;
const collator = new Intl.Collator("en");
const ranksOf = new WeakMap<Column, Int32Array>();

/** By category code its place in the order of words: as in a dictionary, capital letters beside small ones; whole numbers by size. */
export function rankOfCategories(column: TextColumn): Int32Array {
  const found = ranksOf.get(column);
  if (found !== undefined) return found;
  const { categories } = column;
  const codes = Array.from(categories.keys());
  if (column.type === "bigint") {
    const numbers = categories.map((text) => BigInt(text));
    codes.sort((left, right) => compareBig(numbers[left] ?? 0n, numbers[right] ?? 0n));
  } else {
    codes.sort((left, right) => collator.compare(categories[left] ?? "", categories[right] ?? ""));
  }
  const ranks = new Int32Array(categories.length);
  codes.forEach((code, rank) => {
    ranks[code] = rank;
  });
  ranksOf.set(column, ranks);
  return ranks;
}

function compareBig(left: bigint, right: bigint): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

function orderByText(order: Int32Array, column: TextColumn, descending: boolean): Int32Array<ArrayBuffer> {
  const ranks = rankOfCategories(column);
  const keys = new Uint32Array(order.length);
  for (let index = 0; index < order.length; index += 1) {
    const code = column.codes[order[index] ?? 0] ?? -1;
    const rank = ranks[code] ?? 0;
    keys[index] = code < 0 ? LAST : descending ? ranks.length - 1 - rank : rank;
  }
  return radixSort(order, [keys]);
}

/** The bits of a double, seen as two whole numbers and turned so that their order is that of the doubles. */
function orderByNumber(order: Int32Array, numbers: Float64Array, descending: boolean): Int32Array<ArrayBuffer> {
  const low = new Uint32Array(order.length);
  const high = new Uint32Array(order.length);
  const turn = descending ? LAST : 0;
  const one = new Float64Array(1);
  const halves = new Uint32Array(one.buffer);
  for (let index = 0; index < order.length; index += 1) {
    const number = numbers[order[index] ?? 0] ?? Number.NaN;
    if (Number.isNaN(number)) {
      low[index] = LAST;
      high[index] = LAST;
      continue;
    }
    // -0 and 0 are equal.
    one[0] = number + 0;
    const lower = halves[0] ?? 0;
    const upper = halves[1] ?? 0;
    const negative = upper >>> 31 === 1;
    low[index] = (negative ? ~lower : lower) ^ turn;
    high[index] = (negative ? ~upper : upper | 0x80000000) ^ turn;
  }
  return radixSort(order, [low, high]);
}

const DIGIT_BITS = 16;
const DIGITS = 2 ** DIGIT_BITS;

/** Stable, by keys from the least to the most significant. */
function radixSort(order: Int32Array, keys: readonly Uint32Array[]): Int32Array<ArrayBuffer> {
  const { length } = order;
  let places: Int32Array<ArrayBuffer> = new Int32Array(length);
  for (let index = 0; index < length; index += 1) places[index] = index;
  let spare: Int32Array<ArrayBuffer> = new Int32Array(length);
  for (const key of keys) {
    for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
      const starts = new Int32Array(DIGITS + 1);
      for (let index = 0; index < length; index += 1) {
        const digit = ((key[index] ?? 0) >>> shift) & (DIGITS - 1);
        starts[digit + 1] = (starts[digit + 1] ?? 0) + 1;
      }
      if (length > 0 && starts[(((key[0] ?? 0) >>> shift) & (DIGITS - 1)) + 1] === length) continue;
      for (let digit = 0; digit < DIGITS; digit += 1)
        starts[digit + 1] = (starts[digit + 1] ?? 0) + (starts[digit] ?? 0);
      for (let index = 0; index < length; index += 1) {
        const place = places[index] ?? 0;
        const digit = ((key[place] ?? 0) >>> shift) & (DIGITS - 1);
        const target = starts[digit] ?? 0;
        starts[digit] = target + 1;
        spare[target] = place;
      }
      [places, spare] = [spare, places];
    }
  }
  for (let index = 0; index < length; index += 1) spare[index] = order[places[index] ?? 0] ?? 0;
  return spare;
}
