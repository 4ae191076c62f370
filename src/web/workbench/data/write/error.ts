type WriteErrorCode = "too_many_rows" | "too_many_columns" | "too_large";

/** A table that a kind of file cannot hold. The message says what to do. */
export class WriteError extends Error {
  override readonly name = "WriteError";
  readonly code: WriteErrorCode;

  constructor(code: WriteErrorCode, words: string) {
    super(words);
    this.code = code;
  }
}

/** What files of Excel hold; the first three are Excel's own bounds. */
export const EXCEL_BOUNDS = {
  /** With the row of names. */
  rows: 1_048_576,
  columns: 16_384,
  /** Characters of a cell. */
  cellChars: 32_767,
  /** Characters of the name of a sheet. */
  nameChars: 31,
  /** Bytes of a sheet before it is packed: a zip file counts them in 32 bits. */
  sheetBytes: 0xffff_fffe,
} as const;
