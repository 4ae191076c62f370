import { aggregate, type Aggregate } from "../aggregate.ts";
import { isMissing, type Column } from "../column.ts";
import { columnOf, newTable } from "../make.ts";
import type { Table } from "../table.ts";
import { needed } from "./combine.ts";
import { checkRowCount, groupKeyAt, stacked, takeRows, uniquelyNamed } from "./rows.ts";

/** One figure of a group. */
interface GroupMeasure {
  readonly column: string;
  readonly kind: Aggregate;
}

/** One row for each different combination of values, with how many rows it has and figures of them. Over the rows that are shown. */
export function groupTable(table: Table, by: readonly string[], measures: readonly GroupMeasure[]): Table {
  const keys = by.map((name) => needed(table, name));
  const groups = groupsOf(table, keys);
  const firsts = Int32Array.from(groups, ([first = -1]) => first);
  const figures = measures.map((measure) => figureOf(needed(table, measure.column), measure.kind, groups));
  const columns = [
    ...keys.map((key) => takeRows(key, firsts)),
    columnOf(
      "count",
      groups.map((rows) => rows.length),
      "int",
    ),
    ...figures,
  ];
  return newTable(
    by.length === 0 ? `${table.name} in all` : `${table.name} by ${by.join(", ")}`,
    uniquelyNamed(columns),
  );
}

/** Rows of the table for each group, in the order in which groups first come. */
function groupsOf(table: Table, keys: readonly Column[]): readonly (readonly number[])[] {
  const groups = new Map<string, number[]>();
  for (const row of table.filtered.toArray()) {
    const key = groupKeyAt(keys, row);
    const rows = groups.get(key);
    if (rows === undefined) groups.set(key, [row]);
    else rows.push(row);
  }
  return [...groups.values()];
}

const COUNTS: ReadonlySet<Aggregate> = new Set(["count", "values", "unique", "nulls"]);
/** Figures that are values of the column, or lie between them. */
const VALUES: ReadonlySet<Aggregate> = new Set(["min", "max", "avg", "med", "q1", "q3"]);

function figureOf(column: Column, kind: Aggregate, groups: readonly (readonly number[])[]): Column {
  const name = `${kind}(${column.name})`;
  if (kind === "first") {
    const firsts = Int32Array.from(groups, (rows) => rows.find((row) => !isMissing(column, row)) ?? -1);
    return { ...takeRows(column, firsts), name };
  }
  const figures = groups.map((rows) => aggregate(kind, column, rows));
  if (COUNTS.has(kind)) return columnOf(name, figures, "int");
  const made = columnOf(name, figures, column.type === "datetime" && VALUES.has(kind) ? "datetime" : "double");
  const { format } = column;
  return format === undefined ? made : { ...made, format };
}

/** The first of the shown rows that are alike in some columns; of all columns where none are named. */
export function withoutDuplicates(table: Table, by: readonly string[]): Table {
  const keys = by.length === 0 ? table.columns : by.map((name) => needed(table, name));
  const firsts = Int32Array.from(groupsOf(table, keys), ([first = -1]) => first);
  return newTable(
    `${table.name} without duplicates`,
    table.columns.map((column) => takeRows(column, firsts)),
  );
}

/** A row for each shown row and each of some columns: its name, and its value there. All other columns stay. */
export function unpivotTable(table: Table, columns: readonly string[]): Table {
  if (columns.length < 2) throw new Error("Choose at least two columns to put into rows.");
  const values = columns.map((name) => needed(table, name));
  const rows = table.filtered.toArray();
  checkRowCount(rows.length * values.length);
  const each = Int32Array.from(
    { length: rows.length * values.length },
    (_, at) => rows[Math.floor(at / values.length)] ?? -1,
  );
  // Value by value first, then in the order of the rows.
  const whole = stacked(
    values.map((column) => takeRows(column, rows)),
    "value",
  );
  const order = Int32Array.from(each, (_, at) => (at % values.length) * rows.length + Math.floor(at / values.length));
  const variable = columnOf(
    "variable",
    Array.from(each, (_, at) => values[at % values.length]?.name ?? ""),
    "string",
  );
  const others = table.columns.filter((column) => !values.includes(column));
  return newTable(
    `${table.name} unpivoted`,
    uniquelyNamed([...others.map((column) => takeRows(column, each)), variable, takeRows(whole, order)]),
  );
}
