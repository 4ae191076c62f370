import type { AnyValue } from "../make.ts";
import { READ_BOUNDS, ReadError } from "./error.ts";
import { textOf, type SheetStyles } from "./xlsx-parts.ts";
import { XmlScanner } from "./xml.ts";

/** Rows of a sheet that have a value, each as long as its last one. */
export interface SheetRows {
  readonly rows: readonly (readonly AnyValue[])[];
  /** What did not fit. */
  readonly notes: readonly string[];
}

interface SheetWords {
  readonly styles: SheetStyles;
  readonly texts: readonly string[];
}

const DAY_MS = 86_400_000;
/** Days from the beginning of Excel's years to 1970. */
const TO_1970 = { from1900: 25_569, from1904: 24_107 } as const;
/** Before the day that Excel has and 1900 had not. */
const NO_DAY = 60;
const LAST_COLUMN = 16_384;

export function readSheet(text: string, words: SheetWords): SheetRows {
  const reader = new SheetReader(words);
  const scanner = new XmlScanner(text);
  while (scanner.next()) reader.tag(scanner);
  return reader.finish();
}

class SheetReader {
  readonly #words: SheetWords;
  readonly #rows: AnyValue[][] = [];
  #row: AnyValue[] = [];
  #cells = 0;
  #column = 0;
  #type = "n";
  #style = 0;
  #value: string | undefined;
  #inline = "";
  #errors = 0;
  #merged = 0;
  #lost = 0;

  constructor(words: SheetWords) {
    this.#words = words;
  }

  tag(scanner: XmlScanner): void {
    const { name, kind } = scanner;
    switch (name) {
      case "row":
        if (kind === "open") this.#row = [];
        else if (this.#row.length > 0) this.#rows.push(this.#row);
        if (kind !== "open") this.#row = [];
        this.#column = kind === "open" ? 0 : this.#column;
        return;
      case "c":
        if (kind !== "close") this.#begin(scanner);
        if (kind !== "open") this.#end();
        return;
      case "v":
        if (kind === "close") this.#value = scanner.before;
        return;
      case "t":
        if (kind === "close") this.#inline += textOf(scanner.before);
        return;
      case "mergeCell":
        if (kind !== "close") this.#merged += 1;
    }
  }

  finish(): SheetRows {
    const notes: string[] = [];
    const count = (number: number, what: string): string =>
      `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
    if (this.#errors > 0) notes.push(`${count(this.#errors, "cell")} with an error such as #N/A: they are missing.`);
    if (this.#merged > 0) notes.push(`${count(this.#merged, "merged area")}: only its first cell has the value.`);
    if (this.#lost > 0) notes.push(`${count(this.#lost, "cell")} could not be read: they are missing.`);
    return { rows: this.#rows, notes };
  }

  #begin(scanner: XmlScanner): void {
    const place = scanner.attribute("r");
    this.#column = place === undefined ? this.#column + 1 : columnOfPlace(place);
    this.#type = scanner.attribute("t") ?? "n";
    this.#style = Number(scanner.attribute("s") ?? 0);
    this.#value = undefined;
    this.#inline = "";
  }

  #end(): void {
    const value = this.#read();
    if (value === null || value === "") return;
    this.#cells += 1;
    if (this.#cells > READ_BOUNDS.sheetCells)
      throw new ReadError(
        "too_large",
        `The sheet has more than ${READ_BOUNDS.sheetCells.toLocaleString("en")} cells: save it as CSV or Parquet.`,
      );
    if (this.#column < 1 || this.#column > LAST_COLUMN) {
      this.#lost += 1;
      return;
    }
    while (this.#row.length < this.#column - 1) this.#row.push(null);
    this.#row[this.#column - 1] = value;
  }

  #read(): AnyValue {
    const value = this.#value;
    if (this.#type === "inlineStr") return this.#inline;
    if (value === undefined) return null;
    switch (this.#type) {
      case "s": {
        const text = this.#words.texts[Number(value)];
        if (text === undefined) this.#lost += 1;
        return text ?? null;
      }
      case "str":
        return textOf(value);
      case "b":
        return value.trim() === "1";
      case "e":
        this.#errors += 1;
        return null;
      case "d":
        return textOf(value);
      default:
        return this.#number(value);
    }
  }

  #number(text: string): AnyValue {
    const number = Number(text);
    if (text.trim() === "" || !Number.isFinite(number)) {
      this.#lost += 1;
      return null;
    }
    const { looks, isFrom1904 } = this.#words.styles;
    switch (looks[this.#style] ?? "number") {
      case "date":
        return dateOfDays(number, isFrom1904);
      case "clock":
        return number >= 0 && number < 1 ? clockText(number) : number;
      case "number":
        return number;
    }
  }
}

function dateOfDays(days: number, isFrom1904: boolean): Date | number {
  const shift = isFrom1904 ? TO_1970.from1904 : TO_1970.from1900 - (days < NO_DAY ? 1 : 0);
  const date = new Date(Math.round((days - shift) * DAY_MS));
  return Number.isNaN(date.getTime()) ? days : date;
}

/** A part of a day: `13:45:00`. */
function clockText(part: number): string {
  return new Date(Math.min(DAY_MS - 1_000, Math.round((part * DAY_MS) / 1_000) * 1_000)).toISOString().slice(11, 19);
}

/** `AB12`: 28. 0: it is no such place. */
function columnOfPlace(place: string): number {
  const letters = /^[A-Z]{1,3}/.exec(place)?.[0] ?? "";
  let column = 0;
  for (const letter of letters) column = column * 26 + (letter.codePointAt(0) ?? 64) - 64;
  return column;
}
