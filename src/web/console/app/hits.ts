import type { HitKind, SearchHit } from "../../../protocol/index.ts";
import { t } from "../../ui/language/t.ts";

const KINDS: Readonly<Record<HitKind, string>> = {
  prompt: t("Prompt"),
  message: t("Answer"),
  thought: t("Thought"),
  call: t("Tool call"),
  summary: t("Summary"),
  error: t("Error"),
};

/** What a hit was found in, for people. */
export function hitKindLabel({ kind, tool }: Pick<SearchHit, "kind" | "tool">): string {
  return tool ?? KINDS[kind];
}

interface SnippetPart {
  /** Where it begins. */
  readonly at: number;
  readonly text: string;
  readonly isMarked: boolean;
}

/** A snippet cut at its marks. */
export function markedParts({ snippet, marks }: Pick<SearchHit, "snippet" | "marks">): readonly SnippetPart[] {
  const parts: SnippetPart[] = [];
  let reached = 0;
  for (const [start, end] of marks) {
    if (start > reached) parts.push({ at: reached, text: snippet.slice(reached, start), isMarked: false });
    parts.push({ at: start, text: snippet.slice(start, end), isMarked: true });
    reached = end;
  }
  if (reached < snippet.length) parts.push({ at: reached, text: snippet.slice(reached), isMarked: false });
  return parts;
}
