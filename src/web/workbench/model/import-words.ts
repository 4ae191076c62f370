import type { ImportMisfits } from "../data/read/import.ts";
import type { Table } from "../data/table.ts";
import { misfitLines } from "./column-words.ts";
import { count } from "./words.ts";

/** What did not fit, a line for each column. */
export function importLines(misfits: readonly ImportMisfits[]): readonly string[] {
  return misfits.flatMap((one) => misfitLines(one, { isDone: true }).map((line) => `${one.name}: ${line}`));
}

export function importedWords({ rowCount, columns }: Table): string {
  return `Read ${count(rowCount, "row")} and ${count(columns.length, "column")}.`;
}
