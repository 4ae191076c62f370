import { headOf, LIMITS } from "../../protocol/index.ts";

/** Characters that begin a heading, a quote, a list item or code, and mean nothing in a title. */
const MARKS = /^(?:[#>*+-]+\s+|\d+[.)]\s+|`{3,}\w*\s*)+/;

/** The title of a session: the first line of the prompt, without characters that only format it. */
export function titleOfPrompt(text: string): string {
  const lines = text.slice(0, LIMITS.promptChars).split("\n");
  const line =
    lines.map((one) => one.trim().replace(MARKS, "").replaceAll(/\s+/g, " ").trim()).find((one) => one !== "") ?? "";
  if (line.length <= LIMITS.madeTitleChars) return line;
  const cut = headOf(line, LIMITS.madeTitleChars);
  const blank = cut.lastIndexOf(" ");
  return `${(blank > LIMITS.madeTitleChars / 2 ? cut.slice(0, blank) : cut).trimEnd()} …`;
}
