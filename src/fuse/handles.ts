import { FuseError } from "./errno.ts";

/** Open files and folders, by the kernel's number for them. Numbers are never reused. */
export class HandleTable<Opened> {
  readonly #opened = new Map<number, Opened>();
  readonly #limit: number;
  #last = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#opened.size;
  }

  /** Fails if no more can be opened. */
  check(): void {
    if (this.#opened.size >= this.#limit) throw new FuseError("ENFILE");
  }

  add(opened: Opened): number {
    this.check();
    this.#last += 1;
    this.#opened.set(this.#last, opened);
    return this.#last;
  }

  get(handle: number): Opened {
    const opened = this.#opened.get(handle);
    if (opened === undefined) throw new FuseError("EBADF");
    return opened;
  }

  /** The newest match. */
  newest(fits: (opened: Opened) => boolean): Opened | undefined {
    return [...this.#opened.values()].findLast(fits);
  }

  remove(handle: number): Opened | undefined {
    const opened = this.#opened.get(handle);
    this.#opened.delete(handle);
    return opened;
  }

  /** Everything that was open. */
  clear(): Opened[] {
    const all = [...this.#opened.values()];
    this.#opened.clear();
    return all;
  }
}
