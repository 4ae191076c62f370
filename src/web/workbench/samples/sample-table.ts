import type { ColumnType } from "../data/column.ts";
import { columnOf, newTable, type AnyValue } from "../data/make.ts";
import type { Table } from "../data/table.ts";

/** A name, what a row has there, and its type; absent: what the values are by themselves. */
type SampleColumn<Row> = readonly [name: string, valueOf: (row: Row) => AnyValue, type?: ColumnType];

export function sampleTable<Row>(name: string, rows: readonly Row[], columns: readonly SampleColumn<Row>[]): Table {
  return newTable(
    name,
    columns.map(([title, valueOf, type]) => columnOf(title, rows.map(valueOf), type)),
  );
}
