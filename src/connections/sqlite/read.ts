import { constants, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite";
import { errorText, Failure } from "../../protocol/failure.ts";
import { LIMITS } from "../../protocol/limits.ts";
import type { SqlClass } from "../../protocol/index.ts";
import type { Rows, SqlStatement } from "../database.ts";
import { isIdle, refusalOf } from "./rules.ts";

type Prepared =
  | { readonly statement: StatementSyncInstance; readonly refusal?: undefined }
  | { readonly statement?: undefined; readonly refusal: string };

/** Prepares one read-only statement with SQLite's own parser. A Failure when it is not SQL; a refusal when it would do more. */
function prepareReading(database: DatabaseSyncInstance, sql: string): Prepared {
  if (sql.includes("\0")) return { refusal: "it holds a NUL character" };
  if (Buffer.from(sql).toString() !== sql) return { refusal: "it is not valid Unicode" };
  let refusal: string | undefined;
  database.setAuthorizer((action, first, second) => {
    const refused = refusalOf(action, first, second);
    refusal ??= refused;
    return refused === undefined ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
  if (isIdle(sql)) throw new Failure("invalid_request", "there is no statement in it");
  let statement: StatementSyncInstance;
  try {
    statement = database.prepare(sql);
  } catch (error) {
    if (refusal !== undefined) return { refusal: `it would do more than read: ${refusal}` };
    throw sqlFailure(error, sql);
  }
  // The text of the first statement alone, as SQLite read it.
  const first = statement.expandedSQL;
  if (first === undefined || !sql.startsWith(first))
    throw new Failure("invalid_request", "it has parameters; write the values themselves");
  if (!isIdle(sql.slice(first.length))) return { refusal: "it holds more than one statement; send one at a time" };
  if (statement.columns().length === 0) return { refusal: "it gives no rows" };
  return { statement };
}

export function classify(database: DatabaseSyncInstance, sql: string): SqlClass {
  const { refusal } = prepareReading(database, sql);
  return refusal === undefined ? { does: "reads" } : { does: "writes", reason: refusal };
}

export function query(database: DatabaseSyncInstance, { sql, maxRows }: SqlStatement): Rows {
  const { statement, refusal } = prepareReading(database, sql);
  if (statement === undefined)
    throw new Failure("forbidden", `only reading is allowed here: ${refusal}`, { does: "writes", reason: refusal });
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const columns = statement.columns().map(({ name, type }) => ({ name, type: type ?? "" }));
  const rows: unknown[][] = [];
  let bytes = 0;
  let truncated = false;
  try {
    for (const row of statement.iterate() as Iterable<readonly unknown[]>) {
      const values = row.map(jsonOf);
      bytes += values.reduce<number>((sum, value) => sum + sizeOf(value), 2);
      truncated = rows.length >= maxRows || bytes > LIMITS.connectionResultBytes;
      if (truncated) break;
      rows.push(values);
    }
  } catch (error) {
    throw sqlFailure(error, sql);
  }
  if (truncated && rows.length === 0)
    throw new Failure("payload_too_large", `one row has more than ${LIMITS.connectionResultBytes} bytes; select less`);
  return {
    columns: columns.map((column, index) => typed(column, rows, index)),
    rows,
    row_count: rows.length,
    truncated,
  };
}

/** An expression has no declared type: the type of its first value is used. */
function typed(
  column: { readonly name: string; readonly type: string },
  rows: readonly (readonly unknown[])[],
  index: number,
): { name: string; type: string } {
  if (column.type !== "") return column;
  const first = rows.find((row) => row[index] !== null)?.[index];
  const type = typeof first === "number" ? (Number.isInteger(first) ? "INTEGER" : "REAL") : "TEXT";
  return { name: column.name, type };
}

export function jsonOf(value: unknown): string | number | null {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`;
  return typeof value === "string" ? value : null;
}

/** Its approximate size in the answer, in bytes. */
function sizeOf(value: string | number | null): number {
  return typeof value === "string" ? Buffer.byteLength(value) + 3 : 8;
}

/** SQLite's error in its own words, with the position if known. */
export function sqlFailure(error: unknown, sql: string): Failure {
  if (error instanceof Failure) return error;
  const message = errorText(error);
  if (/^(?:out of memory|string or blob too big)/.test(message))
    return new Failure("payload_too_large", `SQLite: ${message}; select less`);
  const token = /^near "(.*)": syntax error$/s.exec(message)?.[1];
  const at = token === undefined ? -1 : sql.indexOf(token);
  const isThere = token !== undefined && at >= 0 && sql.indexOf(token, at + 1) < 0;
  const { sqliteCodeName } = error as { readonly sqliteCodeName?: string };
  return new Failure("invalid_request", message, {
    ...(sqliteCodeName === undefined ? {} : { sqlite_code: sqliteCodeName }),
    // Counts from 1, as PostgreSQL's does.
    ...(isThere ? { position: at + 1 } : {}),
  });
}
