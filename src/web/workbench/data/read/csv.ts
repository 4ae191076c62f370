import { ANY_WAY, CELL, cellNumber, typeOfWay, wayOf, waysOf } from "../cells.ts";
import type { CellWay } from "../cells.ts";
import type { ColumnType } from "../column.ts";
import { holds } from "../decimal.ts";
import { chunksOf, encodingOf } from "./chunks.ts";
import type { Encoding } from "./chunks.ts";
import { ByteDictionary } from "./dictionary.ts";
import { checkColumns, checkRows, ReadError } from "./error.ts";
import { NullWords } from "./null-words.ts";
import type { ParseOptions } from "./options.ts";
import type { PackedColumn, PackedTable } from "./packed.ts";
import { RecordScanner } from "./records.ts";
import type { CellSink, SkippedLines } from "./records.ts";
import { DELIMITERS, delimiterOf, hasHeader, sampleRecords, uniqueNames } from "./sniff.ts";

const SAMPLE = 256 * 1024;

interface CsvShape extends SkippedLines {
  readonly delimiter: number;
  readonly header: boolean;
  readonly encoding: Encoding;
  readonly nullWords: NullWords;
  readonly decimal: "point" | "comma" | undefined;
}

/**
 * Reads the file twice: first what the columns are, over all values, then the values. So each column is made once, in its size and
 * type, and no text of the file is held.
 */
export async function parseCsv(blob: Blob, options: ParseOptions): Promise<PackedTable> {
  const shape = await shapeOf(blob, options);
  const survey = new Survey(shape);
  const surveyed = await scanFile(blob, shape, survey, (share) => options.progress?.(share / 2));
  if (!surveyed.isText) return parseCsv(blob, { ...options, encoding: "windows-1252" });
  const plan = survey.plan(options.types ?? {});
  const values = new CsvValues(plan, shape, survey.rows);
  await scanFile(blob, shape, values, (share) => options.progress?.(0.5 + share / 2));
  const notes = [
    ...(surveyed.hasOpenQuote ? [openQuoteNote(survey.rows)] : []),
    ...survey.misfitNotes(plan),
    ...values.finerNotes(),
  ];
  return { columns: values.columns(), ...(notes.length === 0 ? {} : { notes }) };
}

function openQuoteNote(row: number): string {
  return `A quote in row ${row.toLocaleString("en")} is not closed: the rest of the file is in one cell. Close the quote in the file.`;
}

/** How the file is cut into cells: what the options say, else what its beginning looks like. */
export async function shapeOf(blob: Blob, options: ParseOptions): Promise<CsvShape> {
  const { skipLines, decimal } = options;
  const comment = options.comment === undefined ? undefined : options.comment.charCodeAt(0);
  const head = new Uint8Array(await blob.slice(0, 4).arrayBuffer());
  const encoding = options.encoding ?? encodingOf(head);
  let sample = new Uint8Array(0);
  for await (const chunk of chunksOf(blob.slice(0, SAMPLE), encoding)) sample = new Uint8Array(chunk.bytes);
  const sampled = { isWhole: blob.size <= SAMPLE, skipLines, comment };
  const delimiter =
    options.delimiter === undefined ? delimiterOf(options.name, sample, sampled) : DELIMITERS[options.delimiter];
  const header = options.header ?? hasHeader(sampleRecords(sample, delimiter, sampled));
  return { delimiter, header, encoding, nullWords: new NullWords(options.nullWords), decimal, skipLines, comment };
}

interface ScannedCsv {
  /** False: the bytes are no UTF-8, though nothing said so. */
  readonly isText: boolean;
  readonly hasOpenQuote: boolean;
}

async function scanFile(
  blob: Blob,
  shape: CsvShape,
  sink: CellSink,
  progress: (share: number) => void,
): Promise<ScannedCsv> {
  const scanner = new RecordScanner(shape.delimiter, sink, shape);
  const checker =
    shape.encoding === "utf-8" && sink instanceof Survey ? new TextDecoder("utf-8", { fatal: true }) : undefined;
  let rest: Uint8Array = new Uint8Array(0);
  for await (const { bytes, isLast, read } of chunksOf(blob, shape.encoding)) {
    try {
      checker?.decode(bytes, { stream: !isLast });
    } catch {
      return { isText: false, hasOpenQuote: false };
    }
    const whole = joined(rest, bytes);
    rest = whole.subarray(scanner.scan(whole, isLast));
    progress(blob.size === 0 ? 1 : read / blob.size);
  }
  return { isText: true, hasOpenQuote: scanner.hasOpenQuote };
}

function joined(rest: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (rest.length === 0) return bytes;
  const whole = new Uint8Array(rest.length + bytes.length);
  whole.set(rest);
  whole.set(bytes, rest.length);
  return whole;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 9;
}

