import { Failure, LIMITS } from "../../protocol/index.ts";
import type { SqliteDatabase, SqlValue, PreparedStatement } from "./binding.ts";
import { type Damage, DamagedPage, isDamage, isDamagedPage } from "./damage.ts";
import { fromCursor, type ListName, type PageEnd, toCursor } from "./cursor.ts";
import { storeFailure } from "../failure.ts";
import { storable } from "./operations.ts";
import { wordsOf } from "./stall.ts";
import type { RowPage } from "../store.ts";

interface SelectQuery<Row> {
  readonly sql: string;
  readonly values: readonly SqlValue[];
  /** Converts one record of `sql`. */
  readonly row: (record: never) => Row;
  /** True for the last wanted row; absent: all are wanted. */
  readonly isLast?: (row: Row) => boolean;
  /** The affected session if a needed page is damaged; absent: no single one. */
  readonly session?: string;
}

export type Select = <Row>(query: SelectQuery<Row>) => readonly Row[];

const READ_DAMAGED =
  "A part of the database that this needs is damaged and cannot be read. `sallyport doctor` says what is damaged.";

/** Each statement is prepared once; if there are too many (usage is grouped in many ways), the cache is cleared. */
export function makeSelect(
  database: SqliteDatabase,
  { refuseClosed, damage }: { readonly refuseClosed: () => void; readonly damage: Damage },
): Select {
  const prepared = new Map<string, PreparedStatement>();
  return ({ sql, values, row, isLast, session }) => {
    refuseClosed();
    for (const value of values) if (typeof value === "string") storable(value);
    try {
      const statement = prepared.get(sql) ?? database.prepare(sql);
      if (prepared.size >= LIMITS.storeStatements) prepared.clear();
      prepared.set(sql, statement);
      if (isLast === undefined) return (statement.all(...values) as never[]).map((record) => row(record));
      return takeUntil(statement.iterate(...values), row, isLast);
    } catch (error) {
      if (!isDamage(error)) throw storeFailure("store_failed", "The store could not be read.", error);
      damage.note({ session, why: wordsOf(error) });
      throw storeFailure("store_failed", READ_DAMAGED, new DamagedPage(wordsOf(error)));
    }
  };
}

/** The rows up to the last wanted one; later ones are not read. */
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
  readonly place: (row: Row) => PageEnd;
  /** One row by its position. Absent: a damaged page makes the whole list unreadable. */
  readonly one?: (select: Select, place: PageEnd) => Row;
}

interface PageQuery {
  readonly where: readonly {
    readonly sql: string;
    /** One for each `?`. Absent: the condition is left out. */
    readonly value: string | readonly string[] | undefined;
  }[];
  readonly cursor: string | undefined;
  readonly limit: number;
}

/** Pages by the position of the last row, not by counting: new rows shift nothing. */
export function selectPage<Row>(select: Select, list: List<Row>, query: PageQuery): RowPage<Row> {
  const conditions = query.where.flatMap(({ sql, value }) =>
    value === undefined ? [] : [{ sql, values: [value].flat() }],
  );
  if (query.cursor !== undefined) {
    const { at, id } = fromCursor(list.name, query.cursor);
    conditions.push({ sql: `(${list.at}, ${list.id}) < (?, ?)`, values: [at, id] });
  }
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.map(({ sql }) => sql).join(" AND ")}`;
  const found = selectOrEach(select, list, {
    rest: `FROM ${list.from} ${where} ORDER BY ${list.at} DESC, ${list.id} DESC LIMIT ?`,
    // One row more than requested shows whether there is another page.
    values: [...conditions.flatMap(({ values }) => values), counted(query.limit) + 1],
  });
  const rows = found.slice(0, query.limit);
  const last = rows.at(-1);
  if (found.length === rows.length || last === undefined) return { rows };
  return { rows, next: toCursor(list.name, list.place(last)) };
}

/** Rows of a list. If a page of the database is damaged, their positions are read from an index, and then each row alone. */
export function selectOrEach<Row>(
  select: Select,
  list: Pick<List<Row>, "columns" | "at" | "id" | "row" | "one">,
  { rest, values }: { readonly rest: string; readonly values: readonly SqlValue[] },
): readonly Row[] {
  try {
    return select({ sql: `SELECT ${list.columns} ${rest}`, values, row: list.row });
  } catch (error) {
    const { one } = list;
    if (one === undefined || !isDamagedPage(error)) throw error;
    const places = select({
      sql: `SELECT ${list.at} AS at, ${list.id} AS id ${rest}`,
      values,
      row: ({ at, id }: PageEnd): PageEnd => ({ at, id }),
    });
    return places.map((place) => one(select, place));
  }
}

/** SQLite treats a negative limit as none. */
export function counted(limit: number): number {
  if (Number.isSafeInteger(limit + 1) && limit > 0) return limit;
  throw new Failure("invalid_request", `A limit is a whole number from 1, not ${limit}.`);
}
