import { Failure, LIMITS } from "../protocol/index.ts";
import type { Database, SqlValue, Statement } from "./binding.ts";
import { fromCursor, type ListName, type Place, toCursor } from "./cursor.ts";
import { storeFailure } from "./failure.ts";
import { storable } from "./operations.ts";
import type { Page } from "./store.ts";

interface Query<Row> {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Takes what SQLite gives for one row of `sql`. */
  readonly row: (record: never) => Row;
  /** True when this row is the last that is wanted; absent: all are. */
  readonly isLast?: (row: Row) => boolean;
}

export type Select = <Row>(query: Query<Row>) => readonly Row[];

/** Statements are prepared once each; where there are more (usage is grouped in many ways), all of them are made anew. */
export function makeSelect(database: Database, refuseClosed: () => void): Select {
  const prepared = new Map<string, Statement>();
  return ({ sql, values, row, isLast }) => {
    refuseClosed();
    for (const value of values) if (typeof value === "string") storable(value);
    try {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      if (prepared.size >= LIMITS.storeStatements) prepared.clear();
      prepared.set(sql, statement);
      if (isLast === undefined) return (statement.all(...values) as never[]).map((record) => row(record));
      return takeUntil(statement.iterate(...values), row, isLast);
    } catch (error) {
      throw storeFailure("store_failed", "The store could not be read.", error);
    }
  };
}

/** The rows up to the last that is wanted; what comes after it is not read. */
function takeUntil<Row>(
  records: IterableIterator<unknown>,
  row: (record: never) => Row,
  isLast: (row: Row) => boolean,
): readonly Row[] {
  const rows: Row[] = [];
  for (const record of records) {
    const made = row(record as never);
    rows.push(made);
    if (isLast(made)) break;
  }
  return rows;
}

/** A list that is read in pages, newest first. */
export interface List<Row> {
  readonly name: ListName;
  readonly from: string;
  readonly columns: string;
  /** The columns that order it. */
  readonly at: string;
  readonly id: string;
  readonly row: (record: never) => Row;
  readonly place: (row: Row) => Place;
}

interface PageQuery {
  readonly where: readonly {
    readonly sql: string;
    /** For each `?` of it. Absent: not asked for, the condition is left out. */
    readonly value: string | readonly string[] | undefined;
  }[];
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Pages by the place of the last row, not by counting: rows that come in meanwhile move nothing. */
export function selectPage<Row>(select: Select, list: List<Row>, query: PageQuery): Page<Row> {
  const conditions = query.where.flatMap(({ sql, value }) =>
    value === undefined ? [] : [{ sql, values: [value].flat() }],
  );
  if (query.cursor !== undefined) {
    const { at, id } = fromCursor(list.name, query.cursor);
    conditions.push({ sql: `(${list.at}, ${list.id}) < (?, ?)`, values: [at, id] });
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
  const found = select({
    sql: `SELECT ${list.columns} FROM ${list.from} ${where} ORDER BY ${list.at} DESC, ${list.id} DESC LIMIT ?`,
    // One row more than asked for says whether there is another page.
    values: [...conditions.flatMap(({ values }) => values), counted(query.limit) + 1],
    row: list.row,
  });
  const rows = found.slice(0, query.limit);
  const last = rows.at(-1);
  if (found.length === rows.length || last === undefined) return { rows };
  return { rows, next: toCursor(list.name, list.place(last)) };
}

/** SQLite takes a negative limit for none. */
export function counted(limit: number): number {
  if (Number.isSafeInteger(limit + 1) && limit > 0) return limit;
  throw new Failure("invalid_request", `A limit is a whole number from 1, not ${limit}.`);
}
