import type { QueryAnswer } from "../../../client/index.ts";
import { columnOf, newTable, type AnyValue } from "../data/make.ts";
import type { ColumnType } from "../data/column.ts";
import type { Table } from "../data/table.ts";
import { distinctNames } from "./names.ts";

/** What a server's database answered, as a table. Texts become times and numbers only where the database says that they are. */
export function tableOfAnswer(name: string, answer: Pick<QueryAnswer, "columns" | "rows">): Table {
  const names = distinctNames(answer.columns.map((column) => column.name));
  const columns = answer.columns.map(({ type }, index) => {
    const values = answer.rows.map((row) => plain(row[index]));
    const wanted = wantedType(type, values);
    return columnOf(names[index] ?? "", values, ...(wanted === undefined ? [] : [wanted]));
  });
  return newTable(name, columns);
}

function plain(value: unknown): AnyValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}

/** Absent: what the values are by themselves. */
function wantedType(databaseType: string, values: readonly AnyValue[]): ColumnType | undefined {
  const type = databaseType.toLowerCase();
  if (/^(?:timestamp|timestamptz|date|datetime)\b/.test(type)) return "datetime";
  const hasText = values.some((value) => typeof value === "string");
  if (/^(?:int|integer|bigint|smallint|int2|int4|int8|serial)/.test(type)) return hasText ? "bigint" : undefined;
  if (/^(?:numeric|decimal)/.test(type) && hasText) return "double";
  return undefined;
}