interface CsvColumnPlan {
  readonly name: string;
  readonly way: CellWay;
  readonly type: ColumnType;
  /** Its decimal numbers are kept as texts beside the doubles. */
  readonly isExact: boolean;
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Digits, sign and point of a decimal number that a double surely holds. */
const EXACT_CELL = 16;

interface Misfit {
  readonly row: number;
  readonly cell: string;
}

/** After so many rows that agree, a cell that does not is worth a note. */
const SURE_ROWS = 20;
const MOST_NOTES = 5;

function isTooLarge(cell: string): boolean {
  return /^-?[\d.,]+e\+?\d+$/i.test(cell) && !Number.isFinite(Number(cell.replace(",", ".")));
}

/** The first pass: names, how many rows, and what each column allows. */
class Survey implements CellSink {
  readonly #shape: CsvShape;
  readonly #names: string[] = [];
  readonly #allowed: number[] = [];
  /** Whether a column has decimal numbers that doubles do not hold. */
  readonly #inexact: boolean[] = [];
  /** Whether a column has a value at all. */
  readonly #filled: boolean[] = [];
  /** By column: the row and the cell that made it text, though those before were numbers or times. */
  readonly #misfits = new Map<number, Misfit>();
  #inHeader: boolean;
  rows = 0;

  constructor(shape: CsvShape) {
    this.#shape = shape;
    this.#inHeader = shape.header;
  }

  cell(column: number, bytes: Uint8Array, start: number, end: number, quoted: boolean): void {
    if (this.#inHeader) {
      this.#names[column] = decoder.decode(bytes.subarray(start, end));
      return;
    }
    const allowed = this.#allowed[column];
    if (allowed === undefined) this.#widen(column);
    else if (allowed === 0) return;
    let from = start;
    let to = end;
    while (from < to && isSpace(bytes[from])) from += 1;
    while (to > from && isSpace(bytes[to - 1])) to -= 1;
    if (from === to || (!quoted && this.#shape.nullWords.has(bytes, from, to))) return;
    this.#filled[column] = true;
    const asked = this.#allowed[column] ?? 0;
    const next = asked & waysOf(bytes, from, to, asked);
    this.#allowed[column] = next;
    if (to - from > EXACT_CELL && (next & CELL.double) !== 0 && this.#inexact[column] !== true) {
      const text = decoder.decode(bytes.subarray(from, to));
      this.#inexact[column] = !holds(Number(text), text);
    }
    if (next === 0 && asked !== ANY_WAY) this.#note(column, decoder.decode(bytes.subarray(from, to)));
  }

  #note(column: number, cell: string): void {
    if (this.rows >= SURE_ROWS || isTooLarge(cell)) this.#misfits.set(column, { row: this.rows + 1, cell });
  }

  /** What made columns texts that begin as something else, for at most a few. */
  misfitNotes(plan: readonly CsvColumnPlan[]): readonly string[] {
    return [...this.#misfits].slice(0, MOST_NOTES).flatMap(([column, { row, cell }]) => {
      const planned = plan[column];
      if (planned?.way !== "text") return [];
      const shown = cell.length > 40 ? `${cell.slice(0, 39)}…` : cell;
      const why = isTooLarge(cell) ? "too large for a number" : "unlike those before it";
      return [`"${planned.name}" is read as text: "${shown}" in row ${row.toLocaleString("en")} is ${why}.`];
    });
  }

  endRecord(): void {
    if (this.#inHeader) {
      this.#inHeader = false;
      this.#widen(this.#names.length - 1);
      return;
    }
    this.rows += 1;
    checkRows(this.rows);
  }

  plan(types: Readonly<Record<string, ColumnType>>): readonly CsvColumnPlan[] {
    const names = uniqueNames(this.#allowed.map((_, column) => this.#names[column] ?? ""));
    if (names.length === 0) throw new ReadError("bad_format", "The file has no rows and no columns: choose another.");
    return names.map((name, column) => {
      const allowed = this.#filled[column] === true ? (this.#allowed[column] ?? 0) : 0;
      const type = Object.hasOwn(types, name) ? types[name] : undefined;
      const way = type === undefined ? wayOf(allowed & this.#usual()) : wayForType(type, allowed);
      const isExact = way === "double" && type === undefined && this.#inexact[column] === true;
      return { name, way, type: type ?? typeOfWay(way), isExact };
    });
  }

  /** A comma within numbers only where it does not part the cells, unless that is said. */
  #usual(): number {
    const { decimal, delimiter } = this.#shape;
    if (decimal === "comma") return ANY_WAY & ~CELL.double;
    return decimal === "point" || delimiter === DELIMITERS.comma ? ANY_WAY & ~CELL.commaDouble : ANY_WAY;
  }

  #widen(column: number): void {
    checkColumns(column + 1);
    while (this.#allowed.length <= column) {
      this.#allowed.push(ANY_WAY);
      this.#filled.push(false);
    }
  }
}

function wayForType(type: ColumnType, allowed: number): CellWay {
  switch (type) {
    case "string":
      return "text";
    case "bigint":
    case "bool":
      return type;
    case "int":
    case "double":
      return (allowed & CELL.double) === 0 && (allowed & CELL.commaDouble) !== 0 ? "commaDouble" : "double";
    case "datetime": {
      const way = wayOf(allowed & (CELL.isoDate | CELL.monthFirstDate | CELL.dayFirstDate | CELL.namedDate));
      return way === "text" ? "isoDate" : way;
    }
  }
}

/** Characters of a time with seven digits behind its seconds. */
const FINE_TIME = 27;

function isFiner(bytes: Uint8Array, start: number, end: number): boolean {
  return /[.,]\d{6}0*[1-9]/.test(decoder.decode(bytes.subarray(start, end)));
}

type Filler = (row: number, bytes: Uint8Array, start: number, end: number, quoted: boolean) => void;

/** The second pass: the values. */
class CsvValues implements CellSink {
  readonly #fillers: readonly Filler[];
  readonly #finish: readonly (() => PackedColumn)[];
  readonly #plan: readonly CsvColumnPlan[];
  readonly #finer = new Set<number>();
  #row: number;

