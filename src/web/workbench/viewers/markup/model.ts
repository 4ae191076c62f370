import { markdownTree, type MarkdownNode } from "../../../ui/markdown/tree.ts";
import { shownAt } from "../../data/display.ts";
import type { Table } from "../../data/table.ts";
import { flagOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export const MARKUP_MODES = ["Auto", "Markup", "None"] as const;
/** Of a text that is read as markdown. */
export const MOST_CHARS = 200_000;

/** Around the number of a value while the text is read as markdown, so that the value's own signs are not. Private use in Unicode. */
const OPEN = "\uE000";
const CLOSE = "\uE001";

export interface MarkupModel {
  /** Absent: the text is shown as it is. */
  readonly tree: readonly MarkdownNode[] | undefined;
  /** With the values in it. */
  readonly text: string;
  /** Whether the text takes the whole width, or that of a page of a book. */
  readonly stretch: boolean;
  /** What was cut off, in words. */
  readonly cut: string | undefined;
}

export function markupOf(table: Table, look: Look): MarkupModel {
  const whole = textOf(look, "content") ?? "";
  const content = whole.slice(0, MOST_CHARS).replaceAll(OPEN, "").replaceAll(CLOSE, "");
  const values: string[] = [];
  const marked = flagOf(look, "markupEnabled") ? markValues(content, table, values) : content;
  const fill = (piece: string): string =>
    piece.replace(/\uE000(\d+)\uE001/g, (_, at: string) => values[Number(at)] ?? "");
  const mode = textOf(look, "mode") ?? "Auto";
  const tree = mode === "None" ? undefined : markdownTree(marked, { fill });
  return {
    tree: mode === "Markup" || tree?.some(isMarkdown) === true ? tree : undefined,
    text: fill(marked),
    stretch: flagOf(look, "stretch"),
    cut:
      whole.length > MOST_CHARS ? `The text is cut after ${MOST_CHARS.toLocaleString("en-US")} characters.` : undefined,
  };
}

/** Whether there is more to it than lines of text. */
function isMarkdown(node: MarkdownNode): boolean {
  return typeof node === "object" && (node.tag !== "p" || node.children.some(isMarkdown));
}

/** `#{t.name}` and its like, and `${Column}` of the current row. What is unknown stays as it is written. */
function markValues(text: string, table: Table, values: string[]): string {
  return text.replace(
    /#\{([^{}]+)\}|\$\{([^{}]+)\}/g,
    (written, fact: string | undefined, column: string | undefined) => {
      const value = fact === undefined ? cellOf(table, column ?? "") : factOf(table, fact.trim());
      if (value === undefined) return written;
      values.push(value);
      return `${OPEN}${String(values.length - 1)}${CLOSE}`;
    },
  );
}

/** What can be said of the table. */
export const FACTS: readonly string[] = [
  "t.name",
  "t.rowCount",
  "t.columnCount",
  "t.filter.trueCount",
  "t.selection.trueCount",
  "t.currentRow",
];

function factOf(table: Table, fact: string): string | undefined {
  const count = (number: number): string => number.toLocaleString("en-US");
  switch (fact) {
    case "t.name":
      return table.name;
    case "t.rowCount":
      return count(table.rowCount);
    case "t.columnCount":
      return count(table.columns.length);
    case "t.filter.trueCount":
      return count(table.filtered.count);
    case "t.selection.trueCount":
      return count(table.selected.count);
    case "t.currentRow":
      return table.currentRow < 0 ? "" : count(table.currentRow + 1);
    default:
      return undefined;
  }
}

function cellOf(table: Table, name: string): string | undefined {
  const column = table.column(name.trim());
  if (column === undefined) return undefined;
  return table.currentRow < 0 ? "" : shownAt(column, table.currentRow);
}
