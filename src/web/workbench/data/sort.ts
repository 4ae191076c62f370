import type { Bits } from "./bits.ts";
import { isText } from "./column.ts";
import type { Column, ExactTexts } from "./column.ts";
import { radixSort } from "./radix.ts";
import { rankOfCategories, rankOfExact } from "./rank.ts";
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
    order = orderBy(order, column, descending);
  }
  return order;
}

function orderBy(order: Int32Array, column: Column, descending: boolean): Int32Array<ArrayBuffer> {
  if (isText(column)) return orderByRank(order, { texts: column, ranks: rankOfCategories(column), descending });
  const { exact, numbers } = column;
  return exact === undefined
    ? orderByNumber(order, numbers, descending)
    : orderByRank(order, { texts: exact, ranks: rankOfExact(exact), descending });
}

/** The key of missing values. */
const LAST = 0xffffffff;

function orderByRank(
  order: Int32Array,
  by: { readonly texts: ExactTexts; readonly ranks: Int32Array; readonly descending: boolean },
): Int32Array<ArrayBuffer> {
  const { texts, ranks, descending } = by;
  const keys = new Uint32Array(order.length);
  for (let index = 0; index < order.length; index += 1) {
    const code = texts.codes[order[index] ?? 0] ?? -1;
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
