/** How the text of a file is written. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "windows-1252";

const CHUNK = 4 * 1024 ** 2;

export interface Chunk {
  /** UTF-8, without a byte order mark. */
  readonly bytes: Uint8Array;
  readonly isLast: boolean;
  /** Bytes of the file that were read so far. */
  readonly read: number;
}

/** The file part by part, as UTF-8. */
export async function* chunksOf(blob: Blob, encoding: Encoding): AsyncGenerator<Chunk> {
  const decoder = encoding === "utf-8" ? undefined : new TextDecoder(encoding);
  const encoder = new TextEncoder();
  for (let start = 0; start === 0 || start < blob.size; start += CHUNK) {
    const end = Math.min(blob.size, start + CHUNK);
    const isLast = end >= blob.size;
    const raw = new Uint8Array(await blob.slice(start, end).arrayBuffer());
    const marked = start === 0 && raw[0] === 0xef && raw[1] === 0xbb && raw[2] === 0xbf;
    const plain = marked ? raw.subarray(3) : raw;
    const bytes = decoder === undefined ? plain : encoder.encode(decoder.decode(raw, { stream: !isLast }));
    yield { bytes, isLast, read: end };
  }
}

/** By the byte order mark; UTF-8 without one. */
export function encodingOf(head: Uint8Array): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return "utf-16le";
  return head[0] === 0xfe && head[1] === 0xff ? "utf-16be" : "utf-8";
}
