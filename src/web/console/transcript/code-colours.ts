import { code, type CodeHighlighterPlugin } from "@streamdown/code";

type Highlight = CodeHighlighterPlugin["highlight"];
type Options = Parameters<Highlight>[0];

/** The highlighter gives up on a line after half a second; below this time it surely has not. */
const QUICK_MS = 200;
const PASSES = 4;
/** A language that could not be loaded is not waited for. */
const PATIENCE_MS = 10_000;

/** By language: settled once it is read quickly. */
const warming = new Map<string, Promise<void>>();
const warm = new Set<string>();

/**
 * Colours of code. On a slow machine the first line of a language would be one colour, because the highlighter still builds its patterns
 * and gives up on it. So it reads the text once in advance.
 */
export const codeColours: CodeHighlighterPlugin = { ...code, highlight };

function highlight(...[options, callback]: Parameters<Highlight>): ReturnType<Highlight> {
  if (warm.has(options.language)) return code.highlight(options, callback);
  void highlightLater(options, callback);
  return null;
}

async function highlightLater(...[options, callback]: Parameters<Highlight>): Promise<void> {
  await warmed(options);
  const result = code.highlight(options, callback);
  if (result !== null) callback?.(result);
}

function warmed(options: Options): Promise<void> {
  const known = warming.get(options.language);
  if (known !== undefined) return known;
  const made = warmUp(options);
  warming.set(options.language, made);
  return made;
}

async function warmUp({ code: text, language, themes }: Options): Promise<void> {
  for (let pass = 1; pass <= PASSES; pass += 1) {
    const began = performance.now();
    // Not the real text, and incomplete: its result is not cached.
    await read({ code: "\n".repeat(pass) + text, language, themes, isIncomplete: true });
    if (performance.now() - began < QUICK_MS) break;
  }
  warm.add(language);
}

function read(options: Options): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    const done = (): void => {
      clearTimeout(timer);
      resolve();
    };
    if (code.highlight(options, done) !== null) done();
  });
}
