import { blocksOf, type MarkdownBlock, type MarkdownOptions } from "./tree.ts";

export interface GrowingOptions extends MarkdownOptions {
  /** Makes the last block of a text that still grows anew, with what it left open closed: see completed.ts. */
  readonly complete?: (text: string, options: MarkdownOptions) => readonly MarkdownBlock[] | undefined;
}

/** A definition can stand behind what it is about: such a text is read once more as a whole when it is complete. */
const DEFINES = /^ {0,3}\[[^\]\n]+\]:/m;

/** Markdown that grows. Finished blocks stay the same objects; only the last one is made anew. */
export class GrowingMarkdown {
  readonly #options: GrowingOptions;
  #text = "";
  #done = false;
  #blocks: readonly MarkdownBlock[] = [];
  /** How many of the blocks are finished, and how many characters of the text they are. */
  #settled = { blocks: 0, chars: 0 };

  constructor(options: GrowingOptions) {
    this.#options = options;
  }

  /** The blocks of the text as it is now. The same array where nothing changed. */
  update(written: string, state: "growing" | "done"): readonly MarkdownBlock[] {
    const done = state === "done";
    const text = written.includes("\r") ? written.replaceAll(/\r\n?/g, "\n") : written;
    const again = done && DEFINES.test(text);
    const same = done === this.#done || (!again && this.#options.complete === undefined);
    if (text === this.#text && same) return this.#blocks;
    const whole = !text.startsWith(this.#text) || again;
    if (whole) this.#settled = { blocks: 0, chars: 0 };
    this.#text = text;
    this.#done = done;
    const kept = this.#blocks.slice(0, this.#settled.blocks);
    const rest = text.slice(this.#settled.chars);
    const fresh = blocksOf(rest, this.#options);
    const last = fresh.findLastIndex(({ tree }) => tree.length > 0);
    const finished = fresh.slice(0, Math.max(0, last));
    const chars = finished.reduce((sum, { length }) => sum + length, 0);
    this.#settled = { blocks: kept.length + finished.length, chars: this.#settled.chars + chars };
    const open = fresh.slice(finished.length);
    const closed = done ? undefined : this.#options.complete?.(rest.slice(chars), this.#options);
    this.#blocks = [...kept, ...finished, ...(closed ?? open)];
    return this.#blocks;
  }
}
