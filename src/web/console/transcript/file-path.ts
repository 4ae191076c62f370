/** Names that look like a host or a version rather than a file. */
const NO_FILE = /^(?:https?:|www\.|v?\d+(?:\.\d+)+$)/i;

/**
 * The path that a piece of code names, within the workspace, if it looks like a file: `src/index.ts`, `src/index.ts:12`. Undefined: it is
 * something else. Whether there is such a file is said when it is opened.
 */
export function filePathIn(text: string): string | undefined {
  const path = text.replace(/:\d+(?::\d+)?$/, "").replace(/^\.\//, "");
  if (path.length > 300 || NO_FILE.test(path) || path.startsWith("/") || path.startsWith("-")) return undefined;
  if (!/^[\w@.+-]+(?:\/[\w@.+-]+)*$/.test(path) || path.split("/").some((part) => part === ".." || part === "."))
    return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  // A name alone needs an ending that files have, or `console.log` would be one.
  if (!path.includes("/")) return KNOWN_ENDING.test(name) ? path : undefined;
  return /\.\w{1,12}$/.test(name) ? path : undefined;
}

const KNOWN_ENDING =
  /^[\w@+-][\w@.+-]*\.(?:c|cc|cpp|cs|css|csv|go|h|html|java|js|json|jsx|kt|lock|md|mjs|php|py|rb|rs|sh|sql|svg|swift|toml|ts|tsx|txt|vue|xml|ya?ml)$/i;

/** How much of an output is looked through for names of files, characters, and how many of them are shown. */
const SEARCHED = 20_000;
const NAMED = 12;

/** The files that an output names, each once, in their order. A name alone is too often something else: only paths with a folder count. */
export function filesNamedIn(output: string): readonly string[] {
  const found = new Set<string>();
  for (const word of output.slice(0, SEARCHED).split(/[\s"'`()[\]{}<>,;|=]+/)) {
    const path = word.includes("/") ? filePathIn(word.replace(/[.:!?]+$/, "")) : undefined;
    if (path !== undefined) found.add(path);
    if (found.size === NAMED) break;
  }
  return [...found];
}
