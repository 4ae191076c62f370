import type { Column, ColumnType } from "../column.ts";
import { convertColumn, type ConvertedColumn } from "../convert.ts";
import { newTable } from "../make.ts";
import type { Table } from "../table.ts";
import { parseCsv, shapeOf } from "./csv.ts";
import { readTable, type ReadTableOptions } from "./index.ts";
import type { FormatOptions } from "./options.ts";
import { unpackTable } from "./packed.ts";
import { DELIMITERS, isGzip, kindOf, unreadable, wordsBefore } from "./sniff.ts";

/** What a person says about a text file; absent: found out. `types`: by column name. */
export type TextImportOptions = Omit<FormatOptions, "part">;

/** Values of a column that its type could not hold. */
export interface ImportMisfits extends Pick<ConvertedColumn, "misfits" | "examples"> {
  readonly name: string;
  readonly type: ColumnType;
}

export interface ImportPreview {
  /** The first rows. */
  readonly table: Table;
  readonly misfits: readonly ImportMisfits[];
  readonly found: {
    readonly delimiter: keyof typeof DELIMITERS;
    readonly header: boolean;
    /** Lines of words before the table, where none are passed over yet. */
    readonly wordsBefore: number;
  };
}

/** Bytes of a file that its preview is made of. */
const PREVIEW_BYTES = 256 * 1024;
const HEAD = 4_096;
/** Lines that are looked at for words before the table. */
const LINES = 200;

/** Whether a file has cells between separators, which options can be given for. */
export async function isTextTable(file: File): Promise<boolean> {
  const head = new Uint8Array(await (await beginning(file)).slice(0, HEAD).arrayBuffer());
  return unreadable(head) === undefined && kindOf(file.name, head) === "csv";
}

/** The first rows as they would be read. Throws words where nothing can be read. */
export async function previewImport(file: File, options: TextImportOptions): Promise<ImportPreview> {
  const sample = await beginning(file);
  const shape = await shapeOf(sample, { ...options, name: file.name });
  const packed = await parseCsv(sample, { ...options, types: asTexts(options.types), name: file.name });
  const columns = await unpackTable(
    packed,
    () => 0,
    () => Promise.resolve(),
  );
  const typed = withTypes(columns, options);
  const lines = new TextDecoder(shape.encoding).decode(await sample.arrayBuffer()).split(/\r\n|\n|\r/, LINES);
  const before = wordsBefore(lines, String.fromCharCode(shape.delimiter));
  const delimiter = delimiterNames.find((name) => DELIMITERS[name] === shape.delimiter) ?? "comma";
  return {
    table: newTable(file.name, typed.columns),
    misfits: typed.misfits,
    found: { delimiter, header: shape.header, wordsBefore: before },
  };
}

const delimiterNames = Object.keys(DELIMITERS) as (keyof typeof DELIMITERS)[];

/** Reads a text file as a person said. What did not fit is told, with its rows. */
export async function importTable(
  file: File,
  options: ReadTableOptions & TextImportOptions & { readonly misfits: (misfits: readonly ImportMisfits[]) => void },
): Promise<Table> {
  const { types, misfits, ...rest } = options;
  const read = await readTable(file, { ...rest, types: asTexts(types) });
  const typed = withTypes(read.columns, options);
  misfits(typed.misfits);
  return newTable(read.name, typed.columns);
}

/** Columns that get a type are read as texts first, so that what does not fit can be told. */
function asTexts(types: TextImportOptions["types"] = {}): Readonly<Record<string, ColumnType>> {
  return Object.fromEntries(Object.keys(types).map((name) => [name, "string"]));
}

function withTypes(
  columns: readonly Column[],
  { types = {}, decimal }: TextImportOptions,
): { readonly columns: readonly Column[]; readonly misfits: readonly ImportMisfits[] } {
  const misfits: ImportMisfits[] = [];
  const typed = columns.map((column) => {
    const type = Object.hasOwn(types, column.name) ? types[column.name] : undefined;
    if (type === undefined || type === column.type) return column;
    const converted = convertColumn(column, type, { decimal });
    if (converted.misfits > 0)
      misfits.push({ name: column.name, type, misfits: converted.misfits, examples: converted.examples });
    return converted.column;
  });
  return { columns: typed, misfits };
}

/** Whole lines from the beginning of a file, unpacked. */
async function beginning(file: File): Promise<Blob> {
  const isPacked = isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()));
  const stream = isPacked ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return new Blob(parts);
    parts.push(value);
    bytes += value.length;
    if (bytes >= PREVIEW_BYTES) break;
  }
  await reader.cancel();
  const whole = new Uint8Array(await new Blob(parts).arrayBuffer()).subarray(0, PREVIEW_BYTES);
  const end = whole.lastIndexOf(10);
  return new Blob([whole.slice(0, end < 0 ? whole.length : end + 1)]);
}
