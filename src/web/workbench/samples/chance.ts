/** Numbers that look random and are the same for the same seed (mulberry32), so that a sample is the same in each page. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** From 0 up to, not including, 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** From 0 up to, not including, the end. */
  whole(end: number): number {
    return Math.floor(this.next() * end);
  }

  /** Of a bell curve (Box and Muller's way). */
  normal(mean: number, deviation: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return mean + deviation * radius * Math.cos(2 * Math.PI * this.next());
  }

  /** One of the words, each as likely as its weight. */
  pick<Word extends string>(weights: Readonly<Record<Word, number>>): Word {
    const words = Object.keys(weights) as Word[];
    const total = words.reduce((sum, word) => sum + weights[word], 0);
    let left = this.next() * total;
    for (const word of words) {
      left -= weights[word];
      if (left < 0) return word;
    }
    return words[words.length - 1] as Word;
  }
}
