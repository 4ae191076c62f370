import { isMap, type Document, type LineCounter } from "yaml";
import { Failure, LIMITS, type Mistake } from "../protocol/index.ts";

/** A settings file as read, to find the line of a mistake. */
export interface YamlSource {
  /** What the file is called in the message. */
  readonly name: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/** One failure that lists every mistake of a file with its line, in line order. */
export function mistakesFailure({ name, document, lines }: YamlSource, mistakes: readonly Mistake[]): Failure {
  const found = mistakes
    .map((mistake) => ({ ...mistake, line: lineOf(document, lines, mistake.path) }))
    .toSorted((left, right) => left.line - right.line);
  const [first] = found;
  if (first === undefined || found.length === 1) {
    const { path = [], line = 1 } = first ?? {};
    return new Failure("invalid_request", `${name}, line ${line}:${first === undefined ? "" : wordsOf(first)}`, {
      path,
      line,
    });
  }
  const shown = found.slice(0, LIMITS.mistakes).map((mistake) => `  line ${mistake.line}:${wordsOf(mistake)}`);
  const more = found.length - shown.length;
  const text = [`${name} has ${found.length} mistakes:`, ...shown, ...(more > 0 ? [`  and ${more} more`] : [])];
  const { path, line } = first;
  return new Failure("invalid_request", text.join("\n"), { path, line, mistakes: found.slice(0, LIMITS.mistakes) });
}

function wordsOf({ path, message }: Mistake): string {
  return path.length === 0 ? ` ${message}` : ` ${path.join(".")} ${message}`;
}

/** The line of a path; if it is missing, the line of its parent. Lines count from 1. */
function lineOf(document: Document, lines: LineCounter, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const steps = path.slice(0, length);
    const holder: unknown = steps.length === 1 ? document.contents : document.getIn(steps.slice(0, -1), true);
    const key = steps.at(-1);
    if (isMap(holder)) {
      const pair = holder.items.find((item) => String(item.key) === String(key));
      const start = (pair?.key as { readonly range?: readonly number[] | null } | undefined)?.range?.[0];
      if (start !== undefined) return lines.linePos(start).line;
    }
    const node = document.getIn(steps, true) as { readonly range?: readonly number[] | null } | undefined;
    const start = node?.range?.[0];
    if (start !== undefined) return lines.linePos(start).line;
  }
  return 1;
}
