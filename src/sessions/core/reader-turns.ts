import { LIMITS } from "../../protocol/index.ts";

/**
 * Shares each turn of the event loop among readers: those that open a stream and those that replay a journal.
 *
 * Node accepts one connection in each turn. What is done in a turn is therefore waited for as often as connections stand
 * before a new one, so while they come readers hardly get on.
 */
export class ReaderTurns {
  #left: number = LIMITS.readerStepsPerTurn;
  #waiting: (() => void)[] = [];
  #scheduled = false;
  #connected = false;
  /** Turns in a row in which a connection came. */
  #busyTurns = 0;

  /** A new connection came: its client may want something quick. */
  connected(): void {
    this.#connected = true;
    this.#left = 0;
  }

  /** Resolves when a stream may be opened, or one more page may be read. First come, first served. */
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
    // After the next poll for input: connections that wait are accepted, and answered, between two turns.
    setImmediate(() => {
      this.#scheduled = false;
      const steps = this.#steps();
      const released = this.#waiting.splice(0, steps);
      this.#left = steps - released.length;
      if (this.#waiting.length > 0 || released.length > 0) this.#schedule();
      for (const release of released) release();
    });
  }

  #steps(): number {
    this.#busyTurns = this.#connected ? this.#busyTurns + 1 : 0;
    this.#connected = false;
    if (this.#busyTurns === 0) return LIMITS.readerStepsPerTurn;
    return this.#busyTurns % LIMITS.readerTurnsBusy === 0 ? 1 : 0;
  }
}
