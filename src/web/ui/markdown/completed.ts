import remend from "remend";
import { blocksOf, MARKDOWN_LIMITS, type MarkdownBlock, type MarkdownOptions } from "./tree.ts";

/** Blocks of a text that ends in the middle, as if `**` and its like were closed. Undefined: nothing is open. */
export function completed(text: string, options: MarkdownOptions): readonly MarkdownBlock[] | undefined {
  // Code is shown as it comes.
  if (text.length > MARKDOWN_LIMITS.inlineChars || /^ {0,3}(?:```|~~~)/.test(text)) return undefined;
  const whole = remend(text);
  return whole === text ? undefined : blocksOf(whole, options);
}
