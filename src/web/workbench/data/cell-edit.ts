import { isText, type Column, type ExactTexts, type NumberColumn } from "./column.ts";
import { humanNumber, truthOf } from "./convert.ts";
import { fractionOf, holds, isDecimalText } from "./decimal.ts";
import { numberText } from "./format.ts";
import { timeOfText } from "./text-value.ts";

/** The value of one cell as its column stores it. */
export interface StoredCell {
  /** NaN: missing, or a text. */
  readonly number: number;
  /** Of texts, and of exact decimal numbers. Null: missing, or a plain number. */
  readonly text: string | null;
  /** Where the text stands among the column's categories. Absent: at its end, if it is new. */
  readonly place?: number | undefined;
}

export interface CellChange {
  readonly row: number;
  readonly cell: StoredCell;
}

const MISSING: StoredCell = { number: Number.NaN, text: null };

export function readCell(column: Column, row: number): StoredCell {
  const number = isText(column) ? Number.NaN : (column.numbers[row] ?? Number.NaN);
  const texts = isText(column) ? column : column.exact;
  const place = texts?.codes[row] ?? -1;
  const text = texts?.categories[place];
  return text === undefined ? { number, text: null } : { number, text, place };
}

/** As the grid shows it without a format; "" where it is missing. */
export function cellText(column: Column, { number, text }: StoredCell): string {
  if (text !== null) return text;
  return isText(column) || Number.isNaN(number) ? "" : numberText(column.type, number);
}

/** The column with other values in some rows. */
export function withCells(column: Column, changes: readonly CellChange[]): Column {
  if (isText(column)) return { ...column, ...withTexts(column, changes) };
  const numbers = column.numbers.slice();
  for (const { row, cell } of changes) numbers[row] = cell.number;
  return { ...column, numbers, ...(column.exact === undefined ? {} : { exact: withTexts(column.exact, changes) }) };
}

const FEW_CHANGES = 16;

function withTexts(before: ExactTexts, changes: readonly CellChange[]): ExactTexts {
  const codes = before.codes.slice();
  const categories = [...before.categories];
  // Few texts are looked up; for many an index is worth its making.
  const isFew = changes.length <= FEW_CHANGES;
  const known = new Map(isFew ? [] : categories.map((text, code) => [text, code]));
  const codeOf = (text: string): number => known.get(text) ?? (isFew ? before.categories.indexOf(text) : -1);
  const wanted = changes.map(({ row, cell }) => ({ row, ...cell }));
  for (const { row, text } of wanted) {
    let code = text === null ? -1 : codeOf(text);
    if (text !== null && code < 0) {
      code = categories.push(text) - 1;
      known.set(text, code);
    }
    codes[row] = code;
  }
  return inOrder({ codes, categories }, before.categories.length, wanted);
}

/** New texts go where they stood before, and texts that no row has any more go away: charts would show them as empty groups. */
function inOrder(
  { codes, categories }: { readonly codes: Int32Array; readonly categories: readonly string[] },
  known: number,
  wanted: readonly Pick<StoredCell, "text" | "place">[],
): ExactTexts {
  const used = new Uint8Array(categories.length);
  for (const code of codes) if (code >= 0) used[code] = 1;
  const places = new Map(wanted.map(({ text, place }) => [text, place]));
  const order = categories.flatMap((_, code) => (used[code] === 1 && code < known ? [code] : []));
  const fresh = categories.flatMap((text, code) =>
    used[code] === 1 && code >= known ? [{ code, place: places.get(text) ?? Number.POSITIVE_INFINITY }] : [],
  );
  for (const { code, place } of fresh.toSorted((left, right) => left.place - right.place))
    order.splice(Math.min(place, order.length), 0, code);
  if (order.length === categories.length && order.every((code, index) => code === index)) return { codes, categories };
  const moved = new Int32Array(categories.length).fill(-1);
  for (const [index, code] of order.entries()) moved[code] = index;
  return {
    codes: codes.map((code) => (code < 0 ? -1 : (moved[code] ?? -1))),
    categories: order.map((code) => categories[code] ?? ""),
  };
}

/** Characters of a text that is typed into a cell. */
const MOST_CHARACTERS = 1_000_000;

/** What a person wrote, as the column stores it; nothing is a missing value. Throws words where the column cannot hold it. */
export function parseCell(column: Column, written: string): StoredCell {
  if (written.length > MOST_CHARACTERS) throw new Error("This text is too long for a cell.");
  if (written.trim() === "") return MISSING;
  switch (column.type) {
    case "string":
      if (column.nested === true) checkNested(written);
      return { number: Number.NaN, text: written };
    case "bigint":
      if (!/^-?\d+$/.test(written.trim())) throw new Error(`“${shortened(written)}” is not a whole number.`);
      return { number: Number.NaN, text: written.trim() };
    case "bool":
    case "datetime":
    case "int":
    case "double":
      return parseNumber(column, written.trim());
  }
}

function checkNested(written: string): void {
  try {
    const value: unknown = JSON.parse(written);
    if (typeof value === "object") return;
  } catch {
    // Told below.
  }
  throw new Error("This column holds lists and objects: write JSON, such as [1, 2].");
}

function parseNumber(column: NumberColumn, written: string): StoredCell {
  const shown = `“${shortened(written)}”`;
  const plain = (number: number, isRight: boolean, words: string): StoredCell => {
    if (!isRight) throw new Error(`${shown} ${words}`);
    return { number, text: null };
  };
  switch (column.type) {
    case "bool": {
      const truth = truthOf(written);
      return plain(truth, !Number.isNaN(truth), "is neither true nor false.");
    }
    case "datetime": {
      const time = timeOfText(written);
      return plain(time, !Number.isNaN(time), "is not a date. Write one as 2024-05-17 or 2024-05-17 12:30.");
    }
    case "int": {
      const number = humanNumber(written, "point");
      const words = Number.isNaN(number) ? "is not a number." : "is not a whole number that this column can hold.";
      return plain(number, Number.isSafeInteger(number), words);
    }
    case "double":
      return parseDouble(column, written, shown);
  }
}

function parseDouble(column: NumberColumn, written: string, shown: string): StoredCell {
  const number = humanNumber(written, "point");
  if (Number.isNaN(number)) throw new Error(`${shown} is not a number.`);
  const isDecimal = isDecimalText(written);
  const text = isDecimal ? written : String(number);
  if (column.scale !== undefined && (!Number.isFinite(number) || fractionOf(text) > column.scale))
    throw new Error(`${shown} has more than ${column.scale} digits behind the point.`);
  if (column.exact !== undefined) return { number, text };
  if (isDecimal && !holds(number, written))
    throw new Error(`${shown} has more digits than this column can hold. Change its type to Text to keep them all.`);
  return { number, text: null };
}

function shortened(text: string): string {
  return text.length > 40 ? `${text.slice(0, 39)}…` : text;
}
