import { LIMITS, showHidden } from "../protocol/index.ts";
import type { ToolResult } from "../tools/index.ts";

/** What happened beside a call: dialogs, downloads, refused hosts. Texts of pages are cut and shown without hidden characters. */
export class BrowserNotes {
  #notes: string[] = [];
  #left = 0;

  add(note: string): void {
    if (this.#notes.includes(note)) return;
    if (this.#notes.length < LIMITS.browserNotes) this.#notes.push(note);
    else this.#left += 1;
  }

  /** The result with what happened beside it and since the last call, as a text of its own. Each is told once. */
  addTo(result: ToolResult): ToolResult {
    if (this.#notes.length === 0) return result;
    const more = this.#left === 0 ? [] : [`(${this.#left} more were left out.)`];
    const text = [...this.#notes, ...more].join("\n");
    this.#notes = [];
    this.#left = 0;
    return { ...result, content: [...result.content, { type: "text", text }] };
  }
}

/** What a page says, in quotes. */
export function quoted(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  const cut = flat.length <= LIMITS.browserNoteChars ? flat : `${flat.slice(0, LIMITS.browserNoteChars)}…`;
  return `"${showHidden(cut, "content")}"`;
}
