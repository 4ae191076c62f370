/** A list of a JSON file, or a sheet of Excel, that could be the table. */
export interface JsonChoice {
  /** Names on the way to it, with points between; or the sheet’s name. */
  readonly part: string;
  readonly rows: number;
}

export type ReadErrorCode =
  | "too_large"
  | "too_many_rows"
  | "too_many_columns"
  | "bad_format"
  | "unsupported"
  | "not_allowed"
  | "not_found";

/** Data that cannot be read. The message says what to do. */
export class ReadError extends Error {
  override readonly name = "ReadError";
  readonly code: ReadErrorCode;
  /** Lists of the file that could be the table: one is named with the next try. Absent: no choice helps. */
  readonly choices: readonly JsonChoice[] | undefined;

  constructor(code: ReadErrorCode, words: string, choices?: readonly JsonChoice[]) {
    super(words);
    this.code = code;
    this.choices = choices;
  }
}

export const READ_BOUNDS = {
  /** Bytes of a file, also of what a packed one holds. */
  fileBytes: 1024 ** 3,
  /** Bytes of JSON: it is held as one text. */
  jsonBytes: 256 * 1024 ** 2,
  /** Bytes of an Arrow file: it is held whole. */
  arrowBytes: 512 * 1024 ** 2,
  /** Files in a workbook of Excel. */
  zipEntries: 10_000,
  /** Bytes of its lists of sheets and of styles, unpacked. */
  xmlBytes: 8 * 1024 ** 2,
  /** Bytes of a sheet, and of its texts, unpacked: each is held as one text. */
  sheetBytes: 256 * 1024 ** 2,
  /** Cells of a sheet that have a value. */
  sheetCells: 20_000_000,
  rows: 10_000_000,
  columns: 5_000,
  /** Bytes of one row of a CSV file. A quote that is never closed ends here. */
  recordBytes: 16 * 1024 ** 2,
} as const;

const MEGABYTE = 1024 ** 2;

export function checkBytes(bytes: number, bound: number, what: string): void {
  if (bytes <= bound) return;
  throw new ReadError(
    "too_large",
    `${what} has more than ${Math.round(bound / MEGABYTE)} MB: split it, leave out columns, or save it as Parquet.`,
  );
}

export function checkRows(rows: number): void {
  if (rows <= READ_BOUNDS.rows) return;
  throw new ReadError(
    "too_many_rows",
    `There are more than ${READ_BOUNDS.rows.toLocaleString("en")} rows: filter or sample them before you open the file.`,
  );
}

export function checkColumns(columns: number): void {
  if (columns <= READ_BOUNDS.columns) return;
  throw new ReadError(
    "too_many_columns",
    `There are more than ${READ_BOUNDS.columns.toLocaleString("en")} columns: leave some out, or turn them into rows.`,
  );
}
