/** What stands for a missing value where nobody says. */
export const DEFAULT_WORDS = ["NA", "N/A", "#N/A", "NaN", "nan", "null", "NULL", "\\N"] as const;

/** Words that stand for a missing value, looked up by bytes. */
export class NullWords {
  readonly #words: readonly Uint8Array[];
  /** By first byte, whether any word begins with it: nearly all cells end here. */
  readonly #begins = new Uint8Array(256);

  constructor(words: readonly string[] = DEFAULT_WORDS) {
    const encoder = new TextEncoder();
    this.#words = words.filter((word) => word !== "").map((word) => encoder.encode(word));
    for (const word of this.#words) this.#begins[word[0] ?? 0] = 1;
  }

  has(bytes: Uint8Array, start: number, end: number): boolean {
    if (this.#begins[bytes[start] ?? 0] === 0) return false;
    return this.#words.some((word) => {
      if (word.length !== end - start) return false;
      return word.every((byte, index) => bytes[start + index] === byte);
    });
  }
}
