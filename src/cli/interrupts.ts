import type { Signal, ProcessContext } from "./surroundings.ts";

export interface InterruptOptions {
  readonly surroundings: ProcessContext;
  /** The first Ctrl-C. */
  readonly first: () => void;
  /** The second one, or a signal that leaves no time. */
  readonly leave: (signal: Signal) => void;
}

/** Ctrl-C from the keyboard or as a signal: once, twice, and for the third time at once. */
export class Interrupts {
  readonly #options: InterruptOptions;
  readonly #stops: readonly (() => void)[];
  #pressed = 0;

  constructor(options: InterruptOptions) {
    this.#options = options;
    const { onSignal } = options.surroundings;
    this.#stops = [
      onSignal("SIGINT", () => this.press()),
      onSignal("SIGTERM", () => options.leave("SIGTERM")),
      onSignal("SIGHUP", () => options.leave("SIGHUP")),
    ];
  }

  press(): void {
    this.#pressed += 1;
    if (this.#pressed === 1) this.#options.first();
    else if (this.#pressed === 2) this.#options.leave("SIGINT");
    else this.#options.surroundings.exit(130);
  }

  stop(): void {
    for (const stop of this.#stops) stop();
  }
}
