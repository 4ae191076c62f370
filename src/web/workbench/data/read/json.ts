import type { AnyValue } from "../make.ts";
import { checkBytes, checkColumns, checkRows, READ_BOUNDS, ReadError } from "./error.ts";
import type { ParseOptions } from "./options.ts";
import { packColumn } from "./packed.ts";
import type { PackedTable } from "./packed.ts";
import { uniqueNames } from "./sniff.ts";
import { cellOf, columnOfCells } from "./values.ts";

/** JSON: an array of objects or of arrays, an object of arrays, an object that holds one of these; or one object a line. */
export async function parseJson(blob: Blob, lines: boolean, options: ParseOptions): Promise<PackedTable> {
  checkBytes(blob.size, READ_BOUNDS.jsonBytes, "The JSON file");
  const text = keepLargeNumbers((await blob.text()).replace(/^\uFEFF/, ""));
  options.progress?.(0.3);
  const rows = new RowCollector();
  if (lines) addLines(text, rows);
  else addWhole(text, rows);
  options.progress?.(0.7);
  return { columns: rows.columns(options.types ?? {}) };
}

const LARGE_NUMBER = /\d{16}/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?<![\d.eE+])\d{16,}(?![\d.eE])/gs;
/** Stands before the digits of a whole number that a double may not hold. No file has it: JSON texts hold no bare NUL. */
const MARK = "\u0000whole:";
const NESTED_MARK = /"\\u0000whole:(-?\d+)"/g;

/** JSON.parse would round whole numbers of 16 digits and more. */
function keepLargeNumbers(text: string): string {
  if (!LARGE_NUMBER.test(text)) return text;
  return text.replace(TOKENS, (token) => (token.startsWith('"') ? token : `"\\u0000whole:${token}"`));
}

function jsonCell(value: unknown): AnyValue {
  const cell = cellOf(value);
  if (typeof cell !== "string") return cell;
  if (cell.startsWith(MARK)) return BigInt(cell.slice(MARK.length));
  return typeof value === "object" ? cell.replace(NESTED_MARK, "$1") : cell;
}

function addWhole(text: string, rows: RowCollector): void {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch (error) {
    // Objects line by line begin like one object.
    if (/^\s*\{[^\n]*\}[^\S\n]*\n\s*\{/.test(text)) return addLines(text, rows);
    throw new ReadError(
      "bad_format",
      `The JSON cannot be read: ${error instanceof SyntaxError ? error.message : "it nests too deep"}.`,
    );
  }
  addValue(whole, rows);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function addValue(whole: unknown, rows: RowCollector): void {
  if (Array.isArray(whole)) return whole.forEach((row) => rows.addRow(row));
  if (!isObject(whole)) throw noTable();
  const parts = Object.entries(whole);
  const lists = parts.filter((part): part is [string, unknown[]] => Array.isArray(part[1]));
  const [only] = lists;
  // { "data": [{…}, …], "total": 3 }
  if (only !== undefined && lists.length === 1 && only[1].some(isObject))
    return only[1].forEach((row) => rows.addRow(row));
  if (parts.length > 0 && lists.length === parts.length)
    return lists.forEach(([name, values]) => rows.addColumn(name, values));
  if (lists.length > 0) throw noTable();
  rows.addRow(whole);
}

function noTable(): ReadError {
  return new ReadError(
    "bad_format",
    'The JSON holds no table: it needs an array of objects ([{"a": 1}, …]) or an object of equally long arrays ({"a": [1, …]}).',
  );
}

function addLines(text: string, rows: RowCollector): void {
  let number = 0;
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start);
    const line = text.slice(start, end < 0 ? text.length : end);
    start = end < 0 ? text.length : end + 1;
    number += 1;
    if (line.trim() === "") continue;
    try {
      rows.addRow(JSON.parse(line));
    } catch (error) {
      if (error instanceof ReadError) throw error;
      throw new ReadError("bad_format", `Line ${number} is no JSON: mend it, or leave it out.`);
    }
  }
}

class RowCollector {
  readonly #columns = new Map<string, AnyValue[]>();
  #rows = 0;

  /** An object by its names, an array by its places, anything else as the only value. */
  addRow(row: unknown): void {
    this.#rows += 1;
    checkRows(this.#rows);
    if (isObject(row)) {
      for (const name in row) if (Object.hasOwn(row, name)) this.#put(name, row[name]);
    } else if (Array.isArray(row)) row.forEach((value, place) => this.#put(`Column ${place + 1}`, value));
    else this.#put("Value", row);
  }

  addColumn(name: string, values: readonly unknown[]): void {
    checkRows(values.length);
    this.#columns.set(name, values.map(jsonCell));
    checkColumns(this.#columns.size);
    this.#rows = Math.max(this.#rows, values.length);
  }

  columns(types: ParseOptions["types"] & object): PackedTable["columns"] {
    if (this.#columns.size === 0)
      throw new ReadError("bad_format", "The JSON has no rows and no columns: choose another file.");
    const names = uniqueNames([...this.#columns.keys()]);
    return [...this.#columns.values()].map((cells, index) => {
      const name = names[index] ?? "";
      // Rows at the end may lack the value.
      while (cells.length < this.#rows) cells.push(null);
      return packColumn(columnOfCells(name, cells, Object.hasOwn(types, name) ? types[name] : undefined));
    });
  }

  #put(name: string, value: unknown): void {
    let cells = this.#columns.get(name);
    if (cells === undefined) {
      cells = [];
      this.#columns.set(name, cells);
      checkColumns(this.#columns.size);
    }
    while (cells.length < this.#rows - 1) cells.push(null);
    cells.push(jsonCell(value));
  }
}
