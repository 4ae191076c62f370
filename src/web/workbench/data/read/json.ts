import { isText, type Column, type ColumnType } from "../column.ts";
import { columnOfDecimals, holds } from "../decimal.ts";
import type { AnyValue } from "../make.ts";
import { checkBytes, checkColumns, checkRows, READ_BOUNDS, ReadError } from "./error.ts";
import { isObject, tableOfJson, type FoundTable } from "./json-parts.ts";
import type { ParseOptions } from "./options.ts";
import { packColumn } from "./packed.ts";
import type { PackedTable } from "./packed.ts";
import { uniqueNames } from "./sniff.ts";
import { cellOf, columnOfCells } from "./values.ts";

/** JSON: a list of objects or of lists, an object of lists, an object that holds one of these, GeoJSON; or one object a line. */
export async function parseJson(blob: Blob, lines: boolean, options: ParseOptions): Promise<PackedTable> {
  checkBytes(blob.size, READ_BOUNDS.jsonBytes, "The JSON file");
  const text = keepLargeNumbers((await blob.text()).replace(/^\uFEFF/, ""));
  options.progress?.(0.3);
  const rows = new RowCollector();
  let note: string | undefined;
  if (lines) addLines(text, rows);
  else note = addWhole(text, rows, options.part);
  options.progress?.(0.7);
  return { columns: rows.columns(options.types ?? {}), ...(note === undefined ? {} : { notes: [note] }) };
}

const LARGE_NUMBER = /\d[\d.]{15}/;
const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?<![\d.eE+])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/gs;
const WHOLE = /^-?\d+$/;
/** Stands before the digits of a whole number that a double may not hold. No file has it: JSON texts hold no bare NUL. */
const MARK = "\u0000whole:";
const DECIMAL_MARK = "\u0000decimal:";
const NESTED_MARK = /"\\u0000(?:whole|decimal):(-?[\d.eE+-]+)"/g;

/** JSON.parse would round whole numbers of 16 digits and more, and decimal numbers that no double holds. */
function keepLargeNumbers(text: string): string {
  if (!LARGE_NUMBER.test(text)) return text;
  return text.replace(TOKENS, (token) => {
    if (token.startsWith('"') || token.length < 16) return token;
    if (WHOLE.test(token)) return `"\\u0000whole:${token}"`;
    return holds(Number(token), token) ? token : `"\\u0000decimal:${token}"`;
  });
}

function jsonCell(value: unknown): AnyValue {
  const cell = cellOf(value);
  if (typeof cell !== "string") return cell;
  if (cell.startsWith(MARK)) return BigInt(cell.slice(MARK.length));
  return typeof value === "object" ? cell.replace(NESTED_MARK, "$1") : cell;
}

/** What a person should know of it. */
function addWhole(text: string, rows: RowCollector, part: string | undefined): string | undefined {
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch (error) {
    // Objects line by line begin like one object.
    if (/^\s*\{[^\n]*\}[^\S\n]*\n\s*\{/.test(text)) {
      addLines(text, rows);
      return undefined;
    }
    throw new ReadError(
      "bad_format",
      `The JSON cannot be read: ${error instanceof SyntaxError ? error.message : "it nests too deep"}.`,
    );
  }
  const found = tableOfJson(whole, part);
  addFound(found, rows);
  return found.note;
}

function addFound({ table }: FoundTable, rows: RowCollector): void {
  if (table.kind === "rows") table.rows.forEach((row) => rows.addRow(row));
  else table.columns.forEach(([name, values]) => rows.addColumn(name, values));
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
      throw new ReadError("bad_format", `Line ${number} is not JSON: fix it, or leave it out.`);
    }
  }
}

function isDecimalMark(cell: AnyValue): cell is string {
  return typeof cell === "string" && cell.startsWith(DECIMAL_MARK);
}

/** With decimal numbers that no double holds it is exact; among texts they are texts. */
function jsonColumn(name: string, cells: readonly AnyValue[], type: ColumnType | undefined): Column {
  if (!cells.some(isDecimalMark)) return nestedColumn(name, cells, type);
  const plain = cells.map((cell) => (isDecimalMark(cell) ? cell.slice(DECIMAL_MARK.length) : cell));
  const isNumbers = cells.every(
    (cell) =>
      cell === null ||
      cell === undefined ||
      typeof cell === "number" ||
      typeof cell === "bigint" ||
      isDecimalMark(cell),
  );
  if (!isNumbers || type !== undefined) return nestedColumn(name, plain, type);
  return columnOfDecimals(
    name,
    plain.map((cell) => (cell === null || cell === undefined ? null : String(cell))),
  );
}

function nestedColumn(name: string, cells: readonly AnyValue[], type: ColumnType | undefined): Column {
  const column = columnOfCells(name, cells, type);
  if (!isText(column) || column.type !== "string") return column;
  return column.categories.some((text) => /^[[{]/.test(text)) ? { ...column, nested: true } : column;
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
      return packColumn(jsonColumn(name, cells, Object.hasOwn(types, name) ? types[name] : undefined));
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
