import { columnOf, newTable } from "../../data/make.ts";
import { takeRows, uniquelyNamed } from "../../data/reshape/rows.ts";
import type { Table } from "../../data/table.ts";
import { chosenList } from "../look.ts";
import type { Look } from "../viewer.ts";
import { pivotOf, type PivotColumn } from "./model.ts";

/** What a pivot table shows, as a table of its own. Throws words where it shows nothing. */
export function pivotAsTable(table: Table, look: Look): Table {
  const model = pivotOf(table, look);
  if (typeof model === "string") throw new Error(model);
  const firsts = Int32Array.from(model.rows, ({ rows }) => rows[0] ?? -1);
  const groups = chosenList(table, look, "groupByColumnNames").map((column) => takeRows(column, firsts));
  const figures = model.columns.map((column, at) =>
    columnOf(
      nameOf(column),
      model.rows.map(({ cells }) => cells[at] ?? Number.NaN),
      typeOf(column),
    ),
  );
  return newTable(`${table.name} pivot`, uniquelyNamed([...groups, ...figures]));
}

function nameOf({ path, measure }: PivotColumn): string {
  return path.length === 0 ? measure.label : `${path.join(", ")} ${measure.label}`;
}

function typeOf({ measure: { column, kind } }: PivotColumn): "int" | "double" | "datetime" {
  if (column === undefined || ["count", "values", "unique", "nulls"].includes(kind)) return "int";
  return column.type === "datetime" && !["stdev", "variance", "sum"].includes(kind) ? "datetime" : "double";
}
