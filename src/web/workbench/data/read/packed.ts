import { isText } from "../column.ts";
import type { Column, ExactTexts, NumberColumn, TextColumn } from "../column.ts";

/** A column as it goes from the worker to the page: only buffers, which are handed over without a copy. */
export type PackedColumn =
  | (Pick<NumberColumn, "name" | "type" | "numbers" | "scale"> & { readonly exact?: PackedTexts | undefined })
  | (Pick<TextColumn, "name" | "type" | "nested"> & PackedTexts);

interface PackedTexts {
  readonly codes: Int32Array;
  /** The different texts in UTF-8, one behind the other. */
  readonly pool: Uint8Array;
  /** Where each begins in the pool; one more than texts. */
  readonly offsets: Uint32Array;
}

export interface PackedTable {
  readonly columns: readonly PackedColumn[];
  /** What a person should know of how the file was read. Absent: nothing. */
  readonly notes?: readonly string[] | undefined;
}

export function buffersOf(table: PackedTable): ArrayBufferLike[] {
  return table.columns.flatMap((column) =>
    "codes" in column
      ? buffersOfTexts(column)
      : [column.numbers.buffer, ...(column.exact === undefined ? [] : buffersOfTexts(column.exact))],
  );
}

function buffersOfTexts({ codes, pool, offsets }: PackedTexts): ArrayBufferLike[] {
  return [codes.buffer, pool.buffer, offsets.buffer];
}

const encoder = new TextEncoder();

export function packColumn(column: Column): PackedColumn {
  if (isText(column)) {
    const { name, type, nested } = column;
    return { name, type, ...(nested === undefined ? {} : { nested }), ...packTexts(column) };
  }
  const { exact, ...rest } = column;
  return exact === undefined ? rest : { ...rest, exact: packTexts(exact) };
}

function packTexts({ codes, categories }: ExactTexts): PackedTexts {
  const texts = categories.map((text) => encoder.encode(text));
  const offsets = new Uint32Array(texts.length + 1);
  texts.forEach((text, code) => {
    offsets[code + 1] = (offsets[code] ?? 0) + text.length;
  });
  const pool = new Uint8Array(offsets[texts.length] ?? 0);
  texts.forEach((text, code) => pool.set(text, offsets[code] ?? 0));
  return { codes, pool, offsets };
}

/** Texts that are made at once; then the page gets its turn. */
const BLOCK = 4_096;
/** Milliseconds that the page is kept busy at a time. */
const BUSY = 8;

/** Makes the texts in short steps, so that the page stays usable. `pause` gives it its turn. */
export async function unpackTable(
  table: PackedTable,
  now: () => number,
  pause: () => Promise<void>,
): Promise<readonly Column[]> {
  const columns: Column[] = [];
  let since = now();
  const texts = async ({ codes, pool, offsets }: PackedTexts): Promise<ExactTexts> => {
    const count = offsets.length - 1;
    const categories: string[] = [];
    for (let first = 0; first < count; first += BLOCK) {
      addTexts(categories, pool, offsets, first, Math.min(first + BLOCK, count));
      if (now() - since < BUSY) continue;
      await pause();
      since = now();
    }
    return { codes, categories };
  };
  for (const column of table.columns) {
    if ("codes" in column) {
      const { name, type, nested } = column;
      columns.push({ name, type, ...(nested === undefined ? {} : { nested }), ...(await texts(column)) });
      continue;
    }
    const { exact, ...rest } = column;
    columns.push(exact === undefined ? rest : { ...rest, exact: await texts(exact) });
  }
  return columns;
}

// A byte order mark at the start of a text is a part of it.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

function addTexts(texts: string[], pool: Uint8Array, offsets: Uint32Array, first: number, last: number): void {
  const from = offsets[first] ?? 0;
  const to = offsets[last] ?? 0;
  const whole = decoder.decode(pool.subarray(from, to));
  // As many letters as bytes: a byte each, so the places are the same.
  const single = whole.length === to - from;
  for (let code = first; code < last; code += 1) {
    const start = offsets[code] ?? 0;
    const end = offsets[code + 1] ?? 0;
    texts.push(single ? whole.slice(start - from, end - from) : decoder.decode(pool.subarray(start, end)));
  }
}
