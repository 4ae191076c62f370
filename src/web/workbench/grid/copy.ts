import type { Column } from "../data/column.ts";
import { textAt } from "../data/format.ts";

/** Tab separated, with the heads, as spreadsheets take it. Tabs and line ends in a text would break it: those texts are quoted. */
export function toTsv(columns: readonly Column[], rows: Iterable<number>): string {
  const lines = [columns.map(({ name }) => tsvField(name)).join("\t")];
  for (const row of rows) lines.push(columns.map((column) => tsvField(textAt(column, row))).join("\t"));
  return `${lines.join("\n")}\n`;
}

function tsvField(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
