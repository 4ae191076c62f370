import { isMissing, isText, type Column, type ExactTexts, type NumberColumn } from "../column.ts";
import { dateText, textAt } from "../format.ts";
import { EXCEL_BOUNDS } from "./error.ts";

/** Numbers of the styles in `xl/styles.xml`, in its order. */
const CELL_STYLES = { plain: 0, head: 1, text: 2, day: 3, time: 4, fineTime: 5 } as const;

/** The XML of a cell; "" where it is empty. `place`: such as `B7`. */
export type XlsxCell = (row: number, place: string) => string;

/** What became of values that Excel cannot hold as they are. */
export class XlsxNotes {
  readonly #counts = new Map<string, { count: number; readonly first: number }>();

  /** `what`: a text with `{count}` for what happened to how many, such as `{count} of "a" were cut`. */
  add(what: string, row: number): void {
    const known = this.#counts.get(what);
    if (known === undefined) this.#counts.set(what, { count: 1, first: row + 1 });
    else known.count += 1;
  }

  get lines(): readonly string[] {
    return [...this.#counts].map(
      ([what, { count, first }]) =>
        `${what}: ${count.toLocaleString("en")} ${count === 1 ? "value" : "values"}, first in row ${first.toLocaleString("en")}.`,
    );
  }
}

export function cellOf(column: Column, rows: Int32Array, notes: XlsxNotes): XlsxCell {
  if (isText(column)) {
    const isNumber = column.type === "bigint" && column.categories.every(isShort);
    return isNumber ? exactNumbers(column) : texts(column, column, notes);
  }
  if (column.exact !== undefined)
    return column.exact.categories.every(isShort) ? exactNumbers(column.exact) : texts(column, column.exact, notes);
  switch (column.type) {
    case "bool":
      return whereSome(column, (number, _, place) => `<c r="${place}" t="b"><v>${number === 0 ? 0 : 1}</v></c>`);
    case "int":
    case "double":
      return numbers(column, notes);
    case "datetime":
      return times(column, rows, notes);
  }
}

/** Digits that Excel shows and keeps of a number that somebody edits. */
const EXCEL_DIGITS = 15;

/** Whether Excel holds a decimal number with all its digits. */
function isShort(text: string): boolean {
  return /^-?\d+(?:\.\d+)?$/.test(text) && text.replace(/^-?0*\.?0*/, "").replace(".", "").length <= EXCEL_DIGITS;
}

function exactNumbers({ codes, categories }: ExactTexts): XlsxCell {
  return (row, place) => {
    const text = categories[codes[row] ?? -1];
    return text === undefined ? "" : `<c r="${place}"><v>${text}</v></c>`;
  };
}

/** Each different text is written out once. A cell of texts stays one when it is edited: a formula is never run. */
function texts({ name }: Column, { codes, categories }: ExactTexts, notes: XlsxNotes): XlsxCell {
  const written: (string | undefined)[] = [];
  const cutWords = `Texts of "${name}" were cut after ${EXCEL_BOUNDS.cellChars.toLocaleString("en")} characters, more than Excel holds`;
  return (row, place) => {
    const code = codes[row] ?? -1;
    const text = categories[code];
    if (text === undefined) return "";
    if (text.length > EXCEL_BOUNDS.cellChars) notes.add(cutWords, row);
    const inside = (written[code] ??= insideText(text));
    return `<c r="${place}" s="${CELL_STYLES.text}" t="inlineStr">${inside}</c>`;
  };
}

export function headCell(text: string, place: string): string {
  return `<c r="${place}" s="${CELL_STYLES.head}" t="inlineStr">${insideText(text)}</c>`;
}

function insideText(text: string): string {
  const space = SPACED.test(text) ? ' xml:space="preserve"' : "";
  return `<is><t${space}>${xmlText(cutText(text))}</t></is>`;
}

/** Texts whose spaces a program may drop unless it is told. */
const SPACED = /^\s|\s$|\s\s|[\t\n]/;

/** Not within a letter that is written as two. */
function cutText(text: string): string {
  const most = EXCEL_BOUNDS.cellChars;
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? most - 1 : most);
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
/** What XML cannot hold or changes when it is read, halves of letters among it; and what looks like their stand-in. */
const ESCAPED = /(?![\t\n])\p{Cc}|\p{Cs}|[\uFFFE\uFFFF]|_(?=x[\dA-Fa-f]{4}_)/gu;

/** Characters that XML cannot hold are written `_x000D_`, as Excel does. */
export function xmlText(text: string): string {
  return text
    .replaceAll(ESCAPED, (letter) => `_x${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`)
    .replaceAll(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

function whereSome(column: NumberColumn, write: (number: number, row: number, place: string) => string): XlsxCell {
  return (row, place) => (isMissing(column, row) ? "" : write(column.numbers[row] ?? Number.NaN, row, place));
}

function textCell(text: string, place: string): string {
  return `<c r="${place}" s="${CELL_STYLES.text}" t="inlineStr">${insideText(text)}</c>`;
}

function numbers(column: NumberColumn, notes: XlsxNotes): XlsxCell {
  const words = `Infinite numbers of "${column.name}" are texts, because Excel has none`;
  return whereSome(column, (number, row, place) => {
    if (Number.isFinite(number)) return `<c r="${place}"><v>${String(number)}</v></c>`;
    notes.add(words, row);
    return textCell(textAt(column, row), place);
  });
}

const DAY_MS = 86_400_000;
/** Days from the beginning of Excel's years to 1970. */
const TO_1970 = 25_569;
/** Excel has a 29 February 1900, which was none: days before it have the number before. */
const NO_DAY = 61;
const FIRST_TIME = Date.UTC(1900, 0, 1);
const AFTER_LAST_TIME = Date.UTC(10_000, 0, 1);

function times(column: NumberColumn, rows: Int32Array, notes: XlsxNotes): XlsxCell {
  const style = timeStyle(column, rows);
  const outside = `Times of "${column.name}" before 1900 or after 9999 are texts, because Excel has none`;
  const finer = `Times of "${column.name}" finer than a millisecond were rounded`;
  return whereSome(column, (time, row, place) => {
    const ms = Math.round(time);
    if (ms < FIRST_TIME || ms >= AFTER_LAST_TIME) {
      notes.add(outside, row);
      return textCell(dateText(time), place);
    }
    if (ms !== time) notes.add(finer, row);
    return `<c r="${place}" s="${style}"><v>${daysOf(ms)}</v></c>`;
  });
}

/** As fine as the column's finest value. */
function timeStyle({ numbers: values }: NumberColumn, rows: Int32Array): number {
  let style: number = CELL_STYLES.day;
  for (const row of rows) {
    const time = values[row] ?? Number.NaN;
    if (Number.isNaN(time) || time % DAY_MS === 0) continue;
    if (time % 1_000 !== 0) return CELL_STYLES.fineTime;
    style = CELL_STYLES.time;
  }
  return style;
}

/** Excel's number of a time; the reader's `dateOfDays` is its opposite. */
function daysOf(ms: number): number {
  const days = ms / DAY_MS + TO_1970;
  return days < NO_DAY ? days - 1 : days;
}
