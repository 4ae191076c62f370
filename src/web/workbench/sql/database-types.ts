import { columnOfDecimals, isDecimalText } from "../data/decimal.ts";
import { columnOf, type AnyValue } from "../data/make.ts";
import type { Column } from "../data/column.ts";
import { timeOfText } from "../data/text-value.ts";

/** What a database's type means for a table. `text`: the values exactly as they were sent. `values`: what the values are by themselves. */
type ValueKind = "whole" | "decimal" | "float" | "bool" | "time" | "json" | "text" | "values";

/** Names of PostgreSQL, SQLite and DuckDB, without modifiers such as (30,10), with - for spaces. */
const KINDS: Readonly<Record<Exclude<ValueKind, "values" | "text">, string>> = {
  whole:
    "smallint integer int bigint int2 int4 int8 serial bigserial smallserial serial2 serial4 serial8 oid xid8 tinyint mediumint hugeint uhugeint utinyint usmallint uinteger ubigint int1 int16 int32 int64 int128 uint8 uint16 uint32 uint64 unsigned-big-int long short signed",
  decimal: "numeric decimal dec number",
  float: "real float float4 float8 double double-precision",
  bool: "boolean bool logical",
  time: "timestamp timestamptz timestamp-with-time-zone timestamp-without-time-zone datetime date timestamp_s timestamp_ms timestamp_us timestamp_ns",
  json: "json jsonb",
};

const BY_NAME: ReadonlyMap<string, ValueKind> = new Map(
  Object.entries(KINDS).flatMap(([kind, names]) => names.split(" ").map((name) => [name, kind as ValueKind] as const)),
);

/** By the whole name: `interval`, `int4range` and `integer[]` begin like numbers and are none. */
function kindOfType(databaseType: string): ValueKind {
  const name = databaseType
    .toLowerCase()
    .replace(/\([^()]*\)/g, " ")
    .trim()
    .replace(/\s+/g, "-");
  // An expression of SQLite has none.
  if (name === "") return "values";
  return BY_NAME.get(name) ?? "text";
}

/** A column of what a database sent. Where a value does not fit the type, texts stay as they were sent: none is lost. */
export function columnOfSent(name: string, databaseType: string, values: readonly unknown[]): Column {
  const kind = kindOfType(databaseType);
  if (kind === "json") return { ...textColumn(name, values.map(jsonText)), nested: true };
  const cells = values.map(cellText);
  const column = fitted(name, kind, cells);
  if (column !== undefined) return column;
  return cells.some((cell) => typeof cell === "string") ? textColumn(name, cells) : columnOf(name, cells);
}

type DatabaseCell = string | number | boolean | null;

/** Undefined: a value does not fit. */
function fitted(name: string, kind: ValueKind, cells: readonly DatabaseCell[]): Column | undefined {
  switch (kind) {
    case "whole":
      return everyCell(cells, isWhole) ? columnOf(name, cells, wholeType(cells)) : undefined;
    case "decimal":
    case "float":
      return everyCell(cells, isNumberCell)
        ? columnOfDecimals(
            name,
            cells.map((cell) => (cell === null ? null : String(cell))),
          )
        : undefined;
    case "bool":
      return everyCell(cells, isTruth) ? columnOf(name, cells, "bool") : undefined;
    case "time":
      return everyCell(cells, isTime) ? columnOf(name, cells, "datetime") : undefined;
    case "json":
    case "text":
    case "values":
      return undefined;
  }
}

function textColumn(name: string, cells: readonly AnyValue[]): Column & { readonly type: "string" | "bigint" } {
  const column = columnOf(name, cells, "string");
  if (!("codes" in column)) throw new Error(`The column "${name}" holds no texts.`);
  return column;
}

function everyCell(cells: readonly DatabaseCell[], fits: (cell: Exclude<DatabaseCell, null>) => boolean): boolean {
  return cells.every((cell) => cell === null || fits(cell));
}

const WHOLE = /^-?\d+$/;

function isWhole(cell: DatabaseCell): boolean {
  return typeof cell === "number" ? Number.isSafeInteger(cell) : typeof cell === "string" && WHOLE.test(cell);
}

function wholeType(cells: readonly DatabaseCell[]): "int" | "bigint" {
  return cells.every((cell) => cell === null || Number.isSafeInteger(Number(cell))) ? "int" : "bigint";
}

function isNumberCell(cell: DatabaseCell): boolean {
  return typeof cell === "number" || (typeof cell === "string" && isDecimalText(cell));
}

function isTruth(cell: DatabaseCell): boolean {
  return typeof cell === "boolean" || cell === 0 || cell === 1;
}

function isTime(cell: DatabaseCell): boolean {
  return typeof cell === "string" && !Number.isNaN(timeOfText(cell));
}

function cellText(value: unknown): DatabaseCell {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}

function jsonText(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
