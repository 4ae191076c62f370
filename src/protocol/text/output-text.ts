import type { ContentBlock } from "../journal/content.ts";

/** The text of a tool's output; an image is replaced by a word. */
export function outputText(blocks: readonly ContentBlock[]): string {
  return blocks.map((block) => (block.type === "text" ? block.text : `[image ${block.media_type}]`)).join("\n");
}
