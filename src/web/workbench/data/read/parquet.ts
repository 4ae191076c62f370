import type { AsyncBuffer, FileMetaData, SchemaElement } from "hyparquet";
import type { ColumnType } from "../column.ts";
import type { AnyValue } from "../make.ts";
import { checkColumns, checkRows, ReadError } from "./error.ts";
import type { ParseOptions } from "./options.ts";
import { packColumn } from "./packed.ts";
import type { PackedColumn, PackedTable } from "./packed.ts";
import { uniqueNames } from "./sniff.ts";
import { cellOf, columnOfCells } from "./values.ts";

/** All rows, column by column, so that only one is held unpacked. */
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
    const read = await columnReader(file, metadata, rows);
    const columns: PackedColumn[] = [];
    for (const [index, { element }] of fields.entries()) {
      const name = names[index] ?? element.name;
      const type = Object.hasOwn(options.types ?? {}, name) ? options.types?.[name] : typeOf(element);
      columns.push(packColumn(columnOfCells(name, await read(element), type)));
      options.progress?.((index + 1) / fields.length);
    }
    return { columns };
  } catch (error) {
    if (error instanceof ReadError) throw error;
    throw new ReadError(
      "bad_format",
      `The Parquet file cannot be read: ${error instanceof Error ? error.message : "it is wrong"}.`,
    );
  }
}

/** Where the file says it; else it is that of the values. */
function typeOf(element: SchemaElement): ColumnType | undefined {
  if (element.repetition_type === "REPEATED" || element.num_children !== undefined) return undefined;
  if (element.type === "BOOLEAN") return "bool";
  if (element.type === "DOUBLE" || element.type === "FLOAT") return "double";
  return element.converted_type === "DECIMAL" && (element.scale ?? 0) > 0 ? "double" : undefined;
}

async function columnReader(
  file: AsyncBuffer,
  metadata: FileMetaData,
  rows: number,
): Promise<(element: SchemaElement) => Promise<readonly AnyValue[]>> {
  const { parquetRead } = await import("hyparquet");
  const compressors = await compressorsFor(metadata);
  return async ({ name, converted_type: converted }) => {
    const cells: AnyValue[] = [];
    while (cells.length < rows) cells.push(null);
    await parquetRead({
      file,
      metadata,
      columns: [name],
      compressors,
      // Bytes that are no text stay bytes.
      utf8: false,
      onChunk: ({ columnData, rowStart }) => {
        for (let index = 0; index < columnData.length; index += 1) cells[rowStart + index] = cellOf(columnData[index]);
      },
    });
    const perSecond = TIMES[converted ?? ""];
    return perSecond === undefined ? cells : cells.map((cell) => clockText(cell, perSecond));
  };
}

/** Times of day, by how many of their units are a second. */
const TIMES: Readonly<Record<string, number>> = { TIME_MILLIS: 1_000, TIME_MICROS: 1_000_000 };

/** A time of day as people write it: a table has no type for it. */
function clockText(cell: AnyValue, perSecond: number): AnyValue {
  if (typeof cell !== "number" && typeof cell !== "bigint") return cell;
  const units = Number(cell);
  const seconds = Math.floor(units / perSecond);
  const [hour, minute, second] = [seconds / 3_600, (seconds / 60) % 60, seconds % 60].map((part) =>
    String(Math.floor(part)).padStart(2, "0"),
  );
  const rest = units % perSecond;
  const fraction =
    rest === 0
      ? ""
      : `.${String(rest)
          .padStart(String(perSecond).length - 1, "0")
          .replace(/0+$/, "")}`;
  return `${hour}:${minute}:${second}${fraction}`;
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
