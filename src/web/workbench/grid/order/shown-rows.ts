import type { Bits } from "../../data/bits.ts";

/** The rows in the order in which the grid shows them. A position counts from 0; a row is a number of the table. */
export interface ShownRows {
  readonly count: number;
  /** -1 if there is no row. */
  readonly at: (position: number) => number;
  /** -1 if it is not shown. */
  readonly positionOf: (row: number) => number;
  /** From a position up to another, exclusive. */
  readonly slice: (from: number, to: number) => Int32Array;
}

/** `sorted`: all rows of the table in their order; absent: as they came. */
export function shownRows(filtered: Bits, sorted: Int32Array | undefined): ShownRows {
  const count = filtered.count;
  if (count === filtered.length) return sorted === undefined ? everyRow(count) : listedRows(sorted);
  if (sorted === undefined) return listedRows(filtered.toArray());
  const rows = new Int32Array(count);
  let at = 0;
  for (const row of sorted) {
    if (!filtered.has(row)) continue;
    rows[at] = row;
    at += 1;
  }
  return listedRows(rows);
}

function everyRow(count: number): ShownRows {
  const inside = (row: number): number => (row >= 0 && row < count ? row : -1);
  return {
    count,
    at: inside,
    positionOf: inside,
    slice: (from, to) =>
      Int32Array.from({ length: Math.max(0, Math.min(to, count) - from) }, (_, index) => from + index),
  };
}

function listedRows(rows: Int32Array): ShownRows {
  return {
    count: rows.length,
    at: (position) => rows[position] ?? -1,
    positionOf: (row) => rows.indexOf(row),
    slice: (from, to) => rows.subarray(Math.max(0, from), Math.max(0, to)),
  };
}
