import { READ_BOUNDS, ReadError } from "./error.ts";

const QUOTE = 34;
const LINE = 10;
const RETURN = 13;

/** Takes the cells of a CSV file. The same cell can come twice, where a part of the file ended within its record. */
export interface CellSink {
  /** The bytes are only good during the call. */
  cell(column: number, bytes: Uint8Array, start: number, end: number, quoted: boolean): void;
  endRecord(cells: number): void;
}

/** Lines that are no records. */
export interface SkippedLines {
  /** Lines at the beginning of the file. Absent: none. */
  readonly skipLines?: number | undefined;
  /** The first byte of lines that are comments. Absent: there are none. */
  readonly comment?: number | undefined;
}

/** Cuts bytes into records and cells (RFC 4180, and what is not quite so). */
export class RecordScanner {
  readonly #delimiter: number;
  readonly #sink: CellSink;
  readonly #comment: number;
  #skip: number;
  #hasOpenQuote = false;
  #scratch = new Uint8Array(1_024);

  constructor(delimiter: number, sink: CellSink, { skipLines = 0, comment = -1 }: SkippedLines = {}) {
    this.#delimiter = delimiter;
    this.#sink = sink;
    this.#skip = skipLines;
    this.#comment = comment;
  }

  /** A quote was not closed: the last cell holds the rest of the file. */
  get hasOpenQuote(): boolean {
    return this.#hasOpenQuote;
  }

  /** Scans whole records. The answer: where the first begins that is not whole yet. `isLast`: nothing follows these bytes. */
  scan(bytes: Uint8Array, isLast: boolean): number {
    let record = 0;
    while (record < bytes.length) {
      const next = this.#record(bytes, record, isLast);
      if (next < 0) break;
      record = next;
    }
    if (bytes.length - record > READ_BOUNDS.recordBytes)
      throw new ReadError(
        "bad_format",
        `A row is longer than ${READ_BOUNDS.recordBytes / 1024 ** 2} MB: a quote is probably not closed. Mend the file, or choose another separator.`,
      );
    return record;
  }

  /** Where the next record begins; -1: this one is not whole. */
  #record(bytes: Uint8Array, start: number, isLast: boolean): number {
    if (this.#skip > 0 || bytes[start] === this.#comment) return this.#skipped(bytes, start, isLast);
    const { length } = bytes;
    const delimiter = this.#delimiter;
    let at = start;
    let column = 0;
    for (;;) {
      const quoted = at < length && bytes[at] === QUOTE;
      const from = at;
      if (quoted) {
        at = endOfQuoted(bytes, at);
        if (at < 0 && !isLast) return -1;
        if (at < 0) {
          this.#hasOpenQuote = !isClosedAtEnd(bytes, from);
          at = length;
        }
      }
      while (at < length) {
        const byte = bytes[at];
        if (byte === delimiter || byte === LINE || byte === RETURN) break;
        at += 1;
      }
      if (at === length && !isLast) return -1;
      if (quoted) this.#quotedCell(column, bytes, from, at);
      else {
        // An empty line is no record.
        if (column === 0 && from === at && bytes[at] !== delimiter) return endOfLine(bytes, at, isLast);
        this.#sink.cell(column, bytes, from, at, false);
      }
      column += 1;
      if (at < length && bytes[at] === delimiter) {
        at += 1;
        if (at < length || !isLast) continue;
        this.#sink.cell(column, bytes, at, at, false);
        column += 1;
      }
      const next = endOfLine(bytes, at, isLast);
      if (next >= 0) this.#sink.endRecord(column);
      return next;
    }
  }

  #skipped(bytes: Uint8Array, start: number, isLast: boolean): number {
    let at = start;
    while (at < bytes.length && bytes[at] !== LINE && bytes[at] !== RETURN) at += 1;
    const next = endOfLine(bytes, at, isLast);
    if (next >= 0 && this.#skip > 0) this.#skip -= 1;
    return next;
  }

  #quotedCell(column: number, bytes: Uint8Array, from: number, to: number): void {
    const inner = bytes.indexOf(QUOTE, from + 1);
    if (inner === to - 1) {
      this.#sink.cell(column, bytes, from + 1, inner, true);
      return;
    }
    if (to - from > this.#scratch.length) this.#scratch = new Uint8Array((to - from) * 2);
    const length = unquote(bytes, from, to, this.#scratch);
    this.#sink.cell(column, this.#scratch, 0, length, true);
  }
}

/** Behind the closing quote; -1: it may lie behind the bytes. */
function endOfQuoted(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (;;) {
    at = bytes.indexOf(QUOTE, at);
    if (at < 0 || at + 1 >= bytes.length) return -1;
    if (bytes[at + 1] !== QUOTE) return at + 1;
    at += 2;
  }
}

/** Whether the last byte closes the quote: two quotes are one of the text. */
function isClosedAtEnd(bytes: Uint8Array, start: number): boolean {
  let quotes = 0;
  for (let at = bytes.length - 1; at > start && bytes[at] === QUOTE; at -= 1) quotes += 1;
  return quotes % 2 === 1;
}

/** Two quotes are one; what stands behind the closing quote belongs to the text. The answer: how many bytes. */
function unquote(bytes: Uint8Array, from: number, to: number, target: Uint8Array): number {
  let length = 0;
  let open = true;
  for (let at = from + 1; at < to; at += 1) {
    const byte = bytes[at] ?? 0;
    if (open && byte === QUOTE) {
      if (bytes[at + 1] !== QUOTE || at + 1 >= to) {
        open = false;
        continue;
      }
      at += 1;
    }
    target[length] = byte;
    length += 1;
  }
  return length;
}

/** Behind the line's end; -1: it may go on behind the bytes. */
function endOfLine(bytes: Uint8Array, at: number, isLast: boolean): number {
  if (at >= bytes.length) return isLast ? at : -1;
  if (bytes[at] === LINE) return at + 1;
  if (at + 1 >= bytes.length) return isLast ? at + 1 : -1;
  return bytes[at + 1] === LINE ? at + 2 : at + 1;
}
