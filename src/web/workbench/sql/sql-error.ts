/** Where in a query something is wrong. */
export interface ErrorPlace {
  /** Counted from 0, in UTF-16 units. */
  readonly offset: number;
  /** Counted from 1. */
  readonly line: number;
  readonly column: number;
}

/** Databases mark the place under a copy of the line: `LINE 2: SELECT x`, and below it `^`. Absent: they have named none. */
export function errorPlace(message: string, sql: string): ErrorPlace | undefined {
  const lines = message.split("\n");
  const at = lines.findIndex((line) => /^LINE \d+: /.test(line));
  const [head = "", number = "", excerpt = ""] = /^(LINE (\d+): )(.*)$/.exec(lines[at] ?? "")?.slice(1) ?? [];
  const caret = lines[at + 1]?.indexOf("^") ?? -1;
  if (at < 0 || caret < head.length) return undefined;
  const line = Number(number);
  const starts = lineStarts(sql);
  const start = starts[line - 1];
  if (start === undefined) return undefined;
  const text = sql.slice(start, starts[line] === undefined ? undefined : (starts[line] ?? 1) - 1);
  // Of a long line only a part is shown, with dots.
  const shown = excerpt.replace(/^\.\.\./, "").replace(/\.\.\.$/, "");
  const skipped = excerpt.startsWith("...") ? Math.max(0, text.indexOf(shown)) - 3 : 0;
  const column = Math.min(text.length, Math.max(0, caret - head.length + skipped));
  return { offset: start + column, line, column: column + 1 };
}

/** What a person reads: without the copy of the line, which the editor marks. */
export function errorWords(message: string): string {
  return message.split(/\n\s*LINE \d+: /)[0]?.trim() ?? message;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** DuckDB's words: some of its errors come as JSON. What it says of extensions does not hold here. */
export function duckDbWords(message: string): string {
  const words = fromJson(message) ?? message;
  return words.replace(/\n\nPlease try installing and loading[\s\S]*$/, "\n\nExtensions cannot be loaded in the page.");
}

function fromJson(message: string): string | undefined {
  if (!message.startsWith("{")) return undefined;
  try {
    const parts = JSON.parse(message) as { readonly exception_type?: unknown; readonly exception_message?: unknown };
    if (typeof parts.exception_message !== "string") return undefined;
    return `${typeof parts.exception_type === "string" ? `${parts.exception_type} Error: ` : ""}${parts.exception_message}`;
  } catch {
    return undefined;
  }
}
