import type { Failure } from "../protocol/index.ts";

export interface MailboxBounds {
  readonly count: number;
  readonly chars: number;
}

/** A bounded queue with one reader. A full one takes nothing more: the writer must handle that. */
export class Mailbox<Value> {
  readonly #bounds: MailboxBounds;
  #letters: { readonly value: Value; readonly chars: number }[] = [];
  #chars = 0;
  /** Absent: more may come. */
  #end: { readonly failure: Failure | undefined } | undefined;
  #wake: () => void = () => undefined;

  constructor(bounds: MailboxBounds) {
    this.#bounds = bounds;
  }

  get empty(): boolean {
    return this.#letters.length === 0;
  }

  /** False when there is no room. One item always fits, however long it is. */
  put(value: Value, chars: number): boolean {
    if (this.#end !== undefined) return true;
    const full =
      this.#letters.length >= this.#bounds.count || (!this.empty && this.#chars + chars > this.#bounds.chars);
    if (full) return false;
    this.#letters.push({ value, chars });
    this.#chars += chars;
    this.#wake();
    return true;
  }

  clear(): void {
    this.#letters = [];
    this.#chars = 0;
  }

  /** Nothing more comes: the reader gets what is queued, then the end or the failure. */
  end(failure?: Failure): void {
    this.#end ??= { failure };
    this.#wake();
  }

  /** The next item, once there is one; undefined at the end. */
  async next(): Promise<Value | undefined> {
    for (;;) {
      const letter = this.#letters.shift();
      if (letter !== undefined) {
        this.#chars -= letter.chars;
        return letter.value;
      }
      if (this.#end !== undefined) {
        if (this.#end.failure !== undefined) throw this.#end.failure;
        return undefined;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
