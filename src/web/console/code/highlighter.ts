import { createJavaScriptRegexEngine } from "@shikijs/engine-javascript";
import { codeToTokensWithThemes, createShikiPrimitiveAsync, type ShikiPrimitive } from "@shikijs/primitive";
import type { CodeLanguage } from "./languages.ts";

/** Text with its colour in both themes; absent: the page's own. */
export interface ColouredText {
  readonly text: string;
  readonly light?: string;
  readonly dark?: string;
}

// High contrast, since they stand on tinted lines.
const THEMES = { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } as const;
/** Its comments are too pale for a tinted line. */
const DARKER: ReadonlyMap<string, string> = new Map([["#66707b", "#4b535d"]]);
const LINE_CHARS = 2_000;
/** After so long the rest of a line stays without colours. */
const LINE_MS = 500;
/** A language whose text is read this quickly has all its patterns made. */
const QUICK_MS = 200;
const PASSES = 4;

/** The pieces of a line in order. */
export type ColouredLine = readonly ColouredText[];

/** Gives each line of a text its colours. */
export type Colourist = (text: string) => readonly ColouredLine[];

/** The one highlighter of the page. It lives in the worker. */
export class Highlighter {
  #made: Promise<ShikiPrimitive> | undefined;
  readonly #loaded = new Map<string, Promise<unknown>>();
  /** How often a language was read while it was still slow. */
  readonly #slow = new Map<string, number>();

  async load({ id, load }: CodeLanguage): Promise<Colourist> {
    this.#made ??= createShikiPrimitiveAsync({
      langs: [],
      themes: [
        import("@shikijs/themes/github-light-high-contrast"),
        import("@shikijs/themes/github-dark-high-contrast"),
      ],
      // In JavaScript: the page's policy forbids WebAssembly.
      engine: createJavaScriptRegexEngine({ forgiving: true }),
    });
    const shiki = await this.#made;
    const loaded = this.#loaded.get(id) ?? shiki.loadLanguage(load);
    this.#loaded.set(id, loaded);
    await loaded;
    return (text) => this.#colour(shiki, id, text);
  }

  /** A new language is read again while it is slow: it still builds its patterns, and gives up on a line meanwhile. */
  #colour(shiki: ShikiPrimitive, lang: string, text: string): readonly ColouredLine[] {
    for (;;) {
      const began = performance.now();
      const lines = codeToTokensWithThemes(shiki, text, {
        lang,
        themes: THEMES,
        tokenizeMaxLineLength: LINE_CHARS,
        tokenizeTimeLimit: LINE_MS,
      });
      const slow = performance.now() - began >= QUICK_MS;
      const passes = (this.#slow.get(lang) ?? 0) + (slow ? 1 : 0);
      this.#slow.set(lang, passes);
      if (!slow || passes >= PASSES)
        return lines.map((line) => line.map(({ content, variants }) => coloured(content, variants)));
    }
  }
}

function coloured(text: string, variants: Readonly<Record<string, { readonly color?: string }>>): ColouredText {
  const plain = variants["light"]?.color;
  const light = plain === undefined ? undefined : (DARKER.get(plain.toLowerCase()) ?? plain);
  const dark = variants["dark"]?.color;
  return { text, ...(light === undefined ? {} : { light }), ...(dark === undefined ? {} : { dark }) };
}
