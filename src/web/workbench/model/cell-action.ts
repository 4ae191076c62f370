import { cellText, parseCell, readCell, withCells, type CellChange } from "../data/cell-edit.ts";
import type { Column } from "../data/column.ts";
import { recomputed } from "../data/formula/dependents.ts";
import type { Table } from "../data/table.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { columnPath } from "./actions.ts";
import type { Action } from "./history.ts";
import { count } from "./words.ts";
import type { Actor, CellEdit, View } from "./workbench.ts";

/** By column name. */
type ChangesByColumn = ReadonlyMap<string, readonly CellChange[]>;

/** Changes the values of cells. Undefined: they have these values already. Throws, before anything changes, if a value does not fit. */
export function editCellsAction(view: View, edits: readonly CellEdit[], by: Actor): Action | undefined {
  const { table, id } = view;
  if (edits.length > WORKBENCH_LIMITS.editedCells)
    throw new Error(`at most ${WORKBENCH_LIMITS.editedCells} cells can be changed at once; change a column instead`);
  const changes = changesOf(table, edits);
  if (changes.size === 0) return undefined;
  return {
    by,
    words: editWords(table, changes),
    viewId: id,
    writes: [...changes].flatMap(([name, cells]) => cellPaths(id, name, cells)),
    run: () => {
      const before: ChangesByColumn = new Map(
        [...changes].map(([name, cells]) => {
          const column = standing(table, name);
          return [name, cells.map(({ row }) => ({ row, cell: readCell(column, row) }))];
        }),
      );
      putCells(table, changes);
      return () => putCells(table, before);
    },
  };
}

/** Writes cells, and works out the formulas that read them. */
export function putCells(table: Table, changes: ChangesByColumn): void {
  const written = table.columns.map((column) => {
    const cells = changes.get(column.name);
    return cells === undefined ? column : withCells(column, cells);
  });
  table.setColumns(recomputed(table, written, new Set(changes.keys())), table.filters);
}

const cellPath = (viewId: string, column: string, row: number): string => `${columnPath(viewId, column)}/row/${row}`;

/** Above this number, the action names the whole column: the history compares paths one by one. */
const CELL_PATHS = 50;

function cellPaths(viewId: string, name: string, cells: readonly CellChange[]): readonly string[] {
  if (cells.length > CELL_PATHS) return [columnPath(viewId, name)];
  return cells.map(({ row }) => cellPath(viewId, name, row));
}

function standing(table: Table, name: string): Column {
  const column = table.columns.find((one) => one.name === name);
  if (column === undefined) throw new Error(`the table ${table.name} has no column ${name} any more`);
  return column;
}

/** Only real changes; if a cell is named twice, the last value counts. */
function changesOf(table: Table, edits: readonly CellEdit[]): ChangesByColumn {
  const changes = new Map<string, Map<number, CellChange>>();
  for (const { column: name, row, text } of edits) {
    const column = editable(table, name);
    if (!Number.isInteger(row) || row < 0 || row >= table.rowCount)
      throw new Error(`the table ${table.name} has no row ${row + 1}; it has ${table.rowCount}`);
    const cell = parseCell(column, text);
    const before = readCell(column, row);
    const cells = changes.get(column.name) ?? new Map<number, CellChange>();
    if (Object.is(before.number, cell.number) && before.text === cell.text) cells.delete(row);
    else cells.set(row, { row, cell });
    if (cells.size > 0) changes.set(column.name, cells);
    else changes.delete(column.name);
  }
  return new Map([...changes].map(([name, cells]) => [name, [...cells.values()]]));
}

function editable(table: Table, name: string): Column {
  const column = table.column(name);
  if (column === undefined)
    throw new Error(
      `the table ${table.name} has no column ${name}; it has ${table.columns.map((one) => one.name).join(", ")}`,
    );
  if (column.formula === undefined) return column;
  throw new Error(`${column.name} is worked out by a formula: change the columns that it reads.`);
}

const SHOWN = 24;

function editWords(table: Table, changes: ChangesByColumn): string {
  const [first] = changes;
  const all = [...changes.values()].reduce((sum, cells) => sum + cells.length, 0);
  const change = first?.[1][0];
  if (first === undefined || change === undefined) return "Changed nothing";
  if (all > 1) return `Changed ${count(all, "cell")} of ${table.name}`;
  const [name] = first;
  const text = cellText(standing(table, name), change.cell);
  const row = (change.row + 1).toLocaleString("en-US");
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
  return text === "" ? `Cleared ${name} in row ${row}` : `Changed ${name} in row ${row} to ${shown}`;
}
