import { EXCEL_BOUNDS, WriteError } from "./error.ts";

/** A text file of a zip file, in parts that are made one after the other. */
interface ZipText {
  readonly name: string;
  readonly parts: Iterable<string>;
}

interface WrittenEntry {
  readonly name: Uint8Array<ArrayBuffer>;
  readonly crc: number;
  readonly bytes: number;
  readonly packed: Blob;
}

const LOCAL = { signature: 0x04034b50, bytes: 30 } as const;
const LISTED = { signature: 0x02014b50, bytes: 46 } as const;
const END = { signature: 0x06054b50, bytes: 22 } as const;
/** 2.0: packed files. */
const VERSION = 20;
const DEFLATED = 8;
/** Names are UTF-8. */
const FLAGS = 0x0800;
/** 1980-01-01, the first day that a zip file knows: the same table gives the same file. */
const DAY = 0x0021;
/** Milliseconds that the page is kept busy at a time. */
const BUSY_MS = 30;

/** A zip file of texts, packed one part at a time: only what is packed is held. `pause` gives the page its turn. */
export async function zipOf(
  texts: readonly ZipText[],
  turn: { readonly now: () => number; readonly pause: () => Promise<void> },
): Promise<Blob> {
  const [bodies, listed]: [BlobPart[], BlobPart[]] = [[], []];
  let [offset, listedBytes] = [0, 0];
  for (const text of texts) {
    const entry = await pack(text, turn);
    const head = headOf(entry, { bytes: LOCAL.bytes, signature: LOCAL.signature, offset: undefined });
    const line = headOf(entry, { bytes: LISTED.bytes, signature: LISTED.signature, offset });
    bodies.push(head, entry.name, entry.packed);
    listed.push(line, entry.name);
    offset += head.byteLength + entry.name.length + entry.packed.size;
    listedBytes += line.byteLength + entry.name.length;
  }
  const end = new DataView(new ArrayBuffer(END.bytes));
  end.setUint32(0, END.signature, true);
  end.setUint16(8, texts.length, true);
  end.setUint16(10, texts.length, true);
  end.setUint32(12, listedBytes, true);
  end.setUint32(16, offset, true);
  return new Blob([...bodies, ...listed, end]);
}

async function pack({ name, parts }: ZipText, { now, pause }: Parameters<typeof zipOf>[1]): Promise<WrittenEntry> {
  const encoder = new TextEncoder();
  const packer = new CompressionStream("deflate-raw");
  const packed = new Response(packer.readable).blob();
  // Where writing ends in an error, that one is told.
  packed.catch(() => {});
  const writer = packer.writable.getWriter();
  let [crc, bytes, since] = [0, 0, now()];
  try {
    for (const part of parts) {
      const chunk = encoder.encode(part);
      bytes += chunk.length;
      if (bytes > EXCEL_BOUNDS.sheetBytes)
        throw new WriteError("too_large", "The table is too large for an Excel file: filter it, or save as Parquet.");
      crc = crcOf(chunk, crc);
      await writer.write(chunk);
      if (now() - since < BUSY_MS) continue;
      await pause();
      since = now();
    }
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => {});
    throw error;
  }
  return { name: encoder.encode(name), crc, bytes, packed: await packed };
}

/** Before a file (`offset` undefined) or in the list at the end. */
function headOf(
  { name, crc, bytes, packed }: WrittenEntry,
  about: { readonly bytes: number; readonly signature: number; readonly offset: number | undefined },
): DataView<ArrayBuffer> {
  const head = new DataView(new ArrayBuffer(about.bytes));
  head.setUint32(0, about.signature, true);
  // The list also says which version it was written by.
  const at = about.offset === undefined ? 4 : 6;
  if (about.offset !== undefined) head.setUint16(4, VERSION, true);
  head.setUint16(at, VERSION, true);
  head.setUint16(at + 2, FLAGS, true);
  head.setUint16(at + 4, DEFLATED, true);
  head.setUint16(at + 8, DAY, true);
  head.setUint32(at + 10, crc, true);
  head.setUint32(at + 14, packed.size, true);
  head.setUint32(at + 18, bytes, true);
  head.setUint16(at + 22, name.length, true);
  if (about.offset !== undefined) head.setUint32(42, about.offset, true);
  return head;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});

/** The check sum of bytes, going on from the one before. */
export function crcOf(bytes: Uint8Array, before = 0): number {
  let crc = ~before;
  // By index: an iterator takes twice as long.
  for (let at = 0; at < bytes.length; at += 1) crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ (bytes[at] ?? 0)) & 255] ?? 0);
  return ~crc >>> 0;
}
