const FIRST_PLACES = 1_024;
const FIRST_BYTES = 16_384;

/** Different texts as bytes, each kept once under a code. Faster than a Map of strings: no string is made for a text already known. */
export class ByteDictionary {
  /** Codes by hash; -1: free. Its length is a power of two. */
  #places = new Int32Array(FIRST_PLACES).fill(-1);
  #hashes = new Int32Array(FIRST_PLACES);
  /** Where each text begins; one more than texts. */
  #offsets = new Uint32Array(FIRST_PLACES + 1);
  #pool = new Uint8Array(FIRST_BYTES);
  #size = 0;

  codeOf(bytes: Uint8Array, start: number, end: number): number {
    const hash = hashOf(bytes, start, end);
    const mask = this.#places.length - 1;
    let place = hash & mask;
    for (;;) {
      const code = this.#places[place] ?? -1;
      if (code < 0) return this.#add(bytes, start, end, hash, place);
      if (this.#hashes[code] === hash && this.#equals(code, bytes, start, end)) return code;
      place = (place + 1) & mask;
    }
  }

  /** What it holds, in arrays of just the size. */
  finish(): { readonly pool: Uint8Array<ArrayBuffer>; readonly offsets: Uint32Array<ArrayBuffer> } {
    const bytes = this.#offsets[this.#size] ?? 0;
    return { pool: this.#pool.slice(0, bytes), offsets: this.#offsets.slice(0, this.#size + 1) };
  }

  #equals(code: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = this.#offsets[code] ?? 0;
    const length = (this.#offsets[code + 1] ?? 0) - from;
    if (length !== end - start) return false;
    const pool = this.#pool;
    for (let index = 0; index < length; index += 1) if (pool[from + index] !== bytes[start + index]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, place: number): number {
    const code = this.#size;
    const from = this.#offsets[code] ?? 0;
    const to = from + end - start;
    if (to > this.#pool.length) {
      const larger = new Uint8Array(Math.max(to, this.#pool.length * 2));
      larger.set(this.#pool);
      this.#pool = larger;
    }
    this.#pool.set(bytes.subarray(start, end), from);
    this.#places[place] = code;
    this.#hashes[code] = hash;
    this.#offsets[code + 1] = to;
    this.#size += 1;
    if (this.#size * 2 > this.#places.length) this.#grow();
    return code;
  }

  /** At most half of the places are taken, so that a search is short. */
  #grow(): void {
    const length = this.#places.length * 2;
    const places = new Int32Array(length).fill(-1);
    const hashes = new Int32Array(length);
    const offsets = new Uint32Array(length + 1);
    hashes.set(this.#hashes);
    offsets.set(this.#offsets);
    for (let code = 0; code < this.#size; code += 1) {
      let place = (hashes[code] ?? 0) & (length - 1);
      while ((places[place] ?? -1) >= 0) place = (place + 1) & (length - 1);
      places[place] = code;
    }
    this.#places = places;
    this.#hashes = hashes;
    this.#offsets = offsets;
  }
}

/** FNV-1a, stirred at the end because only the low bits choose the place. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash ^= hash >>> 15;
  return Math.imul(hash, 0x2c1b3c6d) | 0;
}
