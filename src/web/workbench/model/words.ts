import { dateText, figure } from "../data/format.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import type { Look, ViewerDefinition } from "../viewers/viewer.ts";

const NAMED_VALUES = 3;
const NAMED_COLUMNS = 2;

/** `Histogram of Age`, or the title that somebody gave the viewer. */
export function titleOf(definition: ViewerDefinition, look: Look): string {
  const given = look["title"];
  if (typeof given === "string" && given.trim() !== "") return given;
  const columns = definition.properties
    .filter(({ type }) => type === "column")
    .map(({ name }) => look[name])
    .filter((name): name is string => typeof name === "string" && name !== "");
  const named = [...new Set(columns)].slice(0, NAMED_COLUMNS);
  return named.length === 0 ? definition.type : `${definition.type} of ${named.join(" and ")}`;
}

export function filterWords(filter: FilterSpec, table: Table): string {
  switch (filter.kind) {
    case "range": {
      const isDate = table.column(filter.column)?.type === "datetime";
      const text = (value: number): string => (isDate ? dateText(value) : figure(value));
      const from = filter.min === undefined ? "" : ` from ${text(filter.min)}`;
      return `Filtered ${filter.column}${from}${filter.max === undefined ? "" : ` to ${text(filter.max)}`}`;
    }
    case "categories":
      return `Filtered ${filter.column} to ${listed(filter.values.map((value) => value ?? "(missing)"))}`;
    case "contains":
      return `Filtered ${filter.column} containing “${filter.text}”`;
    case "formula":
      return `Filtered by ${filter.expression}`;
    case "rows":
      return `Filtered to ${count(filter.rows.count, "marked row")}`;
  }
}

function listed(values: readonly string[]): string {
  if (values.length === 0) return "nothing";
  const more = values.length - NAMED_VALUES;
  return values.slice(0, NAMED_VALUES).join(", ") + (more > 0 ? ` and ${String(more)} more` : "");
}

export function noFilterWords(key: string, before: FilterSpec): string {
  return "column" in before ? `Took the filter on ${before.column} away` : `Took the filter ${key} away`;
}

/** `1 row`, `1,200 rows`. */
export function count(number: number, word: string): string {
  return `${number.toLocaleString("en-US")} ${word}${number === 1 ? "" : "s"}`;
}
