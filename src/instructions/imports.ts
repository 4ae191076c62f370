/** A file that a text names: `@docs/style.md` at its begin or after a blank. */
const IMPORT = /(?:^|[\s(])@((?:\\ |[^\s\\])+)/g;
const FENCE = /^\s*(`{3,}|~{3,})/;

/** The paths that a file of instructions imports, each once, in their order. What stands in code is no import. */
export function importsOf(text: string): readonly string[] {
  const found = new Set<string>();
  for (const line of proseLines(text)) {
    for (const [, path = ""] of withoutSpans(line).matchAll(IMPORT)) {
      const name = path.replaceAll("\\ ", " ").replace(/[.,;:!?)\]}'"*_]+$/, "");
      if (name !== "") found.add(name);
    }
  }
  return [...found];
}

function proseLines(text: string): readonly string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of text.split("\n")) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) fence = mark;
    else if (fence !== undefined && mark?.startsWith(fence) === true) fence = undefined;
    else if (fence === undefined) lines.push(line);
  }
  return lines;
}

/** Without code within the line. */
function withoutSpans(line: string): string {
  return line.includes("`") ? line.replaceAll(/(`+)[^`]*\1/g, "") : line;
}
