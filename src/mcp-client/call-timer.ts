type SetTimer = (ms: number, callback: () => void) => () => void;

/**
 * Ends a call whose server is silent for too long. The time that people and models take to answer the server does not count. One that has
 * not ended its call can be used for the next: a signal costs more than a short call.
 */
export class CallTimer {
  readonly #controller = new AbortController();
  readonly #ms: number;
  readonly #after: SetTimer;
  readonly #abort = (): void => this.#controller.abort();
  #cancel = (): void => undefined;

  constructor(ms: number, after: SetTimer) {
    this.#ms = ms;
    this.#after = after;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.#cancel();
    this.#cancel = this.#after(this.#ms, this.#abort);
  }

  stop(): void {
    this.#cancel();
  }

  /** Ends the call at once. */
  abort(): void {
    this.#controller.abort();
  }
}
