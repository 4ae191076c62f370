import { parseCsv } from "./csv.ts";
import { checkBytes, READ_BOUNDS, ReadError } from "./error.ts";
import { parseJson } from "./json.ts";
import type { ParseOptions } from "./options.ts";
import type { PackedTable } from "./packed.ts";
import { parseParquet } from "./parquet.ts";
import { isGzip, kindOf, unreadable } from "./sniff.ts";
import { parseXlsx } from "./xlsx.ts";

const HEAD = 4_096;

/** Reads a file of any known kind. Runs in the worker. */
export async function parseFile(blob: Blob, options: ParseOptions): Promise<PackedTable> {
  checkBytes(blob.size, READ_BOUNDS.fileBytes, "The file");
  const head = await headOf(blob);
  if (!isGzip(head)) return parsePlain(blob, head, options);
  const unpacked = await boundedBlob(blob.stream().pipeThrough(new DecompressionStream("gzip")), () => {});
  return parsePlain(unpacked, await headOf(unpacked), options);
}

async function headOf(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.slice(0, HEAD).arrayBuffer());
}

function parsePlain(blob: Blob, head: Uint8Array, options: ParseOptions): Promise<PackedTable> {
  if (blob.size === 0) throw new ReadError("bad_format", "The file is empty: choose another.");
  const words = unreadable(head);
  if (words !== undefined) throw new ReadError("unsupported", words);
  const kind = kindOf(options.name, head);
  switch (kind) {
    case "csv":
      return parseCsv(blob, options);
    case "json":
      return parseJson(blob, false, options);
    case "ndjson":
      return parseJson(blob, true, options);
    case "parquet":
      return parseParquet(blob, options);
    case "xlsx":
      return parseXlsx(blob, options);
    case "arrow":
      // Only who needs it loads the library.
      return import("./arrow.ts").then(({ parseArrow }) => parseArrow(blob, options));
  }
}

/** Parts of a stream that are put together at a time; the network gives them in some 64 KB. */
const PARTS = 64;

/** What a stream gives, as one file; no more than a file may have. */
export async function boundedBlob(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
  progress: (bytes: number) => void,
): Promise<Blob> {
  const blobs: Blob[] = [];
  let parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  // Leaving the loop by an error cancels the stream.
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return new Blob([...blobs, ...parts]);
      bytes += value.length;
      checkBytes(bytes, READ_BOUNDS.fileBytes, "The data");
      parts.push(value);
      // Copied a bit at a time: all at once would hold up the page.
      if (parts.length >= PARTS) {
        blobs.push(new Blob(parts));
        parts = [];
      }
      progress(bytes);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    throw error;
  }
}
