import { Bits } from "./bits.ts";
import { isMissing, isText, type Column } from "./column.ts";
import type { Table } from "./table.ts";

/** Rows that are put together at a time: many small texts at once are slow. */
const BLOCK = 1_024;

/** As a list of objects, one row a line. Times in ISO 8601 (UTC); whole numbers and decimals that a double cannot hold as texts; missing as null. */
export function toJson(table: Table, rows: Bits = Bits.all(table.rowCount)): string {
  const cells = table.columns.map((column) => {
    const key = JSON.stringify(column.name);
    const value = valueWriter(column);
    return (row: number) => `${key}:${value(row)}`;
  });
  const picked = rows.toArray();
  const blocks: string[] = [];
  for (let start = 0; start < picked.length; start += BLOCK)
    blocks.push(
      Array.from(picked.subarray(start, start + BLOCK), (row) => `{${cells.map((cell) => cell(row)).join(",")}}`).join(
        ",\n",
      ),
    );
  return `[${blocks.join(",\n")}]\n`;
}

function valueWriter(column: Column): (row: number) => string {
  const missing = (row: number): boolean => isMissing(column, row);
  if (isText(column)) {
    const texts = column.categories.map(textWriter(column));
    return (row) => texts[column.codes[row] ?? -1] ?? "null";
  }
  const { exact, numbers, type } = column;
  if (exact !== undefined) {
    const texts = exact.categories.map((text) => JSON.stringify(text));
    return (row) => texts[exact.codes[row] ?? -1] ?? "null";
  }
  return (row) => {
    const number = numbers[row] ?? Number.NaN;
    if (missing(row)) return "null";
    if (type === "bool") return String(number !== 0);
    if (type === "datetime") return timeText(number);
    // JSON has no infinity.
    return Number.isFinite(number) ? String(number) : JSON.stringify(String(number));
  };
}

function textWriter(column: Extract<Column, { codes: Int32Array }>): (text: string) => string {
  // All values of a column are of one kind, so that it is read back as one.
  if (column.type === "bigint" && column.categories.every((text) => Number.isSafeInteger(Number(text))))
    return (text) => text;
  // Lists and objects are JSON already; what is damaged stays a text.
  return column.nested === true
    ? (text) => (isJson(text) ? text : JSON.stringify(text))
    : (text) => JSON.stringify(text);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function timeText(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? "null" : JSON.stringify(date.toISOString());
}
