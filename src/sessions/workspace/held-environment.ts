import type { SessionEnvironment } from "../dependencies.ts";

/** A session's environment: opened on first use, and again after it was closed. */
export class HeldEnvironment {
  readonly #open: (signal: AbortSignal) => Promise<SessionEnvironment>;
  #opened: Promise<SessionEnvironment> | undefined;
  #opening = new AbortController();

  /** The signal is aborted when it is needed no longer. */
  constructor(open: (signal: AbortSignal) => Promise<SessionEnvironment>) {
    this.#open = open;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get(): Promise<SessionEnvironment> {
    this.#opened ??= this.#start();
    return this.#opened;
  }

  /** Ends a wait for a worker; what is open stays so. */
  stopWaiting(): void {
    this.#opening.abort("not needed");
  }

  /** True while something in it must not be ended. */
  async isBusy(): Promise<boolean> {
    return (await this.#current())?.busy === true;
  }

  /** `for good`: the session does not come back. */
  async close(forGood?: "for good"): Promise<void> {
    const opening = this.#current();
    this.#opened = undefined;
    this.stopWaiting();
    const environment = await opening;
    if (forGood) await environment?.discard();
    else await environment?.close();
  }

  #start(): Promise<SessionEnvironment> {
    this.#opening = new AbortController();
    const opened = this.#open(this.#opening.signal);
    // What could not be opened is tried again by the next who needs it.
    opened.catch(() => {
      if (this.#opened === opened) this.#opened = undefined;
    });
    return opened;
  }

  async #current(): Promise<SessionEnvironment | undefined> {
    return this.#opened?.catch(() => undefined);
  }
}
