import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import { dateText, figure } from "../../data/format.ts";
import type { Table } from "../../data/table.ts";
import { byValues, codesOf, labelOf, type Coded } from "../groups/codes.ts";
import { groupBy, joinedRows, rowsOf } from "../groups/groups.ts";
import { finish, STEP_ROWS, type WorkSteps } from "../groups/steps.ts";
import { noRowsWords } from "../drawing/words.ts";
import { chosenList, listOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** Rows and columns that are worked out; the rest is told in words. */
const MOST_ROWS = 10_000;
const MOST_COLUMNS = 200;
/** Combinations of group and pivot values that are worked out. */
const MOST_CELLS = 200_000;

/** One figure: of which column, and how it is made of many rows. Without a column rows are counted. */
interface Measure {
  readonly column: Column | undefined;
  readonly kind: Aggregate;
  readonly label: string;
}

export interface PivotColumn {
  /** The pivot values, outermost first; empty without pivot columns. */
  readonly path: readonly string[];
  readonly measure: Measure;
}

interface PivotRow {
  readonly labels: readonly string[];
  /** As many as columns; NaN where there is nothing. */
  readonly cells: Float64Array;
  /** Of the whole group. */
  readonly rows: Int32Array;
}

export interface PivotModel {
  /** Names of the columns that rows are grouped by. */
  readonly groupNames: readonly string[];
  readonly columns: readonly PivotColumn[];
  readonly rows: readonly PivotRow[];
  /** What was left out, in words. */
  readonly cut: string | undefined;
  /** Rows of the table behind one cell. */
  readonly cellRows: (row: number, column: number) => Int32Array;
}

export interface PivotOrder {
  /** From 0: the labels first, then the cells. */
  readonly at: number;
  readonly descending: boolean;
}

export function pivotOf(table: Table, look: Look): PivotModel | string {
  return finish(pivotSteps(table, look, table.filtered));
}

/** Words instead of a model where it cannot be worked out. */
export function* pivotSteps(table: Table, look: Look, shown: Bits): WorkSteps<PivotModel | string> {
  const groupColumns = chosenList(table, look, "groupByColumnNames");
  const pivotColumns = chosenList(table, look, "pivotColumnNames");
  const all = [...groupColumns, ...pivotColumns];
  const coded = all.map(codesOf);
  const tooFine = all.find((_, at) => coded[at] === undefined);
  if (tooFine !== undefined) return `${tooFine.name} has too many different values to group by. Choose another column.`;
  const known = coded.filter((one) => one !== undefined);
  yield;
  const groups = groupBy(known, shown.toArray(), MOST_CELLS);
  if (groups === undefined)
    return `These columns make more than ${MOST_CELLS.toLocaleString("en-US")} cells. Choose columns with fewer values, or filter.`;
  if (groups.keys.length === 0) return noRowsWords(table);
  const cut = groupColumns.length;
  const [inRows, inColumns] = [known.slice(0, cut), known.slice(cut)];
  const rowKeys = keysOf(groups.keys, (key) => key.slice(0, cut), inRows);
  const columnKeys = keysOf(groups.keys, (key) => key.slice(cut), inColumns);
  const measures = measuresOf(table, look);
  const shownRows = rowKeys.slice(0, MOST_ROWS);
  const shownPaths = columnKeys.slice(0, Math.max(1, Math.floor(MOST_COLUMNS / measures.length)));
  const cells = new Map(groups.keys.map((key, group) => [key.join(), rowsOf(groups, group)]));
  const found = (row: readonly number[], path: readonly number[]): Int32Array =>
    cells.get([...row, ...path].join()) ?? NONE;
  const columns = shownPaths.flatMap((path) =>
    measures.map((measure) => ({ path: labelsOf(inColumns, path), measure })),
  );
  const rows: PivotRow[] = [];
  let since = 0;
  for (const key of shownRows) {
    const figures: number[] = [];
    for (const path of shownPaths) {
      const inside = found(key, path);
      for (const measure of measures) figures.push(measured(measure, inside));
      since += inside.length * measures.length + measures.length;
      if (since < STEP_ROWS) continue;
      since = 0;
      yield;
    }
    const parts = columnKeys.map((path) => found(key, path));
    rows.push({ labels: labelsOf(inRows, key), cells: Float64Array.from(figures), rows: joinedRows(parts) });
  }
  return {
    groupNames: groupColumns.map(({ name }) => name),
    columns,
    rows,
    cut: cutWords(rowKeys.length, shownRows.length, columnKeys.length, shownPaths.length),
    cellRows: (row, column) => found(shownRows[row] ?? [], shownPaths[Math.floor(column / measures.length)] ?? []),
  };
}

const NONE = new Int32Array(0);
/** Figures that count rows rather than carry the unit of their column. */
const COUNTS: ReadonlySet<Aggregate> = new Set(["count", "values", "unique", "nulls"]);

export function cellText({ column, kind }: Measure, value: number): string {
  if (Number.isNaN(value)) return "";
  if (column === undefined || COUNTS.has(kind)) return value.toLocaleString("en-US");
  return column.type === "datetime" && !["stdev", "variance", "sum"].includes(kind) ? dateText(value) : figure(value);
}

/** Indices of rows in an order; cells without a figure stand last in both directions. */
export function orderedRows(model: PivotModel, order: PivotOrder | undefined): readonly number[] {
  const places = [...model.rows.keys()];
  if (order === undefined) return places;
  const sign = order.descending ? -1 : 1;
  const labels = model.groupNames.length;
  // Rows stand in the order of their labels to begin with.
  if (order.at < labels && order.at === 0) return order.descending ? places.toReversed() : places;
  if (order.at < labels) {
    const text = (row: number): string => model.rows[row]?.labels[order.at] ?? "";
    return places.sort((left, right) => sign * text(left).localeCompare(text(right), "en", { numeric: true }));
  }
  const cell = (row: number): number => model.rows[row]?.cells[order.at - labels] ?? Number.NaN;
  return places.sort((left, right) => {
    const [one, other] = [cell(left), cell(right)];
    if (Number.isNaN(one) || Number.isNaN(other)) return Number(Number.isNaN(one)) - Number(Number.isNaN(other));
    return sign * (one - other);
  });
}

/** One for each column that is aggregated, by the type at the same place; without any, rows are counted. */
function measuresOf(table: Table, look: Look): readonly Measure[] {
  const kinds = listOf(look, "aggregateAggTypes");
  const measures = chosenList(table, look, "aggregateColumnNames").map((column, at) => {
    const kind = (kinds[at] ?? (column.type === "string" || column.type === "bool" ? "values" : "avg")) as Aggregate;
    return { column, kind, label: `${kind}(${column.name})` };
  });
  return measures.length > 0 ? measures : [{ column: undefined, kind: "count", label: "count" }];
}

function measured({ column, kind }: Measure, rows: Int32Array): number {
  if (rows.length === 0) return Number.NaN;
  return column === undefined ? rows.length : aggregate(kind, column, rows);
}

/** The different ones, in the order of the values. */
function keysOf(
  keys: readonly (readonly number[])[],
  part: (key: readonly number[]) => readonly number[],
  coded: readonly Coded[],
): readonly (readonly number[])[] {
  const different = new Map<string, readonly number[]>();
  for (const key of keys) {
    const wanted = part(key);
    different.set(wanted.join(), wanted);
  }
  return [...different.values()].sort(byValues(coded));
}

function labelsOf(coded: readonly Coded[], key: readonly number[]): readonly string[] {
  return coded.map((column, at) => labelOf(column, key[at] ?? -1));
}

function cutWords(rows: number, shownRows: number, columns: number, shownColumns: number): string | undefined {
  const words = (shown: number, all: number, what: string): string =>
    `${shown.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} ${what}`;
  const parts = [
    ...(shownRows < rows ? [words(shownRows, rows, "rows")] : []),
    ...(shownColumns < columns ? [words(shownColumns, columns, "pivot values")] : []),
  ];
  return parts.length === 0 ? undefined : `Shows ${parts.join(" and ")}.`;
}
