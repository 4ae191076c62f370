import { fitsType } from "./column-format.ts";
import { isText, isMissing, type Column, type ColumnType, type NumberColumn } from "./column.ts";
import { textAt } from "./format.ts";
import { numberOfText, timeOfText } from "./text-value.ts";
import { TextColumnMaker } from "./texts.ts";

/** A value that a type cannot hold; it is missing in the new column. */
interface ConversionMisfit {
  readonly row: number;
  readonly text: string;
}

export interface ConvertedColumn {
  readonly column: Column;
  /** Values that did not fit. */
  readonly misfits: number;
  /** The first of them. */
  readonly examples: readonly ConversionMisfit[];
}

/** Misfits that are told one by one. */
const EXAMPLES = 5;

/** The column in another type. What cannot be read as that type is missing, and counted. The formula goes: the values are no longer its own. */
export function convertColumn(
  column: Column,
  type: ColumnType,
  { decimal }: { readonly decimal?: "point" | "comma" | undefined } = {},
): ConvertedColumn {
  const misfits = new Misfits();
  const { semType, units, format } = column;
  const kept = {
    ...(semType === undefined ? {} : { semType }),
    ...(units === undefined ? {} : { units }),
    ...(format === undefined || !fitsType(format, type) ? {} : { format }),
  };
  const made =
    type === "string" || type === "bigint"
      ? toTexts(column, type, misfits)
      : toNumbers(column, { type, decimal }, misfits);
  return { column: { ...made, ...kept }, misfits: misfits.count, examples: misfits.examples };
}

class Misfits {
  count = 0;
  readonly examples: ConversionMisfit[] = [];

  add(row: number, text: string): void {
    this.count += 1;
    if (this.examples.length < EXAMPLES) this.examples.push({ row, text });
  }
}

const rowsOf = (column: Column): number => (isText(column) ? column.codes.length : column.numbers.length);

const WHOLE = /^-?\d+$/;

function toTexts(column: Column, type: "string" | "bigint", misfits: Misfits): Column {
  const rows = rowsOf(column);
  const maker = new TextColumnMaker(rows);
  for (let row = 0; row < rows; row += 1) {
    const text = isMissing(column, row) ? null : textAt(column, row);
    const fits = text === null || type === "string" || WHOLE.test(text.trim());
    if (!fits) misfits.add(row, text);
    maker.add(fits ? (type === "bigint" ? (text?.trim() ?? null) : text) : null);
  }
  return maker.finish(column.name, type);
}

interface NumberReading {
  readonly type: NumberColumn["type"];
  /** Absent: as most texts look. */
  readonly decimal: "point" | "comma" | undefined;
}

function toNumbers(column: Column, reading: NumberReading, misfits: Misfits): Column {
  const { type } = reading;
  const rows = rowsOf(column);
  const numbers = new Float64Array(rows).fill(Number.NaN);
  const read = isText(column) ? textReader(column.categories, reading) : undefined;
  // Each different text is read once.
  const byCode = isText(column)
    ? Float64Array.from(column.categories, (text) => read?.(text) ?? Number.NaN)
    : undefined;
  for (let row = 0; row < rows; row += 1) {
    if (isMissing(column, row)) continue;
    const raw = isText(column)
      ? (byCode?.[column.codes[row] ?? -1] ?? Number.NaN)
      : (column.numbers[row] ?? Number.NaN);
    const number = fitted(raw, type);
    const text = Number.isNaN(number) ? textAt(column, row) : "";
    if (Number.isNaN(number) && text.trim() !== "") misfits.add(row, text);
    numbers[row] = number;
  }
  return { name: column.name, type, numbers };
}

/** Longest time that a Date holds, ms. */
const MOST_TIME = 8.64e15;

function fitted(number: number, type: NumberColumn["type"]): number {
  switch (type) {
    case "int":
      return Number.isSafeInteger(number) ? number : Number.NaN;
    case "bool":
      return number === 0 || number === 1 ? number : Number.NaN;
    case "datetime":
      return Math.abs(number) <= MOST_TIME ? number : Number.NaN;
    case "double":
      return number;
  }
}

const YES = new Set(["true", "yes", "y", "1", "on"]);
const NO = new Set(["false", "no", "n", "0", "off"]);

/** 1 or 0 of what people write for true and false; NaN where it is neither. */
export function truthOf(text: string): number {
  const word = text.trim().toLowerCase();
  return YES.has(word) ? 1 : NO.has(word) ? 0 : Number.NaN;
}

function textReader(texts: readonly string[], { type, decimal: given }: NumberReading): (text: string) => number {
  if (type === "datetime") return timeOfText;
  if (type === "bool") return truthOf;
  const decimal = given ?? decimalOf(texts);
  return (text) => humanNumber(text, decimal);
}

/** Texts that are looked at to find out how decimals are written. */
const LOOKED_AT = 10_000;
const COMMA_DECIMAL = /\d\.\d{3},\d|^[^.]*\d,(?:\d{1,2}|\d{4,})\D*$/;
const POINT_DECIMAL = /\d,\d{3}\.\d|^[^,]*\d\.(?:\d{1,2}|\d{4,})\D*$/;

/** How a column writes its decimals: `1.234,5` or `1,234.5`. Where it cannot be told, with a point. */
export function decimalOf(texts: readonly string[]): "point" | "comma" {
  const looked = texts.slice(0, LOOKED_AT);
  const hasComma = looked.some((text) => COMMA_DECIMAL.test(text));
  return hasComma && !looked.some((text) => POINT_DECIMAL.test(text)) ? "comma" : "point";
}

const SIGNS =
  /^([-+]?)\s*(?:[$€£¥₹]|[A-Z]{3}\s)?\s*([-+]?[\d.,'\u00A0\u202F ]*\d(?:[eE][-+]?\d+)?)\s*(?:[$€£¥₹]|\s[A-Z]{3})?\s*(%?)$/;
const GROUPED_POINT = /^[-+]?\d{1,3}(?:[,'\u00A0\u202F ]\d{3})+(?:\.\d+)?$/;
const GROUPED_COMMA = /^[-+]?\d{1,3}(?:[.'\u00A0\u202F ]\d{3})+(?:,\d+)?$/;

/** A number as people write it: with groups of digits, a currency or a percent sign. NaN where it is none. */
export function humanNumber(text: string, decimal: "point" | "comma"): number {
  const trimmed = text.trim();
  if (decimal === "point") {
    const plain = numberOfText(trimmed);
    if (!Number.isNaN(plain)) return plain;
  }
  const parts = SIGNS.exec(trimmed);
  if (parts === null) return Number.NaN;
  const [, sign = "", digits = "", percent = ""] = parts;
  // `-$5` and `$-5`, but not both.
  if (sign !== "" && /^[-+]/.test(digits)) return Number.NaN;
  const grouped = (decimal === "point" ? GROUPED_POINT : GROUPED_COMMA).test(digits);
  const bare = grouped
    ? digits.replaceAll(decimal === "point" ? /[,'\u00A0\u202F ]/g : /[.'\u00A0\u202F ]/g, "")
    : digits;
  const number = numberOfText((decimal === "comma" ? bare.replace(",", ".") : bare).replace(/^\+/, ""));
  const signed = sign === "-" ? -number : number;
  return percent === "%" ? signed / 100 : signed;
}
