import { CELL, cellNumber, waysOf } from "../cells.ts";
import type { Column, ColumnType } from "../column.ts";
import { columnOf } from "../make.ts";
import type { AnyValue } from "../make.ts";
import { ReadError } from "./error.ts";

/** JSON has no whole numbers of any size: those that a double cannot hold are texts. Bytes are told as a cell tells them. */
function plainly(_: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesText(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value !== "bigint") return value;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

const strict = new TextDecoder("utf-8", { fatal: true });

/** As text where they are one: programs do not always say so. Else `\x` and hexadecimal digits. */
function bytesText(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return `\\x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  }
}

/** A value of JSON or Parquet as one of a cell: what is nested becomes JSON text. */
export function cellOf(value: unknown): AnyValue {
  switch (typeof value) {
    case "string":
    case "boolean":
    case "bigint":
    case "undefined":
    case "number":
      return value;
    case "object":
      if (value instanceof Uint8Array) return bytesText(value);
      return value === null || value instanceof Date ? value : nestedText(value);
    default:
      return null;
  }
}

/** What nests too deep, or is too long, is more than the engine can write; its own words would help nobody. */
function nestedText(value: object): string | null {
  try {
    return JSON.stringify(value, plainly) ?? null;
  } catch {
    throw new ReadError(
      "bad_format",
      "A value holds lists or objects too deep inside each other for a cell: flatten the data, or leave that value out.",
    );
  }
}

const encoder = new TextEncoder();

/** Texts that are all ISO dates become dates; the other types are those of the values, or the given one. */
export function columnOfCells(name: string, cells: readonly AnyValue[], type?: ColumnType): Column {
  const column = columnOf(name, cells, type);
  if (type !== undefined || !("codes" in column) || column.type !== "string" || column.categories.length === 0)
    return column;
  const times: number[] = [];
  for (const text of column.categories) {
    const bytes = encoder.encode(text);
    if (bytes.length === 0 || waysOf(bytes, 0, bytes.length, CELL.isoDate) === 0) return column;
    times.push(cellNumber("isoDate", bytes, 0, bytes.length));
  }
  return { name, type: "datetime", numbers: Float64Array.from(column.codes, (code) => times[code] ?? Number.NaN) };
}
