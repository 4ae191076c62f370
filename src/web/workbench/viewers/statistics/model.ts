import { isText, type Column } from "../../data/column.ts";
import { dateText, figure } from "../../data/format.ts";
import type { ColumnStats } from "../../data/stats.ts";

/** In the order in which they are offered. */
export const STATS = ["values", "nulls", "unique", "min", "max", "avg", "med", "stdev", "sum", "q1", "q3"] as const;
export type Stat = (typeof STATS)[number];

/** One column of the table, a row of the viewer. */
export interface StatisticsRow {
  readonly column: Column;
  /** Absent: not counted yet. */
  readonly stats: ColumnStats | undefined;
}

export interface StatisticsOrder {
  /** `name`, `type` or one of the stats. */
  readonly by: "name" | "type" | Stat;
  readonly descending: boolean;
}

const FIELDS = {
  values: "count",
  nulls: "missing",
  unique: "unique",
  min: "min",
  max: "max",
  avg: "avg",
  med: "median",
  stdev: "stdev",
  sum: "sum",
  q1: "q1",
  q3: "q3",
} as const satisfies Record<Stat, keyof ColumnStats>;

/** Those that are counts of rows, for every type of column. */
const COUNTS: ReadonlySet<Stat> = new Set(["values", "nulls", "unique"]);

/** Words of the column heads. */
export const STAT_WORDS: Readonly<Record<Stat, string>> = {
  values: "Values that are there",
  nulls: "Rows without a value",
  unique: "Different values",
  min: "Smallest",
  max: "Largest",
  avg: "Mean",
  med: "Median",
  stdev: "Standard deviation",
  sum: "Sum",
  q1: "First quartile",
  q3: "Third quartile",
};

/** NaN: it has none, or is not known yet. */
function statNumber(row: StatisticsRow, stat: Stat): number {
  if (row.stats === undefined) return Number.NaN;
  if (!COUNTS.has(stat) && (isText(row.column) || (row.column.type === "datetime" && stat === "sum")))
    return Number.NaN;
  return row.stats[FIELDS[stat]];
}

/** What stands in a cell; "" where the column has no such figure. */
export function statText(row: StatisticsRow, stat: Stat): string {
  const value = statNumber(row, stat);
  if (Number.isNaN(value)) return "";
  if (COUNTS.has(stat)) return value.toLocaleString("en-US");
  if (row.column.type !== "datetime") return figure(value);
  return stat === "stdev" ? `${figure(value / DAY_MS)} d` : dateText(value);
}

const DAY_MS = 86_400_000;

/** Without an order as in the table. Cells without a figure stand last in both directions. */
export function ordered(rows: readonly StatisticsRow[], order: StatisticsOrder | undefined): readonly StatisticsRow[] {
  if (order === undefined) return rows;
  const sign = order.descending ? -1 : 1;
  const { by } = order;
  if (by === "name" || by === "type")
    return rows.toSorted(
      (left, right) => sign * left.column[by].localeCompare(right.column[by], "en", { numeric: true }),
    );
  return rows.toSorted((left, right) => {
    const [one, other] = [statNumber(left, by), statNumber(right, by)];
    if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
    return sign * (one - other);
  });
}
