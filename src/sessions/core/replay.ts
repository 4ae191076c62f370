import { LIMITS } from "../../protocol/index.ts";

/**
 * Shares each turn of the event loop among all readers that replay a journal. Otherwise hundreds of reconnecting readers
 * would each read a page in every turn, and a new connection would wait many turns for its first answer.
 */
export class ReplayTurns {
  #left: number = LIMITS.replayPagesPerTurn;
  #waiting: (() => void)[] = [];
  #scheduled = false;

  /** Resolves when one more page may be read. First come, first served. */
  async next(): Promise<void> {
    this.#schedule();
    if (this.#left > 0) {
      this.#left -= 1;
      return;
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // After the next poll for input: waiting connections are accepted and answered between two turns.
    setImmediate(() => {
      this.#scheduled = false;
      const released = this.#waiting.splice(0, LIMITS.replayPagesPerTurn);
      this.#left = LIMITS.replayPagesPerTurn - released.length;
      if (released.length > 0) this.#schedule();
      for (const release of released) release();
    });
  }
}
