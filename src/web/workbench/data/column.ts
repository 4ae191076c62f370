import type { ColumnFormat } from "./column-format.ts";

/** The names are Datagrok's. `bigint`: whole numbers that a double cannot hold, kept as their exact text. */
export type ColumnType = "string" | "int" | "double" | "bool" | "datetime" | "bigint";

export type CellValue = string | number | boolean | Date | null;

interface ColumnHead {
  readonly name: string;
  readonly type: ColumnType;
  /** What the values mean, such as `Country`. */
  readonly semType?: string | undefined;
  readonly units?: string | undefined;
  /** How its values are shown. Absent: every digit, and times in UTC. */
  readonly format?: ColumnFormat | undefined;
  /** The expression that it was made from. Absent: it came with the table. */
  readonly formula?: string | undefined;
}

/** Each different text once, and the code of each row. Missing is the code -1. */
export interface ExactTexts {
  readonly codes: Int32Array;
  readonly categories: readonly string[];
}

/** Numbers: int and double as they are, bool as 0 and 1, datetime as milliseconds since 1970 (UTC), with microseconds as a fraction. Missing is NaN. */
export interface NumberColumn extends ColumnHead {
  readonly type: "int" | "double" | "bool" | "datetime";
  readonly numbers: Float64Array;
  /** The exact decimal numbers where a double cannot hold them all, also "NaN". Absent: the doubles are the values. */
  readonly exact?: ExactTexts | undefined;
  /** Digits behind the point of a decimal type. Absent: the values are doubles. */
  readonly scale?: number | undefined;
}

/** Texts: each different one is kept once. Missing is the code -1. */
export interface TextColumn extends ColumnHead {
  readonly type: "string" | "bigint";
  /** The texts are the JSON of lists and objects. */
  readonly nested?: boolean | undefined;
  readonly codes: Int32Array;
  /** By code, in the order in which they first came. */
  readonly categories: readonly string[];
}

/** One column of a table; never changed once it is made. */
export type Column = NumberColumn | TextColumn;

export function isText(column: Column): column is TextColumn {
  return column.type === "string" || column.type === "bigint";
}

/** Whether axes can be made of it: int, double, datetime. */
export function isNumeric(column: Column): column is NumberColumn {
  return column.type === "int" || column.type === "double" || column.type === "datetime";
}

export function isMissing(column: Column, row: number): boolean {
  if (isText(column)) return (column.codes[row] ?? -1) < 0;
  if (column.exact !== undefined) return (column.exact.codes[row] ?? -1) < 0;
  return Number.isNaN(column.numbers[row] ?? Number.NaN);
}

/** The number at a row; of texts the number that they read as. NaN where there is none. */
export function numberAt(column: Column, row: number): number {
  if (!isText(column)) return column.numbers[row] ?? Number.NaN;
  const text = column.categories[column.codes[row] ?? -1];
  return text === undefined || text === "" ? Number.NaN : Number(text);
}

export function valueAt(column: Column, row: number): CellValue {
  if (isText(column)) return column.categories[column.codes[row] ?? -1] ?? null;
  const number = column.numbers[row] ?? Number.NaN;
  if (Number.isNaN(number)) return null;
  if (column.type === "bool") return number !== 0;
  return column.type === "datetime" ? new Date(number) : number;
}
