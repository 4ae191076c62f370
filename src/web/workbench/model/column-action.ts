import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import { renamedFormula } from "../data/formula/rename.ts";
import type { Table } from "../data/table.ts";
import type { Look } from "../viewers/viewer.ts";
import { columnPath, viewPath } from "./actions.ts";
import type { Action } from "./history.ts";
import type { WorkbenchState } from "./state.ts";
import type { ColumnChange, OpenViewer, View } from "./workbench.ts";

/** What the page knows about viewers that matters when a column is renamed. */
interface ViewerNames {
  /** Properties of a type of viewer that name columns. */
  readonly columnProperties: (type: string) => ReadonlySet<string>;
  readonly titled: (type: string, table: Table, look: Look) => string;
}

interface ReplaceOptions {
  readonly name: string;
  readonly change: ColumnChange;
  readonly names: ViewerNames;
}

/** Changes the values, the type or the name of a column. Throws if the name is taken. */
export function replaceColumnAction(state: WorkbenchState, view: View, options: ReplaceOptions): Action {
  const { name, change, names } = options;
  const { column, by, words, merge } = change;
  const { table, id } = view;
  checkName(table, name, column.name);
  const isRenamed = column.name !== name;
  const paths = isRenamed ? [columnPath(id, name), columnPath(id, column.name)] : [columnPath(id, name)];
  // Filters, formulas and viewers use a column's name; only filters use its values.
  const touched = isRenamed ? [`${viewPath(id)}/viewer`, `${viewPath(id)}/column`] : [];
  const filters = table.filters.size === 0 ? [] : [`${viewPath(id)}/filter`];
  return {
    by,
    words,
    viewId: id,
    writes: [...paths, ...touched, ...filters],
    ...(merge === undefined ? {} : { merge }),
    run: () => {
      const before = table.columns;
      const filtersBefore = table.filters;
      if (before.every((one) => one.name !== name))
        throw new Error(`the table ${table.name} has no column ${name} any more`);
      const after = before.map((one) =>
        one.name === name ? column : isRenamed ? withFormula(one, table, { from: name, to: column.name }) : one,
      );
      const wanted = isRenamed ? renamedFilters(table, { from: name, to: column.name }) : filtersBefore;
      table.setColumns(after, wanted);
      if (isRenamed) renameInViewers(state, id, { from: name, to: column.name, names });
      return () => {
        const old = new Map(
          before.flatMap((one, at) => (after[at] === one ? [] : [[after[at]?.name ?? one.name, one] as const])),
        );
        table.setColumns(
          table.columns.map((one) => old.get(one.name) ?? one),
          filtersBefore,
        );
        if (isRenamed) renameInViewers(state, id, { from: column.name, to: name, names });
      };
    },
  };
}

function checkName(table: Table, from: string, to: string): void {
  if (to.trim() === "") throw new Error("a column needs a name");
  if (from !== to && table.columns.some(({ name }) => name === to))
    throw new Error(`the table ${table.name} has a column ${to} already; choose another name`);
}

interface Rename {
  readonly from: string;
  readonly to: string;
}

function withFormula(column: Column, table: Table, rename: Rename): Column {
  if (column.formula === undefined) return column;
  const formula = renamedFormula(column.formula, table, rename);
  return formula === column.formula ? column : { ...column, formula };
}

function renamedFilters(table: Table, { from, to }: Rename): ReadonlyMap<string, FilterSpec> {
  const renamed = (spec: FilterSpec): FilterSpec => {
    if (spec.kind === "formula") return { ...spec, expression: renamedFormula(spec.expression, table, { from, to }) };
    return "column" in spec && table.column(spec.column)?.name === from ? { ...spec, column: to } : spec;
  };
  return new Map(
    [...table.filters].map(([key, spec]) => [key === `column:${from}` ? `column:${to}` : key, renamed(spec)]),
  );
}

function renameInViewers(
  state: WorkbenchState,
  viewId: string,
  { from, to, names }: Rename & { readonly names: ViewerNames },
): void {
  const view = state.view(viewId);
  const viewers = view.viewers.map((viewer): OpenViewer => {
    const properties = names.columnProperties(viewer.type);
    const look = Object.fromEntries(
      Object.entries(viewer.look).map(([key, value]) => [key, properties.has(key) ? renamedValue(value) : value]),
    );
    return { ...viewer, look, title: names.titled(viewer.type, view.table, look) };
  });
  state.put({ ...view, viewers });

  function renamedValue(value: unknown): unknown {
    if (value === from) return to;
    return Array.isArray(value) ? value.map((one: unknown) => (one === from ? to : one)) : value;
  }
}
