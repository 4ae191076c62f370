import { checkBytes, READ_BOUNDS, ReadError } from "./error.ts";

/** A file in a zip file. */
interface ZipEntry {
  readonly name: string;
  readonly isPacked: boolean;
  readonly packedBytes: number;
  readonly offset: number;
}

const END = { signature: 0x06054b50, bytes: 22, mostComment: 65_535 } as const;
const LISTED = { signature: 0x02014b50, bytes: 46 } as const;
const LOCAL = { signature: 0x04034b50, bytes: 30 } as const;
/** Stands where a number does not fit: the real one is in a zip64 record. */
const ELSEWHERE = 0xffffffff;
const STORED = 0;
const DEFLATED = 8;

const broken = (): ReadError => new ReadError("bad_format", "The zip file is damaged: save or download it again.");

async function viewOf(blob: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await blob.slice(Math.max(0, from), to).arrayBuffer());
}

/** The files in a zip file, by name. What they hold is unpacked only when it is read. */
export class ZipFile {
  readonly #blob: Blob;
  readonly #entries: ReadonlyMap<string, ZipEntry>;

  private constructor(blob: Blob, entries: ReadonlyMap<string, ZipEntry>) {
    this.#blob = blob;
    this.#entries = entries;
  }

  static async open(blob: Blob): Promise<ZipFile> {
    const tail = await viewOf(blob, blob.size - END.bytes - END.mostComment, blob.size);
    let at = tail.byteLength - END.bytes;
    while (at >= 0 && tail.getUint32(at, true) !== END.signature) at -= 1;
    if (at < 0) throw broken();
    const [count, bytes, offset] = [
      tail.getUint16(at + 10, true),
      tail.getUint32(at + 12, true),
      tail.getUint32(at + 16, true),
    ];
    if (offset === ELSEWHERE || offset + bytes > blob.size)
      throw new ReadError("unsupported", "The zip file is too large or damaged: save the sheet as CSV.");
    if (count > READ_BOUNDS.zipEntries) throw new ReadError("too_large", "The zip file holds too many files.");
    return new ZipFile(blob, entriesOf(await viewOf(blob, offset, offset + bytes), count));
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /** A file as text; no longer than `most` bytes. Undefined: it is not there. */
  async text(name: string, most: number): Promise<string | undefined> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return undefined;
    let [text, bytes] = ["", 0];
    const decoder = new TextDecoder();
    for await (const part of await this.#stream(entry)) {
      bytes += part.length;
      checkBytes(bytes, most, `${name} in the file`);
      text += decoder.decode(part, { stream: true });
    }
    return text + decoder.decode();
  }

  /** The beginning of a file. */
  async head(name: string, chars: number): Promise<string> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return "";
    let text = "";
    const decoder = new TextDecoder();
    for await (const part of await this.#stream(entry)) {
      text += decoder.decode(part, { stream: true });
      if (text.length >= chars) break;
    }
    return text.slice(0, chars);
  }

  async #stream({ offset, isPacked, packedBytes }: ZipEntry): Promise<AsyncIterable<Uint8Array>> {
    const local = await viewOf(this.#blob, offset, offset + LOCAL.bytes);
    if (local.byteLength < LOCAL.bytes || local.getUint32(0, true) !== LOCAL.signature) throw broken();
    const start = offset + LOCAL.bytes + local.getUint16(26, true) + local.getUint16(28, true);
    const packed = this.#blob.slice(start, start + packedBytes).stream();
    return partsOf(isPacked ? packed.pipeThrough(new DecompressionStream("deflate-raw")) : packed);
  }
}

/** Leaving the loop ends the stream. */
async function* partsOf(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => Promise.reject(broken()));
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function entriesOf(view: DataView, count: number): ReadonlyMap<string, ZipEntry> {
  const entries = new Map<string, ZipEntry>();
  const decoder = new TextDecoder();
  let at = 0;
  for (let index = 0; index < count; index += 1) {
    if (at + LISTED.bytes > view.byteLength || view.getUint32(at, true) !== LISTED.signature) throw broken();
    const [flags, method] = [view.getUint16(at + 8, true), view.getUint16(at + 10, true)];
    const nameBytes = view.getUint16(at + 28, true);
    if (at + LISTED.bytes + nameBytes > view.byteLength) throw broken();
    const name = decoder.decode(new Uint8Array(view.buffer, view.byteOffset + at + LISTED.bytes, nameBytes));
    const entry = {
      name,
      isPacked: method === DEFLATED,
      packedBytes: view.getUint32(at + 20, true),
      offset: view.getUint32(at + 42, true),
    };
    if ((flags & 1) === 1) throw new ReadError("unsupported", "The file is encrypted: save it without a password.");
    // Others are not read, and need not be.
    if (method === STORED || method === DEFLATED) entries.set(name, entry);
    at += LISTED.bytes + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}
