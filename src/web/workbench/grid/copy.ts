import { isMissing, isText, type Column } from "../data/column.ts";
import { textAt } from "../data/format.ts";

/** Tab separated, with the heads, as spreadsheets take it. Tabs and line ends in a text would break it: those texts are quoted. */
export function toTsv(columns: readonly Column[], rows: Iterable<number>): string {
  const lines = [columns.map(({ name }) => tsvField(name)).join("\t")];
  for (const row of rows) lines.push(columns.map((column) => tsvField(exactText(column, row))).join("\t"));
  return `${lines.join("\n")}\n`;
}

function tsvField(text: string): string {
  return /[\t\r\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A number whole, not as the grid rounds it. */
function exactText(column: Column, row: number): string {
  const isNumber = column.type === "int" || column.type === "double";
  if (!isNumber || isText(column) || isMissing(column, row)) return textAt(column, row);
  return String(column.numbers[row]);
}
