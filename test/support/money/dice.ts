/** A small generator of its own, so that a seed gives the same script everywhere. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 0 ≤ x < 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number, both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** Small numbers more often than big ones. */
  uneven(low: number, high: number): number {
    return Math.floor(low * (high / low) ** this.next());
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  of<Value>(values: readonly Value[]): Value {
    const value = values[Math.floor(this.next() * values.length)];
    if (value === undefined) throw new Error("nothing to choose from");
    return value;
  }
}
