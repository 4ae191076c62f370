const HANDSHAKE = 22;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const RECORD_HEAD = 5;
/** No ClientHello needs more than one record of this size. */
const RECORD_BYTES = 16_384;

/** What a connection's first bytes say: which host a TLS client means, that it is none, or that more bytes are needed. */
export type ClientHello =
  | { readonly state: "incomplete" }
  | { readonly state: "not TLS" }
  /** `name` absent: it names no host. */
  | { readonly state: "TLS"; readonly name?: string | undefined };

/** Reads the name that a TLS client asks for (RFC 6066) from the first record of a connection. */
export function readClientHello(bytes: Buffer): ClientHello {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return { state: "not TLS" };
  if (bytes.length < RECORD_HEAD) return { state: "incomplete" };
  const length = bytes.readUInt16BE(3);
  if (length > RECORD_BYTES || length < 4) return { state: "not TLS" };
  if (bytes.length < RECORD_HEAD + length) return { state: "incomplete" };
  try {
    return { state: "TLS", name: serverName(new Reader(bytes.subarray(RECORD_HEAD, RECORD_HEAD + length))) };
  } catch (error) {
    if (error instanceof RangeError) return { state: "not TLS" };
    throw error;
  }
}

function serverName(record: Reader): string | undefined {
  if (record.number(1) !== CLIENT_HELLO) throw new RangeError("no ClientHello");
  const hello = record.part(3);
  // Version and random bytes.
  hello.skip(2 + 32);
  hello.part(1);
  hello.part(2);
  hello.part(1);
  if (hello.isEmpty) return undefined;
  const extensions = hello.part(2);
  while (!extensions.isEmpty) {
    const type = extensions.number(2);
    const content = extensions.part(2);
    if (type !== SERVER_NAME) continue;
    const names = content.part(2);
    if (names.number(1) !== HOST_NAME) throw new RangeError("no host name");
    return names.part(2).text().toLowerCase();
  }
  return undefined;
}

/** Reads from the front; past the end is a RangeError. */
class Reader {
  #rest: Buffer;

  constructor(bytes: Buffer) {
    this.#rest = bytes;
  }

  get isEmpty(): boolean {
    return this.#rest.length === 0;
  }

  number(bytes: 1 | 2 | 3): number {
    const value = this.#rest.readUIntBE(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    return value;
  }

  skip(bytes: number): void {
    if (bytes > this.#rest.length) throw new RangeError("too short");
    this.#rest = this.#rest.subarray(bytes);
  }

  /** What comes next, behind its length in so many bytes. */
  part(lengthBytes: 1 | 2 | 3): Reader {
    const length = this.number(lengthBytes);
    const part = this.#rest.subarray(0, length);
    this.skip(length);
    return new Reader(part);
  }

  text(): string {
    return this.#rest.toString("latin1");
  }
}
