import type { ColumnType } from "./column.ts";
import { commonDate, isoTime, LONGEST_DATE } from "./dates.ts";

/** The ways to read a cell, a bit each: a column is of the first way that all its cells allow. */
export const CELL = {
  bool: 1,
  int: 2,
  bigint: 4,
  double: 8,
  /** 1,5 */
  commaDouble: 16,
  isoDate: 32,
  monthFirstDate: 64,
  dayFirstDate: 128,
  namedDate: 256,
} as const;

export type CellWay = keyof typeof CELL | "text";

export const ANY_WAY = 511;

const ORDER: readonly (keyof typeof CELL)[] = [
  "bool",
  "int",
  "bigint",
  "double",
  "commaDouble",
  "isoDate",
  "monthFirstDate",
  "dayFirstDate",
  "namedDate",
];

export function wayOf(allowed: number): CellWay {
  return ORDER.find((way) => (allowed & CELL[way]) !== 0) ?? "text";
}

export function typeOfWay(way: CellWay): ColumnType {
  switch (way) {
    case "bool":
    case "int":
    case "bigint":
    case "double":
      return way;
    case "commaDouble":
      return "double";
    case "isoDate":
    case "monthFirstDate":
    case "dayFirstDate":
    case "namedDate":
      return "datetime";
    case "text":
      return "string";
  }
}

const DIGITS_OF_SAFE_INTEGERS = 15;
/** A whole number of more digits is a text. */
const LONGEST_NUMBER = 400;
const latin = new TextDecoder("latin1");

