import { LIMITS } from "../protocol/index.ts";

/** What identifies a page and an element of it, as a person saw them. */
export interface PageMark {
  readonly url: string;
  /** Absent: the call names no element, or there is none. */
  readonly element?: string | undefined;
}

/** What people saw of pages before they approved calls. A restart of the server forgets it, and the page with it. */
export class ShownPages {
  readonly #shown = new Map<string, PageMark>();

  remember(call: string, mark: PageMark): void {
    this.#shown.delete(call);
    this.#shown.set(call, mark);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > LIMITS.browserPreviews && oldest !== undefined) this.#shown.delete(oldest);
  }

  /** Whether the same was shown. */
  isSame(call: string, now: PageMark): boolean {
    const shown = this.#shown.get(call);
    return shown !== undefined && shown.url === now.url && shown.element === now.element;
  }
}
