import { headOf, LIMITS } from "../../protocol/index.ts";
import type { CodePart } from "./workspace-index.ts";

/** Parts of files for a model, the best first: together at most what fits beside a prompt, about 8,000 tokens. */
export function shownParts(parts: readonly CodePart[]): string {
  let room: number = LIMITS.searchCodeChars;
  const texts: string[] = [];
  for (const { path, from, to, text } of parts) {
    const whole = `${path}:${from}-${to}\n${text}`;
    if (whole.length > room && texts.length > 0) break;
    texts.push(headOf(whole, room));
    room -= whole.length;
  }
  return texts.join("\n\n");
}
