import { LIMITS } from "../protocol/index.ts";
import type { ToolPreview } from "./tool.ts";

/** How a call is shown when nothing better is known about it: its input as JSON. */
export function genericPreview(input: unknown, warnings: ToolPreview["warnings"] = []): ToolPreview {
  const json = JSON.stringify(input, undefined, 2) ?? "";
  return { preview: { type: "generic", summary: shorten(json, LIMITS.previewSummaryChars) }, warnings };
}

/** The first characters, and `...` where there are more. Never ends in half a character. */
export function shorten(text: string, characters: number): string {
  return text.length <= characters ? text : `${headOf(text, characters)}...`;
}

export function headOf(text: string, characters: number): string {
  const last = text.charCodeAt(characters - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? characters - 1 : characters);
}

export function tailOf(text: string, characters: number): string {
  const start = Math.max(0, text.length - characters);
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}
