import type { ExactTexts, TextColumn } from "./column.ts";

/** Makes a text column value by value. */
export class TextColumnMaker {
  readonly #codes: Int32Array;
  readonly #codeOf = new Map<string, number>();
  #at = 0;

  constructor(rowCount: number) {
    this.#codes = new Int32Array(rowCount).fill(-1);
  }

  add(text: string | null): void {
    if (text !== null) {
      let code = this.#codeOf.get(text);
      if (code === undefined) {
        code = this.#codeOf.size;
        this.#codeOf.set(text, code);
      }
      this.#codes[this.#at] = code;
    }
    this.#at += 1;
  }

  finishTexts(): ExactTexts {
    return { codes: this.#codes, categories: [...this.#codeOf.keys()] };
  }

  finish(name: string, type: "string" | "bigint" = "string"): TextColumn {
    return { name, type, ...this.finishTexts() };
  }
}
