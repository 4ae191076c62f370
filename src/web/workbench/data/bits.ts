const WORD = 32;

/** A set of row numbers below a fixed length, a bit each. */
export class Bits {
  readonly length: number;
  readonly words: Uint32Array;

  constructor(length: number, words = new Uint32Array(Math.ceil(length / WORD))) {
    this.length = length;
    this.words = words;
  }

  static all(length: number): Bits {
    const bits = new Bits(length);
    bits.words.fill(0xffffffff);
    bits.#trim();
    return bits;
  }

  static of(length: number, rows: Iterable<number>): Bits {
    const bits = new Bits(length);
    for (const row of rows) bits.add(row);
    return bits;
  }

  static where(length: number, wanted: (row: number) => boolean): Bits {
    const bits = new Bits(length);
    for (let row = 0; row < length; row += 1) if (wanted(row)) bits.add(row);
    return bits;
  }

  has(row: number): boolean {
    return (((this.words[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
  }

  /** Only while a set is made: sets that others have seen are never changed. */
  add(row: number): void {
    if (row < 0 || row >= this.length) return;
    const word = row >>> 5;
    this.words[word] = ((this.words[word] ?? 0) | (1 << (row & 31))) >>> 0;
  }

  get count(): number {
    let total = 0;
    for (const word of this.words) total += ones(word);
    return total;
  }

  get isEmpty(): boolean {
    return this.words.every((word) => word === 0);
  }

  and(other: Bits): Bits {
    return this.#with(other, (left, right) => left & right);
  }

  or(other: Bits): Bits {
    return this.#with(other, (left, right) => left | right);
  }

  without(other: Bits): Bits {
    return this.#with(other, (left, right) => left & ~right);
  }

  xor(other: Bits): Bits {
    return this.#with(other, (left, right) => left ^ right);
  }

  not(): Bits {
    return Bits.all(this.length).without(this);
  }

  /** The rows, ascending. */
  *rows(): Generator<number> {
    for (let index = 0; index < this.words.length; index += 1) {
      let word = this.words[index] ?? 0;
      while (word !== 0) {
        const bit = 31 - Math.clz32(word & -word);
        yield index * WORD + bit;
        word = (word & (word - 1)) >>> 0;
      }
    }
  }

  /** The rows as an array, for loops that must be fast. */
  toArray(): Int32Array {
    const rows = new Int32Array(this.count);
    let at = 0;
    for (let index = 0; index < this.words.length; index += 1) {
      let word = this.words[index] ?? 0;
      while (word !== 0) {
        rows[at] = index * WORD + 31 - Math.clz32(word & -word);
        at += 1;
        word = (word & (word - 1)) >>> 0;
      }
    }
    return rows;
  }

  #with(other: Bits, join: (left: number, right: number) => number): Bits {
    const result = new Bits(this.length);
    for (let index = 0; index < result.words.length; index += 1)
      result.words[index] = join(this.words[index] ?? 0, other.words[index] ?? 0) >>> 0;
    return result;
  }

  /** The bits behind the last row stay empty, so that `count` is right. */
  #trim(): void {
    const rest = this.length % WORD;
    const last = this.words.length - 1;
    if (rest !== 0) this.words[last] = ((this.words[last] ?? 0) & (2 ** rest - 1)) >>> 0;
  }
}

function ones(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return (((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}
