import { LIMITS } from "../../limits.ts";

const encoder = new TextEncoder();
/** The most UTF-8 bytes of one UTF-16 unit. */
const UNIT_BYTES = 3;

/** A text unchanged; of a very large one the beginning, its length in bytes, and the end. */
export function summarize(text: string): string {
  if (text.length * UNIT_BYTES <= LIMITS.bridgeOutputBytes) return text;
  const bytes = encoder.encode(text).length;
  if (bytes <= LIMITS.bridgeOutputBytes) return text;
  // Neither end may split a character.
  const head = text.slice(0, LIMITS.bridgeHeadChars).replace(/[\uD800-\uDBFF]$/, "");
  const tail = text.slice(-LIMITS.bridgeTailChars).replace(/^[\uDC00-\uDFFF]/, "");
  return `${head}\n[… ${bytes} bytes in all, the middle is left out …]\n${tail}`;
}
