import type { Column } from "../data/column.ts";
import { textAt } from "../data/format.ts";
import type { GridModel } from "./model.ts";
import { GRID_LIMITS } from "./sizes.ts";

/** Tab separated, with the heads, as spreadsheets take it. Tabs and line ends in a text would break it: those texts are quoted. */
export function toTsv(columns: readonly Column[], rows: Iterable<number>): string {
  const lines = [columns.map(({ name }) => tsvField(name)).join("\t")];
  for (const row of rows) lines.push(columns.map((column) => tsvField(textAt(column, row))).join("\t"));
  return `${lines.join("\n")}\n`;
}

function tsvField(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What is copied: the selected rows that are shown, else the cell that the keyboard is at. Undefined: neither exists. */
export function copiedFrom({
  table,
  shown,
  plan,
  active,
}: Pick<GridModel, "table" | "shown" | "plan" | "active">):
  | { readonly text: string; readonly words: string }
  | undefined {
  const chosen = table.selected.and(table.filtered);
  const columns = plan.all.map(({ column }) => column);
  if (chosen.isEmpty) {
    const column = columns[active.place];
    if (active.position < 0 || column === undefined) return undefined;
    const lines = toTsv([column], [shown.at(active.position)]).split("\n");
    return { text: lines.slice(1, -1).join("\n"), words: "Cell copied" };
  }
  const rows: number[] = [];
  for (let position = 0; position < shown.count && rows.length < GRID_LIMITS.copyRows; position += 1)
    if (chosen.has(shown.at(position))) rows.push(shown.at(position));
  const all = chosen.count;
  const words = `${rows.length.toLocaleString("en")} rows copied`;
  return {
    text: toTsv(columns, rows),
    words: all > rows.length ? `${words} of ${all.toLocaleString("en")}: the most at once` : words,
  };
}
