import { RecordBatchReader, type RecordBatch } from "apache-arrow";
import { tableFrom } from "../../sql/from-arrow.ts";
import { checkBytes, checkColumns, checkRows, READ_BOUNDS, ReadError } from "./error.ts";
import type { ParseOptions } from "./options.ts";
import { packColumn, type PackedTable } from "./packed.ts";

/** Arrow's IPC, as a file (Feather) or as a stream. */
export async function parseArrow(blob: Blob, options: ParseOptions): Promise<PackedTable> {
  checkBytes(blob.size, READ_BOUNDS.arrowBytes, "The Arrow file");
  try {
    const reader = RecordBatchReader.from(new Uint8Array(await blob.arrayBuffer()));
    reader.open();
    // At its end the reader forgets it.
    const { schema } = reader;
    checkColumns(schema.fields.length);
    const batches: RecordBatch[] = [];
    let rows = 0;
    for (const batch of reader) {
      rows += batch.numRows;
      checkRows(rows);
      batches.push(batch);
    }
    options.progress?.(0.4);
    const { columns } = await tableFrom(schema, batches, { name: options.name, rows });
    return { columns: columns.map(packColumn) };
  } catch (error) {
    if (error instanceof ReadError) throw error;
    const words = error instanceof Error ? error.message : "it is wrong";
    if (/compression/i.test(words))
      throw new ReadError(
        "unsupported",
        "The Arrow file is compressed inside: save it with compression “uncompressed”, or as Parquet.",
      );
    throw new ReadError("bad_format", `The Arrow file cannot be read: ${words}.`);
  }
}
