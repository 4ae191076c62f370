import { getFiletypeFromFileName, getSharedHighlighter, type DiffsHighlighter } from "@pierre/diffs";
import type { Patch } from "./patch.ts";
import type { Colours } from "./rows.ts";

// High contrast, because they are on tinted lines.
const LIGHT = "github-light-high-contrast";
const DARK = "github-dark-high-contrast";
/** Its comments are too pale for a tinted line. */
const DARKER: ReadonlyMap<string, string> = new Map([["#66707b", "#4b535d"]]);
/** Lines that are coloured at once. */
const BLOCK = 150;
/** Lines before a block that are read with it, so that a comment which began there is known. */
const WARM_UP = 100;
const BLOCKS_KEPT = 200;
const LINE_CHARS = 2_000;
const BLOCK_MS = 500;

/** The colours of one patch, computed block by block on request. */
export class Painter {
  readonly #patch: Patch;
  readonly #path: string;
  readonly #blocks = new Map<string, ReadonlyMap<number, Colours>>();
  #highlighter: { readonly made: DiffsHighlighter; readonly language: string } | undefined;

  constructor(patch: Patch, path: string) {
    this.#patch = patch;
    this.#path = path;
  }

  /** Loads what the file's language needs. False: an unknown language, so nothing is coloured. */
  async load(): Promise<boolean> {
    const language = getFiletypeFromFileName(this.#path);
    if (language === "text" || this.#highlighter !== undefined) return this.#highlighter !== undefined;
    const made = await getSharedHighlighter({
      themes: [LIGHT, DARK],
      langs: [language],
      // The engine in JavaScript: the page's policy forbids WebAssembly.
      preferredHighlighter: "shiki-js",
    });
    this.#highlighter = { made, language };
    return true;
  }

  known(line: number, side: "old" | "new"): Colours | undefined {
    return this.#blocks.get(keyOf(line, side))?.get(line);
  }

  /** Colours one uncoloured block that contains one of the lines. False: all are coloured. */
  paintNext(lines: readonly number[]): boolean {
    if (this.#highlighter === undefined) return false;
    for (const line of lines) {
      const { kind } = this.#patch.lines[line] ?? { kind: "note" };
      for (const side of ["old", "new"] as const) {
        if (kind === "hunk" || kind === "note" || (kind === "added" && side === "old")) continue;
        if (kind === "removed" && side === "new") continue;
        if (this.#blocks.has(keyOf(line, side))) continue;
        this.#paint(Math.floor(line / BLOCK) * BLOCK, side);
        return true;
      }
    }
    return false;
  }

  #paint(start: number, side: "old" | "new"): void {
    const hidden = side === "old" ? "added" : "removed";
    const places: number[] = [];
    for (let place = Math.max(0, start - WARM_UP); place < start + BLOCK; place += 1) {
      const line = this.#patch.lines[place];
      if (line === undefined) break;
      // Another hunk is another part of the file: earlier lines do not count.
      if (line.kind === "hunk" && place < start) places.length = 0;
      if (line.kind !== "hunk" && line.kind !== "note" && line.kind !== hidden) places.push(place);
    }
    const painted = new Map<number, Colours>();
    for (const [index, colours] of this.#tokens(places).entries()) {
      const place = places[index];
      if (place !== undefined && place >= start) painted.set(place, colours);
    }
    this.#blocks.set(keyOf(start, side), painted);
    const oldest = this.#blocks.keys().next().value;
    if (this.#blocks.size > BLOCKS_KEPT && oldest !== undefined) this.#blocks.delete(oldest);
  }

  #tokens(places: readonly number[]): readonly Colours[] {
    const found = this.#highlighter;
    if (found === undefined) return [];
    const text = places.map((place) => (this.#patch.lines[place]?.text ?? "").replace(/\r$/, "")).join("\n");
    const { tokens } = found.made.codeToTokens(text, {
      lang: found.language,
      themes: { light: LIGHT, dark: DARK },
      defaultColor: false,
      tokenizeMaxLineLength: LINE_CHARS,
      tokenizeTimeLimit: BLOCK_MS,
    });
    return tokens.map((line) =>
      line.map(({ content, htmlStyle }) => {
        const plain = htmlStyle?.["--shiki-light"];
        const light = plain === undefined ? undefined : (DARKER.get(plain.toLowerCase()) ?? plain);
        const dark = htmlStyle?.["--shiki-dark"];
        return {
          text: content,
          ...(light === undefined ? {} : { light }),
          ...(dark === undefined ? {} : { dark }),
        };
      }),
    );
  }
}

function keyOf(line: number, side: "old" | "new"): string {
  return `${side}${Math.floor(line / BLOCK)}`;
}
