import type { NumberColumn } from "./column.ts";
import { TextColumnMaker } from "./texts.ts";

/** Decimal digits that a double surely keeps. */
const EXACT_DIGITS = 15;
const EXACT_UNITS = 10 ** EXACT_DIGITS;
/** Powers of ten up to here are exact doubles, so one division gives the double nearest to the decimal number. */
const EXACT_POWER = 22;

/** Whole units of the last digit as a decimal number: 10050 with 4 digits is 1.0050. */
export function decimalText(units: bigint, scale: number): string {
  if (scale <= 0) return String(units);
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  return `${units < 0n ? "-" : ""}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}

/** A column of a decimal type, from whole units of its last digit. Where doubles cannot hold the values, their exact texts are kept beside them. */
export function columnOfUnits(
  name: string,
  units: readonly (bigint | number | null | undefined)[],
  scale: number,
): NumberColumn {
  const numbers = new Float64Array(units.length).fill(Number.NaN);
  let fits = scale <= EXACT_POWER;
  for (let row = 0; row < units.length; row += 1) {
    const value = units[row];
    if (value === null || value === undefined) continue;
    const whole = Number(value);
    const isSmall = Math.abs(whole) < EXACT_UNITS && scale <= EXACT_POWER;
    if (!isSmall) fits = false;
    numbers[row] = isSmall ? whole / 10 ** scale : Number(decimalText(BigInt(value), scale));
  }
  const column: NumberColumn = { name, type: "double", numbers, scale };
  if (fits) return column;
  const texts = new TextColumnMaker(units.length);
  for (const value of units)
    texts.add(value === null || value === undefined ? null : decimalText(BigInt(value), scale));
  return { ...column, exact: texts.finishTexts() };
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?$/;
const NOT_FINITE = /^(?:nan|[+-]?inf(?:inity)?)$/i;

export function isDecimalText(text: string): boolean {
  return DECIMAL.test(text) || NOT_FINITE.test(text);
}

function numberOfDecimal(text: string): number {
  if (!NOT_FINITE.test(text)) return Number(text);
  if (/^nan$/i.test(text)) return Number.NaN;
  return text.startsWith("-") ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** A column from decimal numbers as texts, "NaN" and "Infinity" among them. Every text must be one (`isDecimalText`). */
export function columnOfDecimals(name: string, texts: readonly (string | null)[]): NumberColumn {
  const numbers = Float64Array.from(texts, (text) => (text === null ? Number.NaN : numberOfDecimal(text)));
  const isExact = texts.every((text, row) => text === null || holds(numbers[row] ?? Number.NaN, text));
  if (isExact) return { name, type: "double", numbers };
  const maker = new TextColumnMaker(texts.length);
  for (const text of texts) maker.add(text);
  return { name, type: "double", numbers, exact: maker.finishTexts() };
}

/** Whether a double is shown as the same decimal number. */
export function holds(number: number, text: string): boolean {
  if (Number.isNaN(number)) return false;
  if (!Number.isFinite(number)) return NOT_FINITE.test(text);
  if (String(number) === text) return true;
  return significantDigits(text) <= EXACT_DIGITS || significantDigits(String(number)) === significantDigits(text);
}

/** Without zeros at either end, sign, point and exponent. */
function significantDigits(text: string): number {
  return text
    .replace(/[eE].*$/, "")
    .replace(/^[+-]?[0.]*|\./g, "")
    .replace(/0+$/, "").length;
}

/** The number of a decimal text where it means exactly that, else the text: for JSON. */
export function exactNumber(text: string): number | string {
  const number = Number(text);
  return holds(number, text) ? number : text;
}

/** A decimal text as whole units of its last digit. Undefined: no plain decimal number. */
export function unitsOf(text: string, scale: number): bigint | undefined {
  const parts = /^([+-]?)(\d*)\.?(\d*)$/.exec(text);
  if (parts === null) return undefined;
  const [, sign = "", whole = "", fraction = ""] = parts;
  if (fraction.length > scale || whole.length + fraction.length === 0) return undefined;
  const units = BigInt(`${whole}${fraction.padEnd(scale, "0")}`);
  return sign === "-" ? -units : units;
}

/** Orders decimal texts by their exact values; NaN after all numbers. */
export function compareDecimals(left: string, right: string): number {
  const [one, other] = [numberOfDecimal(left), numberOfDecimal(right)];
  if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
  if (one !== other) return one < other ? -1 : 1;
  const scale = Math.max(fractionOf(left), fractionOf(right));
  const [units, otherUnits] = [unitsOf(left, scale), unitsOf(right, scale)];
  if (units === undefined || otherUnits === undefined || units === otherUnits) return 0;
  return units < otherUnits ? -1 : 1;
}

/** Digits behind the point. */
export function fractionOf(text: string): number {
  const point = text.indexOf(".");
  return point < 0 ? 0 : text.length - point - 1;
}
