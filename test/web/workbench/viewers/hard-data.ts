import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import type { Look, ViewerDefinition } from "../../../../src/web/workbench/viewers/viewer.ts";

const ROWS = 12;
const list = <Value>(length: number, of: (row: number) => Value): Value[] =>
  Array.from({ length }, (_, row) => of(row));

/** Numbers that pictures stumble over. */
export const HARD_NUMBERS: Readonly<Record<string, readonly (number | null)[]>> = {
  zeros: list(ROWS, (row) => (row % 3 === 0 ? 0 : row * 7)),
  "only zeros": list(ROWS, () => 0),
  negatives: list(ROWS, (row) => -1 - row / 2),
  "both signs": list(ROWS, (row) => row - 6),
  constant: list(ROWS, () => 5),
  missing: list(ROWS, () => null),
  empty: [],
  infinite: list(ROWS, (row) => (row === 3 ? Number.POSITIVE_INFINITY : row === 4 ? Number.NEGATIVE_INFINITY : row)),
  "only infinite": list(ROWS, () => Number.POSITIVE_INFINITY),
  huge: list(ROWS, (row) => (row % 2 === 0 ? Number.MAX_VALUE : -Number.MAX_VALUE)),
  tiny: list(ROWS, (row) => row * 5e-324),
  "one row": [7],
};

/** Two columns of such numbers beside texts, dates and truths. */
export function hardTable(kind: string): Table {
  const numbers = HARD_NUMBERS[kind] ?? [];
  const { length } = numbers;
  return newTable(kind, [
    columnOf("v", numbers, "double"),
    columnOf("w", numbers.toReversed(), "double"),
    columnOf(
      "k",
      list(length, (row) => ["red", "green", null][row % 3] ?? null),
      "string",
    ),
    columnOf(
      "l",
      list(length, (row) => `name ${row % 5}`),
      "string",
    ),
    columnOf(
      "t",
      list(length, (row) => new Date(Date.UTC(2024, 0, 1 + row))),
      "datetime",
    ),
    columnOf(
      "b",
      list(length, (row) => row % 2 === 0),
      "bool",
    ),
  ]);
}

/** A viewer with every column of numbers in use, and the same with every axis and scale logarithmic. */
export function hardLooks(definition: ViewerDefinition): readonly Look[] {
  const logarithmic: Record<string, unknown> = {};
  const columns: Record<string, unknown> = {};
  for (const { name, type, choices, columns: fit } of definition.properties) {
    if (choices?.includes("logarithmic") === true) logarithmic[name] = "logarithmic";
    if (type === "column" && fit === "numeric") columns[name] = name.startsWith("y") ? "w" : "v";
    if (type === "column_list" && fit === "numeric") columns[name] = ["v", "w"];
    if (type === "bool" && /^show(?:Statistics|RegressionLine|Mean|Median|Inter)/.test(name)) columns[name] = true;
  }
  if (definition.properties.some(({ name }) => name === "colorColumnName")) columns["colorColumnName"] = "v";
  return [columns, { ...columns, ...logarithmic }];
}
