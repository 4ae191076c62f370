import { fitsType, isSameFormat } from "../data/column-format.ts";
import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import { compileFormula } from "../data/formula.ts";
import { newTable } from "../data/make.ts";
import type { Table } from "../data/table.ts";
import { columnPath, viewerPath, viewPath } from "./actions.ts";
import { normalise } from "./dock.ts";
import type { Action } from "./history.ts";
import { renamed, type SavedLayout } from "./layout.ts";
import type { WorkbenchState } from "./state.ts";
import type { Actor, OpenViewer } from "./workbench.ts";

/** All viewers and filters of a view at once, and the columns that they need. The layout must fit: see `fitting`. */
export function layoutAction(
  state: WorkbenchState,
  viewId: string,
  options: {
    readonly layout: SavedLayout;
    readonly viewers: readonly { readonly saved: string; readonly viewer: OpenViewer }[];
    /** Those of its formulas that the table lacks. */
    readonly columns: readonly Column[];
    readonly by: Actor;
  },
): Action {
  const { layout, columns, by } = options;
  const path = viewPath(viewId);
  const ids = new Map(options.viewers.map(({ saved, viewer }) => [saved, viewer.id]));
  const viewers = options.viewers.map(({ viewer }) => viewer);
  const dock = normalise(renamed(layout.dock, ids));
  const filters = new Map<string, FilterSpec>(layout.filters.map(([key, spec]) => [renamedKey(key, ids), spec]));
  return {
    by,
    words: `Applied a layout of ${layout.table}`,
    viewId,
    writes: [
      `${path}/viewer`,
      `${path}/filter`,
      ...[...columns, ...(layout.formats ?? [])].map(({ name }) => columnPath(viewId, name)),
    ],
    makes: [...viewers.map(({ id }) => viewerPath(viewId, id)), ...columns.map(({ name }) => columnPath(viewId, name))],
    reads: [`${path}/column`],
    run: () => {
      const before = state.view(viewId);
      const { table } = before;
      const filtersBefore = table.filters;
      const lacking = columns.filter(({ name }) => table.columns.every((column) => column.name !== name));
      for (const column of lacking) table.putColumn(column);
      const plain = table.columns;
      const shown = formatted(plain, layout);
      if (shown !== plain) table.setColumns(shown, table.filters);
      table.setFilters(filters);
      state.put({ ...before, viewers, dock });
      return () => {
        if (shown !== plain) table.setColumns(unformatted(table.columns, plain), table.filters);
        table.setFilters(filtersBefore);
        for (const { name } of lacking) table.removeColumn(name);
        state.put({ ...state.view(viewId), viewers: before.viewers, dock: before.dock });
      };
    },
  };
}

/** The columns with the layout's formats where those fit; the same list if nothing changes. */
function formatted(columns: readonly Column[], { formats = [] }: SavedLayout): readonly Column[] {
  const byName = new Map(formats.map(({ name, format }) => [name, format]));
  const after = columns.map((column) => {
    const format = byName.get(column.name);
    if (format === undefined || !fitsType(format, column.type) || isSameFormat(column.format, format)) return column;
    return { ...column, format };
  });
  return after.some((column, at) => column !== columns[at]) ? after : columns;
}

/** The columns as they are, with the formats that they had. */
function unformatted(columns: readonly Column[], before: readonly Column[]): readonly Column[] {
  const had = new Map(before.map(({ name, format }) => [name, format]));
  return columns.map((column) => {
    if (!had.has(column.name) || isSameFormat(column.format, had.get(column.name))) return column;
    const { format: _, ...bare } = column;
    const format = had.get(column.name);
    return format === undefined ? bare : { ...bare, format };
  });
}

/** A viewer's own filter goes with the viewer, which has another id now. */
function renamedKey(key: string, ids: ReadonlyMap<string, string>): string {
  const id = /^viewer:(.*)$/.exec(key)?.[1];
  return id === undefined ? key : `viewer:${ids.get(id) ?? id}`;
}

/** The columns that the layout needs and the table lacks, and the table with them, on which the rest is checked. Throws an error for people if the layout does not fit. */
export function fitting(
  layout: SavedLayout,
  table: Table,
): { readonly columns: readonly Column[]; readonly trial: Table } {
  const columns: Column[] = [];
  let trial = newTable(table.name, table.columns);
  for (const { name, expression } of layout.formulas) {
    if (table.columns.some((column) => column.name === name)) continue;
    columns.push(compileFormula(expression, trial).column(name));
    trial = newTable(table.name, [...table.columns, ...columns]);
  }
  trial.setFilters(new Map<string, FilterSpec>(layout.filters));
  return { columns, trial };
}
