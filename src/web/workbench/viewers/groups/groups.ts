import type { Coded } from "./codes.ts";

/** Rows by their values in some columns. Groups are in the order in which they first come. */
export interface RowGroups {
  /** Of each group: the code of each column, -1 where it has no value. */
  readonly keys: readonly (readonly number[])[];
  /** Where the rows of a group begin in `rows`; one more at the end. */
  readonly starts: Int32Array;
  /** Group after group, ascending within each. */
  readonly rows: Int32Array;
}

/** Places in a table of all combinations; more are kept in a map. */
const MOST_DENSE = 4_000_000;

/** Absent: more than `most` groups. Without columns all rows are one group. */
export function groupBy(columns: readonly Coded[], rows: Int32Array, most: number): RowGroups | undefined {
  const ids = new Int32Array(rows.length);
  let keys: readonly (readonly number[])[] = [[]];
  for (const column of columns) {
    const next = divide({ ids, keys, column, rows, most });
    if (next === undefined) return undefined;
    keys = next;
  }
  if (rows.length === 0) keys = [];
  return { keys, ...gather(ids, rows, keys.length) };
}

export function rowsOf(groups: RowGroups, group: number): Int32Array {
  return groups.rows.subarray(groups.starts[group] ?? 0, groups.starts[group + 1] ?? 0);
}

/** The rows of several groups, one group after the other. */
export function joinedRows(parts: readonly Int32Array[]): Int32Array {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined) return only;
  const rows = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    rows.set(part, at);
    at += part.length;
  }
  return rows;
}

/** Cuts each group by one more column; `ids` is rewritten in place. */
function divide(options: Division): readonly (readonly number[])[] | undefined {
  const { keys, column } = options;
  const size = keys.length * (column.labels.length + 1);
  return size <= MOST_DENSE ? divideDense(options, new Int32Array(size).fill(-1)) : divideSparse(options);
}

interface Division {
  readonly ids: Int32Array;
  readonly keys: readonly (readonly number[])[];
  readonly column: Coded;
  readonly rows: Int32Array;
  readonly most: number;
}

/** The same as the sparse one, without a call for each row: a million rows take a few milliseconds. */
function divideDense(division: Division, places: Int32Array): readonly (readonly number[])[] | undefined {
  const { ids, keys, column, rows, most } = division;
  const { codes } = column;
  const width = column.labels.length + 1;
  const next: (readonly number[])[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const code = codes[rows[at] as number] as number;
    const parent = ids[at] as number;
    const place = parent * width + code + 1;
    let id = places[place] as number;
    if (id < 0) {
      if (next.length === most) return undefined;
      id = next.length;
      places[place] = id;
      next.push([...(keys[parent] ?? []), code]);
    }
    ids[at] = id;
  }
  return next;
}

function divideSparse({ ids, keys, column, rows, most }: Division): readonly (readonly number[])[] | undefined {
  const width = column.labels.length + 1;
  const places = new Map<number, number>();
  const next: (readonly number[])[] = [];
  for (let at = 0; at < rows.length; at += 1) {
    const code = column.codes[rows[at] ?? 0] ?? -1;
    const parent = ids[at] ?? 0;
    const place = parent * width + code + 1;
    let id = places.get(place);
    if (id === undefined) {
      if (next.length === most) return undefined;
      id = next.length;
      places.set(place, id);
      next.push([...(keys[parent] ?? []), code]);
    }
    ids[at] = id;
  }
  return next;
}

/** A counting sort: rows of the same group beside each other. */
function gather(ids: Int32Array, rows: Int32Array, groups: number): Pick<RowGroups, "starts" | "rows"> {
  const starts = new Int32Array(groups + 1);
  for (const id of ids) starts[id + 1] = (starts[id + 1] ?? 0) + 1;
  for (let group = 1; group <= groups; group += 1) starts[group] = (starts[group] ?? 0) + (starts[group - 1] ?? 0);
  const next = starts.slice();
  const gathered = new Int32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const id = ids[at] ?? 0;
    const place = next[id] ?? 0;
    gathered[place] = rows[at] ?? 0;
    next[id] = place + 1;
  }
  return { starts, rows: gathered };
}
