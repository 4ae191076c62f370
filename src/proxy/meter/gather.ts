/** Joins bytes that arrive in pieces. Copies them: a piece is a view of a larger buffer, which would stay in memory. */
export class Gather {
  readonly #limit: number;
  #bytes: Buffer | undefined;
  #length = 0;

  /** `expected`: the total length, if known. */
  constructor(limit: number, expected = 0) {
    this.#limit = limit;
    if (expected > 0) this.#bytes = Buffer.allocUnsafe(Math.min(limit, expected));
  }

  get length(): number {
    return this.#length;
  }

  /** False: it would exceed the limit, and nothing of it is kept. */
  add(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > this.#limit) {
      this.clear();
      return false;
    }
    if (this.#bytes === undefined || length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, Math.min(this.#limit, this.#length * 2)));
      this.#bytes?.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    piece.copy(this.#bytes, this.#length);
    this.#length = length;
    return true;
  }

  /** All bytes so far; valid until the next `add`. */
  peek(): Buffer {
    return this.#bytes === undefined ? Buffer.alloc(0) : this.#bytes.subarray(0, this.#length);
  }

  /** All bytes so far; empties the buffer. */
  take(): Buffer {
    const bytes = this.peek();
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#bytes = undefined;
    this.#length = 0;
  }
}
