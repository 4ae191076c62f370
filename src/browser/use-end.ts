/** Tells those who wait for one end, once. Who stops waiting leaves nothing behind, as on a promise it would. */
export class EndSignal {
  readonly #listeners = new Set<() => void>();
  #isOver = false;

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Calls back at the end, at once if it was already. The answer takes it back. */
  on(listener: () => void): () => void {
    if (this.#isOver) listener();
    else this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(): void {
    this.#isOver = true;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener();
  }
}

interface UseEnds {
  /** Of the call. */
  readonly signal: AbortSignal;
  /** Of the browser. */
  readonly gone: EndSignal;
  readonly toolMs: number;
  /** On top of `toolMs`. */
  readonly graceMs: number;
}

/** What ends a use of the page before its work does. One timer and one listener of each kind serve all that the use waits for. */
export class UseEnd {
  readonly #signal: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  readonly #leave: () => void;
  /** Absent: neither interrupted nor without a browser. */
  #why: string | undefined;
  #tell: (why: string) => void = () => undefined;

  constructor({ signal, gone, toolMs, graceMs }: UseEnds) {
    this.#signal = signal;
    this.#timer = setTimeout(() => this.#tell(`it took longer than ${toolMs} ms`), toolMs + graceMs);
    this.#leave = gone.on(() => this.#end("the browser ended"));
    signal.addEventListener("abort", this.#interrupted);
    if (signal.aborted) this.#interrupted();
  }

  /** The work's value, or why it was not waited for. Each work has the whole time. Rejects as the work does. */
  async first<Value>(work: Promise<Value>): Promise<Value | UseEnded> {
    // What comes after the end is nobody's business.
    work.catch(() => undefined);
    if (this.#why !== undefined) return new UseEnded(this.#why);
    this.#timer.refresh();
    const ended = new Promise<UseEnded>((resolve) => {
      this.#tell = (why) => resolve(new UseEnded(why));
    });
    return Promise.race([work, ended]);
  }

  /** Called once the use is over, however it went. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#leave();
    this.#signal.removeEventListener("abort", this.#interrupted);
  }

  readonly #interrupted = (): void => this.#end("the call was interrupted");

  #end(why: string): void {
    this.#why ??= why;
    this.#tell(why);
  }
}

/** Why something was not waited for, in words for the model. */
export class UseEnded {
  readonly why: string;

  constructor(why: string) {
    this.why = why;
  }
}
