import type { ColumnType } from "../column.ts";
import type { Encoding } from "./chunks.ts";
import type { DELIMITERS } from "./sniff.ts";

/** What a person can say about a text file; absent: found out. */
export interface FormatOptions {
  readonly delimiter?: keyof typeof DELIMITERS | undefined;
  /** Whether the first row names the columns. */
  readonly header?: boolean | undefined;
  /** Lines at the beginning that are passed over. */
  readonly skipLines?: number | undefined;
  /** Lines that begin with this letter are passed over. One letter of ASCII; absent: none are. */
  readonly comment?: string | undefined;
  /** What decimal numbers have before their fraction. Absent: a point, or a comma where that fits. */
  readonly decimal?: "point" | "comma" | undefined;
  /** Words that stand for a missing value, beside the empty cell. */
  readonly nullWords?: readonly string[] | undefined;
  /** Of JSON with several lists: the path to the one that is the table, such as `data.items`. Of Excel: the name of the sheet. */
  readonly part?: string | undefined;
  /** By column name. What cannot be read as that type is missing. */
  readonly types?: Readonly<Record<string, ColumnType>> | undefined;
}

export interface ParseOptions extends FormatOptions {
  readonly name: string;
  /** Absent: by the byte order mark; else UTF-8, or Windows-1252 where that does not fit. */
  readonly encoding?: Encoding | undefined;
  /** From 0 to 1. */
  readonly progress?: ((share: number) => void) | undefined;
}
