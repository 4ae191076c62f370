/** Names that look like a host or a version rather than a file. */
const NO_FILE = /^(?:https?:|www\.|v?\d+(?:\.\d+)+$)/i;

/**
 * The path that a piece of code names, within the workspace, if it looks like a file: `src/index.ts`, `src/index.ts:12`. Undefined: it is
 * something else. Whether there is such a file is said when it is opened. `workspace`: absolute paths below it are meant too.
 */
export function filePathIn(text: string, workspace?: string): string | undefined {
  const path = beneath(text.replace(/:\d+(?::\d+)?$/, ""), workspace).replace(/^\.\//, "");
  if (path.length > 300 || NO_FILE.test(path) || path.startsWith("/") || path.startsWith("-")) return undefined;
  if (
    !/^[\p{L}\p{N}_@.+-]+(?:\/[\p{L}\p{N}_@.+-]+)*$/u.test(path) ||
    path.split("/").some((part) => part === ".." || part === ".")
  )
    return undefined;
  const name = path.slice(path.lastIndexOf("/") + 1);
  // A name alone needs an ending that files have, or `console.log` would be one.
  if (!path.includes("/")) return KNOWN_ENDING.test(name) || isPicture(name) ? path : undefined;
  return /\.\w{1,12}$/.test(name) ? path : undefined;
}

function beneath(path: string, workspace: string | undefined): string {
  return workspace !== undefined && path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

const KNOWN_ENDING =
  /^[\w@+-][\w@.+-]*\.(?:c|cc|cpp|cs|css|csv|go|h|html|java|js|json|jsx|kt|lock|md|mjs|php|py|rb|rs|sh|sql|svg|swift|toml|ts|tsx|txt|vue|xml|ya?ml)$/i;

/** How much of an output is looked through for names of files, characters, and how many of them are shown. */
const SEARCHED = 20_000;
const NAMED = 12;

/**
 * The files that an output names, each once, in their order. A name alone is too often something else: only paths with a folder count, and
 * pictures.
 */
export function filesNamedIn(output: string, workspace?: string): readonly string[] {
  const found = new Set<string>();
  for (const word of output.slice(0, SEARCHED).split(/[\s"'`()[\]{}<>,;|=]+/)) {
    const name = word.replace(/[.:!?]+$/, "");
    const path = name.includes("/") || isPicture(name) ? filePathIn(name, workspace) : undefined;
    if (path !== undefined) found.add(path);
    if (found.size === NAMED) break;
  }
  return [...found];
}

/** Whether a file of this name is a picture that the console shows. SVG is not: it is text, and is shown as one. */
export function isPicture(path: string): boolean {
  return /\.(?:png|jpe?g|gif|webp)$/i.test(path);
}

/** How the bytes of a picture begin, in base64. */
const BEGINNINGS: readonly (readonly [string, string])[] = [
  ["iVBORw0KGg", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

/** A picture's address for the page, by its bytes. Undefined: it is none. */
export function pictureAddress(base64: string | undefined): string | undefined {
  const kind = BEGINNINGS.find(([beginning]) => base64?.startsWith(beginning) === true)?.[1];
  return kind === undefined || base64 === undefined ? undefined : `data:${kind};base64,${base64}`;
}
