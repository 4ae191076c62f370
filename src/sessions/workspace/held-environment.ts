import type { SessionEnvironment } from "../dependencies.ts";

/** A session's environment: opened on first use, and again after it was closed. */
export class HeldEnvironment {
  readonly #open: () => Promise<SessionEnvironment>;
  #opened: Promise<SessionEnvironment> | undefined;

  constructor(open: () => Promise<SessionEnvironment>) {
    this.#open = open;
  }

  get isOpen(): boolean {
    return this.#opened !== undefined;
  }

  get(): Promise<SessionEnvironment> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  /** True while something in it must not be ended. */
  async isBusy(): Promise<boolean> {
    return (await this.#current())?.busy === true;
  }

  /** `for good`: the session does not come back. */
  async close(forGood?: "for good"): Promise<void> {
    const opening = this.#current();
    this.#opened = undefined;
    const environment = await opening;
    if (forGood) await environment?.discard();
    else await environment?.close();
  }

  async #current(): Promise<SessionEnvironment | undefined> {
    return this.#opened?.catch(() => undefined);
  }
}
