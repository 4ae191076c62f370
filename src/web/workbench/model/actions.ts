import type { Bits } from "../data/bits.ts";
import { isText, type Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import type { Look } from "../viewers/viewer.ts";
import { dockIds, GRID, removeFrom, stackOf } from "./dock.ts";
import type { Action } from "./history.ts";
import { placeNew } from "./place.ts";
import type { WorkbenchState } from "./state.ts";
import { count, filterWords, noFilterWords } from "./words.ts";
import type { Dock, Actor, OpenViewer, View } from "./workbench.ts";

export const viewPath = (viewId: string): string => `view/${viewId}`;
export const viewerPath = (viewId: string, viewerId: string): string => `${viewPath(viewId)}/viewer/${viewerId}`;
export const filterPath = (viewId: string, key: string): string =>
  `${viewPath(viewId)}/filter/${encodeURIComponent(key)}`;
export const columnPath = (viewId: string, name: string): string =>
  `${viewPath(viewId)}/column/${encodeURIComponent(name)}`;
const selectionPath = (viewId: string): string => `${viewPath(viewId)}/selection`;

export function openAction(
  state: WorkbenchState,
  table: Table,
  options: { readonly id: string; readonly by: Actor },
): Action {
  const { id, by } = options;
  const path = viewPath(id);
  const view: View = { id, table, viewers: [], dock: stackOf(GRID) };
  return {
    by,
    words: `Opened ${table.name}`,
    viewId: id,
    writes: [path],
    makes: [path],
    run: () => {
      const before = state.current?.id;
      state.insert(view, state.views.length);
      state.show(id);
      return () => {
        state.drop(id);
        if (before !== undefined) state.show(before);
      };
    },
  };
}

export function closeAction(state: WorkbenchState, viewId: string, by: Actor): Action {
  return {
    by,
    words: `Closed ${state.view(viewId).table.name}`,
    viewId,
    writes: [viewPath(viewId)],
    run: () => {
      const view = state.view(viewId);
      const place = state.views.indexOf(view);
      const before = state.current?.id;
      state.drop(viewId);
      return () => {
        state.insert(view, Math.min(place, state.views.length));
        state.show(before === viewId ? viewId : state.current?.id);
      };
    },
  };
}

/** Another open table is shown. */
export function switchAction(state: WorkbenchState, viewId: string, by: Actor): Action {
  return {
    by,
    words: `Showed ${state.view(viewId).table.name}`,
    viewId,
    writes: ["shown"],
    reads: [viewPath(viewId)],
    run: () => {
      const before = state.current?.id;
      state.show(viewId);
      return () => {
        // Whoever has changed tabs since then stays there.
        if (state.current?.id === viewId) state.show(before);
      };
    },
  };
}

export function addViewerAction(
  state: WorkbenchState,
  viewId: string,
  options: { readonly viewer: OpenViewer; readonly by: Actor },
): Action {
  const { viewer, by } = options;
  const path = viewerPath(viewId, viewer.id);
  return {
    by,
    words: `Added ${viewer.title}`,
    viewId,
    writes: [path],
    makes: [path],
    reads: columnsRead(state.view(viewId), viewer.look),
    run: () => {
      const before = state.view(viewId);
      const dock = placeNew(before.dock, viewer.id, viewer.type);
      state.put({ ...before, viewers: [...before.viewers, viewer], dock });
      return () => takeOut(state, viewId, { id: viewer.id, placed: dock, before: before.dock });
    },
  };
}

function takeOut(
  state: WorkbenchState,
  viewId: string,
  { id, placed, before }: { readonly id: string; readonly placed: Dock; readonly before: Dock },
): void {
  const view = state.view(viewId);
  const viewers = view.viewers.filter((viewer) => viewer.id !== id);
  // If nobody has moved anything since, everything goes back to its place.
  state.put({ ...view, viewers, dock: view.dock === placed ? before : removeFrom(view.dock, id) });
}

export function adjustAction(
  state: WorkbenchState,
  viewId: string,
  options: {
    readonly viewer: OpenViewer;
    /** Undefined removes a value. */
    readonly change: Look;
    readonly titled: (look: Look) => string;
    readonly by: Actor;
  },
): Action {
  const { viewer, change, titled, by } = options;
  const keys = Object.keys(change);
  return {
    by,
    words: `Changed ${titled(changed(viewer.look, change))}: ${keys.join(", ")}`,
    viewId,
    writes: [viewerPath(viewId, viewer.id)],
    reads: columnsRead(state.view(viewId), change),
    merge: `${viewerPath(viewId, viewer.id)} ${keys.join()}`,
    run: () => {
      const before = viewerOf(state.view(viewId), viewer.id);
      if (before === undefined) throw new Error(`the viewer ${viewer.title} is not open any more`);
      const look = changed(before.look, change);
      putViewer(state, viewId, { ...before, look, title: titled(look) });
      return () => putViewer(state, viewId, before);
    },
  };
}

function changed(look: Look, change: Look): Look {
  return Object.fromEntries(Object.entries({ ...look, ...change }).filter(([, value]) => value !== undefined));
}

export function viewerOf(view: View, id: string): OpenViewer | undefined {
  return view.viewers.find((viewer) => viewer.id === id);
}

function putViewer(state: WorkbenchState, viewId: string, viewer: OpenViewer): void {
  const view = state.view(viewId);
  state.put({ ...view, viewers: view.viewers.map((other) => (other.id === viewer.id ? viewer : other)) });
}

export function removeViewerAction(
  state: WorkbenchState,
  viewId: string,
  options: { readonly viewer: OpenViewer; readonly by: Actor },
): Action {
  const { viewer, by } = options;
  return {
    by,
    words: `Closed ${viewer.title}`,
    viewId,
    writes: [viewerPath(viewId, viewer.id)],
    run: () => {
      const before = state.view(viewId);
      const last = viewerOf(before, viewer.id);
      if (last === undefined) throw new Error(`the viewer ${viewer.title} is not open any more`);
      const place = before.viewers.indexOf(last);
      const dock = removeFrom(before.dock, viewer.id);
      state.put({ ...before, viewers: before.viewers.toSpliced(place, 1), dock });
      return () => {
        const view = state.view(viewId);
        state.put({
          ...view,
          viewers: view.viewers.toSpliced(Math.min(place, view.viewers.length), 0, last),
          dock: view.dock === dock ? before.dock : putBack(view.dock, before.dock, viewer),
        });
      };
    },
  };
}

/** If nothing else has changed, it goes back to its place; otherwise it is placed like a new one. */
export function putBack(dock: Dock, before: Dock, viewer: OpenViewer): Dock {
  const wanted = new Set([...dockIds(dock), viewer.id]);
  const held = dockIds(before);
  const isSame = held.length === wanted.size && held.every((id) => wanted.has(id));
  return isSame ? before : placeNew(dock, viewer.id, viewer.type);
}

export function filterAction(
  view: View,
  options: { readonly key: string; readonly filter: FilterSpec | undefined; readonly by: Actor },
): Action {
  const { key, filter, by } = options;
  const { table, id } = view;
  const standing = table.filters.get(key);
  return {
    by,
    words:
      filter === undefined
        ? noFilterWords(key, standing ?? { kind: "formula", expression: "" })
        : filterWords(filter, table),
    viewId: id,
    writes: [filterPath(id, key)],
    reads: filter === undefined ? [] : filterReads(id, filter),
    merge: filterPath(id, key),
    run: () => {
      const before = table.filters.get(key);
      table.setFilter(key, filter);
      return () => table.setFilter(key, before);
    },
  };
}

export function filterReads(viewId: string, filter: FilterSpec): readonly string[] {
  if ("column" in filter) return [columnPath(viewId, filter.column)];
  return filter.kind === "formula" ? [`${viewPath(viewId)}/column`] : [];
}

export function selectAction(view: View, options: { readonly rows: Bits; readonly by: Actor }): Action {
  const { rows, by } = options;
  return {
    by,
    words: rows.isEmpty ? "Cleared the selection" : `Selected ${count(rows.count, "row")}`,
    viewId: view.id,
    writes: [selectionPath(view.id)],
    merge: selectionPath(view.id),
    run: () => {
      const before = view.table.selected;
      view.table.select(rows);
      return () => view.table.select(before);
    },
  };
}

export function putColumnAction(view: View, options: { readonly column: Column; readonly by: Actor }): Action {
  const { column, by } = options;
  const { table, id } = view;
  const rows = isText(column) ? column.codes.length : column.numbers.length;
  if (column.name.trim() === "") throw new Error("a column needs a name");
  if (rows !== table.rowCount)
    throw new Error(`the column ${column.name} has ${rows} rows, the table ${table.name} has ${table.rowCount}`);
  const isNew = table.columns.every(({ name }) => name !== column.name);
  const path = columnPath(id, column.name);
  return {
    by,
    words: `${isNew ? "Added" : "Replaced"} the column ${column.name}`,
    viewId: id,
    writes: isNew ? [path] : columnWrites(view, column.name),
    makes: isNew ? [path] : [],
    run: () => {
      const place = table.columns.findIndex(({ name }) => name === column.name);
      const before = table.columns[place];
      const filters = table.filters;
      table.putColumn(column);
      if (before !== undefined) refilter(table);
      return () => {
        if (before === undefined) table.removeColumn(column.name);
        else table.putColumn(before);
        if (before !== undefined) table.setFilters(filters);
      };
    },
  };
}

export function removeColumnAction(view: View, options: { readonly name: string; readonly by: Actor }): Action {
  const { name, by } = options;
  const { table, id } = view;
  return {
    by,
    words: `Removed the column ${name}`,
    viewId: id,
    writes: columnWrites(view, name),
    run: () => {
      const place = table.columns.findIndex((column) => column.name === name);
      const column = table.columns[place];
      if (column === undefined) throw new Error(`the table ${table.name} has no column ${name} any more`);
      const filters = table.filters;
      table.removeColumn(name);
      refilter(table);
      return () => {
        table.putColumn(column, place);
        table.setFilters(filters);
      };
    },
  };
}

/** A filter may be valid only because of a column that is about to change. */
function columnWrites({ id, table }: View, name: string): readonly string[] {
  const path = columnPath(id, name);
  return table.filters.size === 0 ? [path] : [path, `${viewPath(id)}/filter`];
}

/** Filters are applied again; one that is no longer valid is removed. */
function refilter(table: Table): void {
  for (const [key, filter] of table.filters) {
    if (filter.kind === "rows") continue;
    try {
      table.setFilter(key, filter);
    } catch {
      table.setFilter(key, undefined);
    }
  }
}

/** The columns that a viewer's look names. */
function columnsRead({ id, table }: View, look: Look): readonly string[] {
  const named = new Set(
    Object.values(look)
      .flat()
      .filter((value): value is string => typeof value === "string"),
  );
  return table.columns.filter(({ name }) => named.has(name)).map(({ name }) => columnPath(id, name));
}
