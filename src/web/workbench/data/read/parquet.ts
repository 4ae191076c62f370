import type { AsyncBuffer, FileMetaData, SchemaTree } from "hyparquet";
import type { Column, ColumnType } from "../column.ts";
import { columnOfUnits } from "../decimal.ts";
import { columnOf } from "../make.ts";
import { checkColumns, checkRows, ReadError } from "./error.ts";
import type { ParseOptions } from "./options.ts";
import { packColumn } from "./packed.ts";
import type { PackedColumn, PackedTable } from "./packed.ts";
import {
  asStored,
  storedClock,
  storedInterval,
  leafKind,
  momentOf,
  nestedValue,
  unitsOfStored,
  type LeafKind,
} from "./parquet-values.ts";
import { uniqueNames } from "./sniff.ts";
import { cellOf, columnOfCells } from "./values.ts";

/** All rows, column by column, so that only one is held unpacked. A column that cannot be read is left out, and a note says so. */
export async function parseParquet(blob: Blob, options: ParseOptions): Promise<PackedTable> {
  const { parquetMetadataAsync, parquetSchema } = await import("hyparquet");
  const file: AsyncBuffer = {
    byteLength: blob.size,
    slice: (start, end) => blob.slice(start, end).arrayBuffer(),
  };
  try {
    const metadata = await parquetMetadataAsync(file);
    const rows = Number(metadata.num_rows);
    checkRows(rows);
    const fields = parquetSchema(metadata).children;
    checkColumns(fields.length);
    const names = uniqueNames(fields.map(({ element }) => element.name));
    const read = await columnReader(file, { ...metadata, schema: metadata.schema.map(asStored) }, rows);
    const columns: PackedColumn[] = [];
    const notes: string[] = [];
    for (const [index, field] of fields.entries()) {
      const name = names[index] ?? field.element.name;
      const type = Object.hasOwn(options.types ?? {}, name) ? options.types?.[name] : undefined;
      try {
        const { column, note } = columnOfStored(field, { name, type, stored: await read(field.element.name) });
        columns.push(packColumn(column));
        if (note !== undefined) notes.push(note);
      } catch (error) {
        if (error instanceof ReadError) throw error;
        notes.push(`The column "${name}" is left out: ${wordsOf(error)}.`);
      }
      options.progress?.((index + 1) / fields.length);
    }
    if (columns.length === 0 && notes[0] !== undefined) throw new ReadError("bad_format", notes[0]);
    return { columns, ...(notes.length === 0 ? {} : { notes }) };
  } catch (error) {
    if (error instanceof ReadError) throw error;
    throw new ReadError("bad_format", `The Parquet file cannot be read: ${wordsOf(error)}.`);
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : "it is wrong";
}

interface StoredColumn {
  readonly name: string;
  /** That a caller asked for. */
  readonly type: ColumnType | undefined;
  readonly stored: readonly unknown[];
}

interface ReadColumn {
  readonly column: Column;
  readonly note?: string | undefined;
}

function columnOfStored(field: SchemaTree, { name, type, stored }: StoredColumn): ReadColumn {
  const { element } = field;
  if (element.repetition_type === "REPEATED" || field.children.length > 0) {
    const column = columnOfCells(
      name,
      stored.map((value) => cellOf(nestedValue(value, field))),
      type ?? "string",
    );
    return { column: "codes" in column && column.type === "string" ? { ...column, nested: true } : column };
  }
  const leaf = leafKind(element);
  if (leaf !== undefined) return columnOfLeaf(leaf, { name, type, stored });
  return { column: columnOfCells(name, stored.map(cellOf), type ?? plainType(element.type)) };
}

function plainType(type: string | undefined): ColumnType | undefined {
  if (type === "BOOLEAN") return "bool";
  return type === "DOUBLE" || type === "FLOAT" ? "double" : undefined;
}

function columnOfLeaf(leaf: LeafKind, { name, type, stored }: StoredColumn): ReadColumn {
  switch (leaf.kind) {
    case "decimal": {
      const units = stored.map(unitsOfStored);
      const column = leaf.scale > 0 ? columnOfUnits(name, units, leaf.scale) : columnOf(name, units);
      return { column: type === undefined ? column : columnOf(name, units, type) };
    }
    case "moment":
      return {
        column: {
          name,
          type: "datetime",
          numbers: Float64Array.from(stored, (value) => momentOf(value, leaf.perSecond)),
        },
        note: finerNote(name, leaf.perSecond, stored),
      };
    case "clock":
      return {
        column: columnOf(
          name,
          stored.map((value) => storedClock(value, leaf.perSecond)),
          type ?? "string",
        ),
      };
    case "interval":
      return { column: columnOf(name, stored.map(storedInterval), type ?? "string") };
    case "bytes":
      return { column: columnOfCells(name, stored.map(cellOf), type) };
  }
}

function finerNote(name: string, perSecond: bigint, stored: readonly unknown[]): string | undefined {
  if (perSecond <= 1_000_000n) return undefined;
  const isFiner = stored.some((value) => typeof value === "bigint" && value % (perSecond / 1_000_000n) !== 0n);
  return isFiner ? `The times of "${name}" are finer than a microsecond: they are cut to microseconds.` : undefined;
}

async function columnReader(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rows: number,
): Promise<(name: string) => Promise<readonly unknown[]>> {
  const { parquetRead } = await import("hyparquet");
  const compressors = await compressorsFor(metadata);
  return async (name) => {
    const cells: unknown[] = [];
    while (cells.length < rows) cells.push(null);
    await parquetRead({
      file,
      metadata,
      columns: [name],
      compressors,
      // Bytes that are no text stay bytes.
      utf8: false,
      parsers: { timestampFromNanoseconds: (nanos: bigint) => nanos },
      onChunk: ({ columnData, rowStart }) => {
        for (let index = 0; index < columnData.length; index += 1) cells[rowStart + index] = columnData[index];
      },
    });
    return cells;
  };
}

/** Only where the file needs them: Snappy, the usual one, is read without. */
async function compressorsFor(metadata: FileMetaData) {
  const codecs = metadata.row_groups.flatMap(({ columns }) => columns.map(({ meta_data: data }) => data?.codec));
  if (codecs.every((codec) => codec === undefined || codec === "UNCOMPRESSED" || codec === "SNAPPY")) return {};
  const { decompressBrotli, decompressGzip, decompressLz4, decompressLz4Raw, decompressZstd } =
    await import("hyparquet-compressors");
  return {
    BROTLI: decompressBrotli,
    GZIP: decompressGzip,
    LZ4: decompressLz4,
    LZ4_RAW: decompressLz4Raw,
    ZSTD: (input: Uint8Array) => decompressZstd(input),
  };
}
