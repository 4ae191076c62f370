/** Callers that wait for a pause to end. */
export class Pauses {
  readonly #waiting = new Set<() => void>();

  end(): void {
    for (const goOn of this.#waiting) goOn();
  }

  /** Resolves when it is over, or the signal is aborted. */
  async over(isOver: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isOver() && !signal.aborted) await this.#ended(signal);
  }

  /** A turn may be paused often, so no listener stays on its signal. */
  #ended(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const goOn = (): void => {
        this.#waiting.delete(goOn);
        signal.removeEventListener("abort", goOn);
        resolve();
      };
      this.#waiting.add(goOn);
      signal.addEventListener("abort", goOn, { once: true });
    });
  }
}
