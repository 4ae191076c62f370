/** Waits for messages that questions may come before. */
export class Arrivals {
  readonly #waiting = new Set<() => void>();

  /** A message has come. */
  tell(): void {
    for (const look of this.#waiting) look();
  }

  /** Calls back once when something is known: at once, or after a message. The answer ends the wait. */
  when(isKnown: () => boolean, known: () => void): () => void {
    const look = (): void => {
      if (!isKnown()) return;
      this.#waiting.delete(look);
      known();
    };
    this.#waiting.add(look);
    look();
    return () => this.#waiting.delete(look);
  }
}
