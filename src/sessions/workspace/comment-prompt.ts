import { headOf, LIMITS, type LineComment } from "../../protocol/index.ts";

/** A comment with the line that it is on. */
export interface QuotedComment extends Pick<LineComment, "path" | "line" | "side" | "text"> {
  readonly quote: string;
}

/** What an agent reads of comments on its changes. */
export function commentPrompt(comments: readonly QuotedComment[]): string {
  const [first] = comments;
  const opening =
    comments.length === 1 && first !== undefined
      ? "I looked at your changes and have a comment:"
      : `I looked at your changes and have ${comments.length} comments:`;
  const parts = comments.map(({ path, line, side, quote, text }, at) => {
    const place = `${at + 1}. ${JSON.stringify(path)}, line ${line}${side === "old" ? " before your change" : ""}:`;
    return [place, "", `   > ${headOf(quote, LIMITS.quotedLineChars)}`, "", ...indented(text)].join("\n");
  });
  return [opening, ...parts].join("\n\n");
}

function indented(text: string): readonly string[] {
  return text.split("\n").map((line) => (line === "" ? "" : `   ${line}`));
}

/** A line of a text, as it is quoted; undefined: there is none of this number. */
export function quotedLine(text: string, line: number): string | undefined {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const found = lines[line - 1]?.replace(/\r$/, "");
  return found === undefined ? undefined : headOf(found, LIMITS.quotedLineChars);
}