  constructor(plan: readonly CsvColumnPlan[], shape: CsvShape, rows: number) {
    const columns = plan.map((column) =>
      column.way === "text" || column.way === "bigint"
        ? textFiller(column, rows, shape.nullWords)
        : column.isExact
          ? exactFiller(column, rows, shape.nullWords)
          : numberFiller(column, column.way, rows, shape.nullWords),
    );
    this.#plan = plan;
    this.#fillers = columns.map(({ fill }) => fill);
    this.#finish = columns.map(({ finish }) => finish);
    this.#row = shape.header ? -1 : 0;
  }

  cell(column: number, bytes: Uint8Array, start: number, end: number, quoted: boolean): void {
    if (this.#row < 0) return;
    this.#fillers[column]?.(this.#row, bytes, start, end, quoted);
    if (end - start >= FINE_TIME && this.#plan[column]?.way === "isoDate" && isFiner(bytes, start, end))
      this.#finer.add(column);
  }

  finerNotes(): readonly string[] {
    return [...this.#finer].map(
      (column) =>
        `The times of "${this.#plan[column]?.name ?? ""}" are finer than a microsecond: they are cut to microseconds.`,
    );
  }

  endRecord(): void {
    this.#row += 1;
  }

  columns(): readonly PackedColumn[] {
    return this.#finish.map((finish) => finish());
  }
}

interface FilledColumn {
  readonly fill: Filler;
  readonly finish: () => PackedColumn;
}

const WHOLE = /^-?\d+$/;

/** Texts keep their spaces, unless there is nothing else. */
function textFiller({ name, way }: CsvColumnPlan, rows: number, nullWords: NullWords): FilledColumn {
  const codes = new Int32Array(rows).fill(-1);
  const dictionary = new ByteDictionary();
  const isWhole = way === "bigint";
  return {
    fill: (row, bytes, start, end, quoted) => {
      let from = start;
      let to = end;
      while (from < to && isSpace(bytes[from])) from += 1;
      while (to > from && isSpace(bytes[to - 1])) to -= 1;
      if (from === to || (!quoted && nullWords.has(bytes, from, to))) return;
      if (!isWhole) codes[row] = dictionary.codeOf(bytes, start, end);
      else if (WHOLE.test(decoder.decode(bytes.subarray(from, to)))) codes[row] = dictionary.codeOf(bytes, from, to);
    },
    finish: () => ({ name, type: isWhole ? "bigint" : "string", codes, ...dictionary.finish() }),
  };
}

function exactFiller(plan: CsvColumnPlan, rows: number, nullWords: NullWords): FilledColumn {
  const texts = textFiller({ ...plan, way: "text" }, rows, nullWords);
  const numbers = numberFiller(plan, "double", rows, nullWords);
  return {
    fill: (row, bytes, start, end, quoted) => {
      let from = start;
      let to = end;
      while (from < to && isSpace(bytes[from])) from += 1;
      while (to > from && isSpace(bytes[to - 1])) to -= 1;
      texts.fill(row, bytes, from, to, quoted);
      numbers.fill(row, bytes, from, to, quoted);
    },
    finish: () => {
      const [column, exact] = [numbers.finish(), texts.finish()];
      if ("codes" in column || !("codes" in exact)) return column;
      const { codes, pool, offsets } = exact;
      return { ...column, exact: { codes, pool, offsets } };
    },
  };
}

function numberFiller(
  { name, type }: CsvColumnPlan,
  way: Exclude<CellWay, "text" | "bigint">,
  rows: number,
  nullWords: NullWords,
): FilledColumn {
  const numbers = new Float64Array(rows).fill(Number.NaN);
  const mustBeWhole = type === "int";
  return {
    fill: (row, bytes, start, end, quoted) => {
      let from = start;
      let to = end;
      while (from < to && isSpace(bytes[from])) from += 1;
      while (to > from && isSpace(bytes[to - 1])) to -= 1;
      if (from === to || (!quoted && nullWords.has(bytes, from, to))) return;
      const number = cellNumber(way, bytes, from, to);
      if (!mustBeWhole || Number.isSafeInteger(number)) numbers[row] = number;
    },
    finish: () => ({ name, type: type as "int" | "double" | "bool" | "datetime", numbers }),
  };
}
