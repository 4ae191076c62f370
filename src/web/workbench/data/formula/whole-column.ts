import { isText } from "../column.ts";
import type { Column } from "../column.ts";
import { statsOf } from "../stats.ts";
import type { ColumnStats } from "../stats.ts";
import type { FunctionResult } from "./function.ts";

interface ColumnFunction {
  readonly name: string;
  readonly about: string;
  readonly of: keyof ColumnStats;
  /** `column`: a whole number for a column of whole numbers, a date for one of dates. */
  readonly type: "int" | "double" | "column";
}

/** One number for all rows of a column, filtered or not. */
export const COLUMN_FUNCTIONS: readonly ColumnFunction[] = [
  { name: "ColAvg", about: "mean", of: "avg", type: "double" },
  { name: "ColMin", about: "least", of: "min", type: "column" },
  { name: "ColMax", about: "greatest", of: "max", type: "column" },
  { name: "ColSum", about: "sum", of: "sum", type: "double" },
  { name: "ColStdev", about: "standard deviation of a sample", of: "stdev", type: "double" },
  { name: "ColMedian", about: "median", of: "median", type: "double" },
  { name: "ColQ1", about: "a quarter lies below", of: "q1", type: "double" },
  { name: "ColQ3", about: "three quarters lie below", of: "q3", type: "double" },
  { name: "ColCount", about: "rows with a value", of: "count", type: "int" },
  { name: "ColMissing", about: "rows without a value", of: "missing", type: "int" },
  { name: "ColUnique", about: "different values", of: "unique", type: "int" },
];

/** Undefined: the column has none, such as the mean of texts. */
export function ofWholeColumn(work: ColumnFunction, column: Column): FunctionResult | undefined {
  const counts = work.type === "int";
  if (!counts && column.type === "string") return undefined;
  const value = statsOf(column)[work.of];
  const isDate = column.type === "datetime" && !counts && work.of !== "sum" && work.of !== "stdev";
  if (isDate) return { type: "datetime", source: "nothing", at: () => value };
  const whole = counts || (work.type === "column" && !isText(column) && column.type === "int");
  return { type: whole ? "int" : "double", source: "nothing", at: () => value };
}