function asciiOf(bytes: Uint8Array, start: number, end: number): string {
  return latin.decode(bytes.subarray(start, end));
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

function digitsFrom(bytes: Uint8Array, start: number, end: number): number {
  let at = start;
  while (at < end && isDigit(bytes[at])) at += 1;
  return at;
}

const INFINITE = CELL.double | CELL.commaDouble;

/** `Infinity`, `-inf`, in any letters; 0 for what is none. */
function infinityOf(bytes: Uint8Array, start: number, end: number): number {
  const negative = bytes[start] === 45;
  const head = negative ? start + 1 : start;
  const word = end - head === 3 ? "inf" : end - head === 8 ? "infinity" : undefined;
  if (word === undefined || !sameLetters(bytes, head, word)) return 0;
  return negative ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** All ways in which a cell can be read, of those still asked for. The cell is trimmed and not empty. */
export function waysOf(bytes: Uint8Array, start: number, end: number, asked: number): number {
  const first = bytes[start] ?? 0;
  if (isDigit(first) || first === 45 || first === 46) {
    const numbers = infinityOf(bytes, start, end) === 0 ? numberWays(bytes, start, end) : INFINITE;
    return numbers === 0 ? dateWays(bytes, start, end, asked) : numbers & asked;
  }
  if ((asked & CELL.double) !== 0 && infinityOf(bytes, start, end) !== 0) return INFINITE & asked;
  if ((asked & CELL.bool) !== 0 && boolOf(bytes, start, end) >= 0) return CELL.bool;
  return (asked & CELL.namedDate) === 0 ? 0 : dateWays(bytes, start, end, asked);
}

function numberWays(bytes: Uint8Array, start: number, end: number): number {
  if (end - start > LONGEST_NUMBER) return 0;
  const head = bytes[start] === 45 ? start + 1 : start;
  const whole = digitsFrom(bytes, head, end);
  // 007 is a name, not a number: reading it as one would lose the zeros.
  if (bytes[head] === 48 && whole - head > 1) return 0;
  if (whole === end && whole > head) return wholeNumberWays(bytes, start, end, whole - head);
  const separator = bytes[whole];
  const hasFraction = separator === 46 || separator === 44;
  let at = hasFraction ? digitsFrom(bytes, whole + 1, end) : whole;
  if (at - head - (hasFraction ? 1 : 0) === 0) return 0;
  if (separator === 44 && (at === whole + 1 || whole === head)) return 0;
  if (at < end && ((bytes[at] ?? 0) | 32) === 101) {
    const sign = bytes[at + 1];
    const exponent = sign === 43 || sign === 45 ? at + 2 : at + 1;
    at = digitsFrom(bytes, exponent, end);
    if (at === exponent) return 0;
    if (at === end && !Number.isFinite(Number(asciiOf(bytes, start, end).replace(",", ".")))) return 0;
  }
  if (at !== end) return 0;
  if (!hasFraction) return CELL.double | CELL.commaDouble;
  return separator === 44 ? CELL.commaDouble : CELL.double;
}

function wholeNumberWays(bytes: Uint8Array, start: number, end: number, digits: number): number {
  const all = CELL.int | CELL.bigint | CELL.double | CELL.commaDouble;
  if (digits <= DIGITS_OF_SAFE_INTEGERS) return all;
  const number = Number(asciiOf(bytes, start, end));
  if (Number.isSafeInteger(number)) return all;
  return Number.isFinite(number) ? all & ~CELL.int : CELL.bigint;
}

function dateWays(bytes: Uint8Array, start: number, end: number, asked: number): number {
  if ((asked & CELL.isoDate) !== 0 && !Number.isNaN(isoTime(bytes, start, end))) return CELL.isoDate;
  if ((asked & (CELL.monthFirstDate | CELL.dayFirstDate | CELL.namedDate)) === 0) return 0;
  if (end - start > LONGEST_DATE || end - start < 8) return 0;
  const date = commonDate(asciiOf(bytes, start, end));
  if (date === undefined) return 0;
  return (
    ((Number.isNaN(date.monthFirst) ? 0 : CELL.monthFirstDate) |
      (Number.isNaN(date.dayFirst) ? 0 : CELL.dayFirstDate) |
      (Number.isNaN(date.named) ? 0 : CELL.namedDate)) &
    asked
  );
}

/** 1, 0, or -1 for what is none. */
function boolOf(bytes: Uint8Array, start: number, end: number): number {
  if (end - start === 4) return sameLetters(bytes, start, "true") ? 1 : -1;
  return end - start === 5 && sameLetters(bytes, start, "false") ? 0 : -1;
}

function sameLetters(bytes: Uint8Array, start: number, word: string): boolean {
  for (let index = 0; index < word.length; index += 1)
    if (((bytes[start + index] ?? 0) | 32) !== word.charCodeAt(index)) return false;
  return true;
}

/** The number of a cell that allows this way; NaN where it does not. */
export function cellNumber(
  way: Exclude<CellWay, "text" | "bigint">,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  switch (way) {
    case "bool": {
      const truth = boolOf(bytes, start, end);
      return truth < 0 ? Number.NaN : truth;
    }
    case "int":
    case "double":
    case "commaDouble":
      return plainNumber(bytes, start, end, way === "commaDouble" ? 44 : 46);
    case "isoDate":
      return isoTime(bytes, start, end);
    case "monthFirstDate":
      return commonDate(asciiOf(bytes, start, end))?.monthFirst ?? Number.NaN;
    case "dayFirstDate":
      return commonDate(asciiOf(bytes, start, end))?.dayFirst ?? Number.NaN;
    case "namedDate":
      return commonDate(asciiOf(bytes, start, end))?.named ?? Number.NaN;
  }
}

/** Up to this many digits, a whole number divided by a power of ten (up to 1e22) is the double nearest to the decimal number. */
const EXACT_DIGITS = 15;
const POWERS = Array.from({ length: EXACT_DIGITS + 1 }, (_, power) => 10 ** power);

function plainNumber(bytes: Uint8Array, start: number, end: number, point: number): number {
  const negative = bytes[start] === 45;
  let mantissa = 0;
  let digits = 0;
  let behind = -1;
  for (let at = negative ? start + 1 : start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= 48 && byte <= 57) {
      mantissa = mantissa * 10 + byte - 48;
      digits += 1;
      if (behind >= 0) behind += 1;
    } else if (byte === point && behind < 0) behind = 0;
    else return slowNumber(bytes, start, end, point);
  }
  if (digits > EXACT_DIGITS || digits === 0) return slowNumber(bytes, start, end, point);
  const size = behind > 0 ? mantissa / (POWERS[behind] ?? 1) : mantissa;
  return negative ? -size : size;
}

function slowNumber(bytes: Uint8Array, start: number, end: number, point: number): number {
  const infinite = infinityOf(bytes, start, end);
  if (infinite !== 0) return infinite;
  const text = asciiOf(bytes, start, end);
  return text === "" ? Number.NaN : Number(point === 44 ? text.replace(",", ".") : text);
}
