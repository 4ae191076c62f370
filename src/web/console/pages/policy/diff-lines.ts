import { structuredPatch } from "diff";

export interface DiffLine {
  readonly kind: "same" | "added" | "removed" | "gap";
  readonly text: string;
}

const CONTEXT_LINES = 4;
const GAP: DiffLine = { kind: "gap", text: "…" };

/** Two texts as one list of lines, without lines far from a change. Empty: they are equal. */
export function diffLines(before: string, after: string): readonly DiffLine[] {
  const { hunks } = structuredPatch("before", "after", before, after, undefined, undefined, { context: CONTEXT_LINES });
  return hunks.flatMap(({ lines }, index) => {
    const shown = lines.filter((line) => !line.startsWith("\\")).map(lineOf);
    return index === 0 ? shown : [GAP].concat(shown);
  });
}

function lineOf(line: string): DiffLine {
  const text = line.slice(1);
  if (line.startsWith("+")) return { kind: "added", text };
  return { kind: line.startsWith("-") ? "removed" : "same", text };
}
