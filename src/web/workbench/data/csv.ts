import { Bits } from "./bits.ts";
import { isText } from "./column.ts";
import type { Column } from "./column.ts";
import { dateText } from "./format.ts";
import { NullWords } from "./read/null-words.ts";
import type { Table } from "./table.ts";

export interface CsvOptions {
  /** Absent: all rows. For what is shown: `table.filtered`; for what is marked: `table.selected`. */
  readonly rows?: Bits | undefined;
  /** By name, in this order. Absent: all. */
  readonly columns?: readonly string[] | undefined;
  /** Puts a ' before texts that a spreadsheet would take for a formula. They are not read back as they were. */
  readonly safeForSpreadsheets?: boolean | undefined;
}

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;
const FORMULA = /^[=+\-@\t\r]/;
const encoder = new TextEncoder();
/** Rows that are put together at a time: many small texts at once are slow. */
const BLOCK = 1_024;

/** As CSV (RFC 4180, lines end with CRLF): numbers and times in full, missing as nothing. Throws where there is no such column. */
export function toCsv(table: Table, options: CsvOptions = {}): string {
  const { rows = Bits.all(table.rowCount), columns: names, safeForSpreadsheets = false } = options;
  const columns = names === undefined ? table.columns : names.map((name) => columnNamed(table, name));
  const cells = columns.map((column) => cellWriter(column, safeForSpreadsheets));
  const quoteText = quoter(safeForSpreadsheets);
  const blocks = [`${columns.map(({ name }) => quoteText(name)).join(",")}\r\n`];
  const picked = rows.toArray();
  for (let start = 0; start < picked.length; start += BLOCK) {
    const lines = Array.from(picked.subarray(start, start + BLOCK), (row) => {
      const line = cells.map((cell) => cell(row)).join(",");
      // An empty line would be no row.
      return line === "" ? '""\r\n' : `${line}\r\n`;
    });
    blocks.push(lines.join(""));
  }
  return blocks.join("");
}

function columnNamed(table: Table, name: string): Column {
  const column = table.column(name);
  if (column !== undefined) return column;
  throw new Error(`There is no column "${name}". Columns: ${table.columns.map((each) => each.name).join(", ")}.`);
}

/** Words that would be read as missing are quoted, so that they are read as texts. */
function quoter(safe: boolean): (text: string) => string {
  const nullWords = new NullWords();
  return (text) => {
    const kept = safe && FORMULA.test(text) ? `'${text}` : text;
    const bytes = kept.length < 8 ? encoder.encode(kept) : undefined;
    const isNullWord = bytes !== undefined && bytes.length > 0 && nullWords.has(bytes, 0, bytes.length);
    return NEEDS_QUOTES.test(kept) || isNullWord ? `"${kept.replaceAll('"', '""')}"` : kept;
  };
}

function cellWriter(column: Column, safe: boolean): (row: number) => string {
  if (isText(column)) {
    const quote = quoter(safe && column.type === "string");
    const texts = column.categories.map(quote);
    return (row) => texts[column.codes[row] ?? -1] ?? "";
  }
  const { numbers, type, exact } = column;
  if (exact !== undefined) return (row) => exact.categories[exact.codes[row] ?? -1] ?? "";
  const write = type === "bool" ? (number: number) => String(number !== 0) : type === "datetime" ? dateText : String;
  return (row) => {
    const number = numbers[row] ?? Number.NaN;
    return Number.isNaN(number) ? "" : write(number);
  };
}
