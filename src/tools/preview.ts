import { headOf, LIMITS, textWarnings, type FileDiff, type Warning } from "../protocol/index.ts";
import type { ToolPreview } from "./tool.ts";

/** The fallback preview of a call: its input as JSON. */
export function genericPreview(input: unknown, warnings: ToolPreview["warnings"] = []): ToolPreview {
  const json = JSON.stringify(input, undefined, 2) ?? "";
  return { preview: { type: "generic", summary: shorten(json, LIMITS.previewSummaryChars) }, warnings };
}

/** The first characters, and `...` if there are more. Never ends in half a character. */
export function shorten(text: string, characters: number): string {
  return text.length <= characters ? text : `${headOf(text, characters)}...`;
}

/** The preview with a warning for each text with hidden characters. A command's own were found when it was parsed. */
export function withTextWarnings(shown: ToolPreview, input: unknown): ToolPreview {
  const messages = hiddenIn(shown.preview, input);
  if (messages.length === 0) return shown;
  const warnings = messages.map((message): Warning => ({ kind: "dangerous", message }));
  return { ...shown, warnings: [...shown.warnings, ...warnings].slice(0, LIMITS.warningsPerCommand) };
}

function hiddenIn(preview: ToolPreview["preview"], input: unknown): readonly string[] {
  switch (preview.type) {
    case "diff":
    case "notebook":
      return hiddenInFile(preview.file, preview.type === "notebook" ? preview.diff : preview.file.diff);
    case "multi_diff":
      return preview.files.flatMap((file) => hiddenInFile(file, file.diff));
    case "generic":
      // An escaped line end must not join the word after it.
      return textWarnings("The input", (JSON.stringify(input) ?? "").replaceAll(/\\["\\bfnrt]/g, " "), "content");
    case "command":
    case "question":
    case "budget":
    case "network":
    case "changes":
      return [];
  }
}

/** Only new text: the agent did not write what was there before. */
function hiddenInFile({ file_path: path }: FileDiff, diff: string): readonly string[] {
  return [...textWarnings("The path", path, "command"), ...textWarnings("The new text", addedLines(diff), "content")];
}

/** The new text of a unified diff. */
export function addedLines(diff: string): string {
  return diff
    .split("\n")
    .filter((line) => line.startsWith("+") && !line.startsWith("+++ "))
    .map((line) => line.slice(1).replace(/\r$/, ""))
    .join("\n");
}
