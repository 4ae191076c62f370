/** How many lines of an output are in the page at a time. */
export const SHOWN_LINES = 400;
/** A longer line is broken here: one endless line is as heavy as many. */
const LINE_CHARS = 4_000;

export function linesOf(text: string): readonly string[] {
  const lines = text.endsWith("\n") ? text.slice(0, -1).split("\n") : text.split("\n");
  if (!lines.some((line) => line.length > LINE_CHARS)) return lines;
  return lines.flatMap((line) => broken(line));
}

/** The beginning of a colour's escape at the end of a text. */
// oxlint-disable-next-line no-control-regex
const HALF_ESCAPE = /\u001B(?:\[[\d;]{0,30})?$/;

function broken(line: string): readonly string[] {
  const parts: string[] = [];
  for (let from = 0; from < line.length;) {
    const part = line.slice(from, from + LINE_CHARS);
    const isLast = from + LINE_CHARS >= line.length;
    const whole = isLast ? part : part.replace(HALF_ESCAPE, "");
    parts.push(whole);
    from += whole.length;
  }
  return parts.length === 0 ? [""] : parts;
}

/** Which lines are shown: the last ones, until somebody asks for others. */
export function windowOf(count: number, from: number | undefined): { readonly from: number; readonly to: number } {
  const last = Math.max(0, count - SHOWN_LINES);
  const first = from === undefined ? last : Math.min(Math.max(0, from), last);
  return { from: first, to: Math.min(count, first + SHOWN_LINES) };
}
