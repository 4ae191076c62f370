import type { FileHandle } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { LIMITS } from "../../protocol/index.ts";
import { shorten } from "../preview.ts";

export interface Window {
  /** The first line wanted, counted from 1. */
  readonly offset: number;
  readonly limit: number;
}

export interface Lines {
  /** The lines wanted, without their endings, each cut to the longest that is shown. */
  readonly lines: readonly string[];
  /** Whether there are lines after them. */
  readonly more: boolean;
  /** How many lines the file has; absent when it was not read to its end. */
  readonly total?: number;
}

const CHUNK_BYTES = 262_144;

/** Takes text piece by piece and keeps only the lines that are wanted. */
class LineWindow {
  readonly #window: Window;
  readonly #kept: string[] = [];
  #characters = 0;
  /** Lines completed so far. */
  #count = 0;
  /** The start of the current unfinished line; never longer than what is shown of a line. */
  #open = "";
  #isOpen = false;

  constructor(window: Window) {
    this.#window = window;
  }

  /** True as soon as it is certain that a line comes after those wanted. */
  get full(): boolean {
    const past = this.#count - (this.#window.offset - 1) - this.#kept.length > 0;
    return past || (this.#isFilled() && this.#isOpen);
  }

  add(text: string): void {
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      this.#extend(text.slice(start, end));
      this.#complete();
      start = end + 1;
      if (this.full) return;
    }
    if (start < text.length) this.#extend(text.slice(start));
  }

  end(): Lines {
    if (this.full) return { lines: this.#kept, more: true };
    if (this.#isOpen) this.#complete();
    if (this.full) return { lines: this.#kept, more: true };
    return { lines: this.#kept, more: false, total: this.#count };
  }

  #isFilled(): boolean {
    return this.#kept.length >= this.#window.limit || this.#characters >= LIMITS.readBytes;
  }

  #extend(piece: string): void {
    this.#isOpen = true;
    if (this.#open.length <= LIMITS.readLineChars + 1) this.#open += piece.slice(0, LIMITS.readLineChars + 2);
  }

  #complete(): void {
    this.#count += 1;
    if (this.#count >= this.#window.offset && !this.#isFilled()) {
      const line = shorten(this.#open.endsWith("\r") ? this.#open.slice(0, -1) : this.#open, LIMITS.readLineChars);
      this.#kept.push(line);
      this.#characters += line.length + 1;
    }
    this.#open = "";
    this.#isOpen = false;
  }
}

export function linesOfText(text: string, window: Window): Lines {
  const lines = new LineWindow(window);
  lines.add(text);
  return lines.end();
}

/** For files too big to hold in memory: read from the start, and no further than needed. */
export async function linesOfFile(handle: FileHandle, window: Window, signal: AbortSignal): Promise<Lines> {
  const lines = new LineWindow(window);
  const decoder = new StringDecoder("utf8");
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let position = 0; !lines.full && !signal.aborted;) {
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    lines.add(decoder.write(buffer.subarray(0, bytesRead)));
  }
  lines.add(decoder.end());
  return lines.end();
}
