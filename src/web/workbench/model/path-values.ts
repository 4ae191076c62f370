import type { Bits } from "../data/bits.ts";
import { readCell, type StoredCell } from "../data/cell-edit.ts";
import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import { newTable } from "../data/make.ts";
import type { Table } from "../data/table.ts";
import { putBack } from "./actions.ts";
import { putCells } from "./cell-action.ts";
import { removeFrom } from "./dock.ts";
import type { WorkbenchState } from "./state.ts";
import type { Dock, OpenViewer, View } from "./workbench.ts";

/** What a view shows at one moment. Immutable. */
export interface ViewMoment {
  readonly id: string;
  readonly name: string;
  readonly columns: readonly Column[];
  readonly filters: ReadonlyMap<string, FilterSpec>;
  readonly selected: Bits;
  readonly viewers: readonly OpenViewer[];
  readonly dock: Dock;
  /** How the grid is arranged. Absent: as it came. */
  readonly grid: unknown;
}

/** All that is open at one moment. */
export interface WorkbenchMoment {
  readonly views: readonly ViewMoment[];
  /** The id of the view that is shown. */
  readonly shown: string | undefined;
}

/** What an action wrote, before or after it: the value at one of its paths. */
export type PathValue =
  | { readonly kind: "shown"; readonly shown: string | undefined }
  | {
      readonly kind: "view";
      readonly view: ViewMoment | undefined;
      readonly place: number;
      readonly shown: string | undefined;
    }
  | { readonly kind: "columns"; readonly columns: readonly Column[] }
  | { readonly kind: "column"; readonly name: string; readonly column: Column | undefined; readonly place: number }
  | { readonly kind: "cell"; readonly column: string; readonly row: number; readonly cell: StoredCell }
  | { readonly kind: "filters"; readonly filters: ReadonlyMap<string, FilterSpec> }
  | { readonly kind: "filter"; readonly key: string; readonly filter: FilterSpec | undefined }
  | { readonly kind: "viewers"; readonly viewers: readonly OpenViewer[]; readonly dock: Dock }
  | {
      readonly kind: "viewer";
      readonly id: string;
      readonly viewer: OpenViewer | undefined;
      readonly dock: Dock;
      readonly place: number;
    }
  | { readonly kind: "selection"; readonly rows: Bits }
  | { readonly kind: "grid"; readonly grid: unknown };

export function momentOf(
  views: readonly View[],
  shown: string | undefined,
  gridOf: (viewId: string) => unknown,
): WorkbenchMoment {
  return {
    shown,
    views: views.map(({ id, table, viewers, dock }) => ({
      id,
      name: table.name,
      columns: table.columns,
      filters: table.filters,
      selected: table.selected,
      viewers,
      dock,
      grid: gridOf(id),
    })),
  };
}

/** The value at an action's path at one moment. Undefined: the path did not exist. */
export function valueAt(moment: WorkbenchMoment, path: string): PathValue | undefined {
  const [head, id, part, name, , row] = path.split("/");
  if (head === "shown") return { kind: "shown", shown: moment.shown };
  const place = moment.views.findIndex((view) => view.id === id);
  const view = moment.views[place];
  if (part === undefined) return { kind: "view", view, place, shown: moment.shown };
  if (view === undefined) return undefined;
  const key = name === undefined ? undefined : decodeURIComponent(name);
  switch (part) {
    case "column":
      return key === undefined ? { kind: "columns", columns: view.columns } : columnValue(view, key, row);
    case "filter":
      return key === undefined
        ? { kind: "filters", filters: view.filters }
        : { kind: "filter", key, filter: view.filters.get(key) };
    case "viewer":
      return key === undefined ? { kind: "viewers", viewers: view.viewers, dock: view.dock } : viewerValue(view, key);
    case "selection":
      return { kind: "selection", rows: view.selected };
    case "grid":
      return { kind: "grid", grid: view.grid };
    default:
      return undefined;
  }
}

function viewerValue({ viewers, dock }: ViewMoment, id: string): PathValue {
  const place = viewers.findIndex((one) => one.id === id);
  return { kind: "viewer", id, viewer: viewers[place], dock, place };
}

function columnValue({ columns }: ViewMoment, name: string, row: string | undefined): PathValue | undefined {
  const place = columns.findIndex((column) => column.name === name);
  const column = columns[place];
  if (row === undefined) return { kind: "column", name, column, place };
  return column === undefined
    ? undefined
    : { kind: "cell", column: name, row: Number(row), cell: readCell(column, Number(row)) };
}

/** What values are written to. */
export interface PathTarget {
  readonly state: WorkbenchState;
  readonly restoreGrid: (viewId: string, grid: unknown) => void;
}

/** The values to write, and those that they replace, path by path. */
interface PathChange {
  readonly to: readonly PathValue[];
  readonly from: readonly PathValue[];
}

/** Restores the values. Views that no longer exist are skipped. */
export function putValues(target: PathTarget, viewId: string, { to: values, from }: PathChange): void {
  for (const value of values) if (value.kind === "view") putView(target, viewId, value);
  const view = target.state.find(viewId);
  if (view !== undefined) {
    putColumns(view.table, values);
    putFilters(view.table, values);
    for (const value of values) putInView(target, { viewId, value, from });
  }
  for (const value of values) if (value.kind === "shown") target.state.show(value.shown);
}

function putView(
  { state, restoreGrid }: PathTarget,
  viewId: string,
  { view, place, shown }: Extract<PathValue, { kind: "view" }>,
): void {
  if (state.find(viewId) !== undefined) state.drop(viewId);
  if (view !== undefined) {
    state.insert(viewOf(view), Math.min(Math.max(0, place), state.views.length));
    if (view.grid !== undefined) restoreGrid(viewId, view.grid);
  }
  if (shown !== undefined) state.show(shown);
}

/** A view with a table of its own. */
export function viewOf({ id, name, columns, filters, selected, viewers, dock }: ViewMoment): View {
  const table = newTable(name, columns);
  table.setFilters(filters);
  table.select(selected);
  return { id, table, viewers, dock };
}

function putColumns(table: Table, values: readonly PathValue[]): void {
  for (const value of values) {
    if (value.kind === "columns") table.setColumns(value.columns, table.filters);
    if (value.kind !== "column") continue;
    if (value.column === undefined) table.removeColumn(value.name);
    else table.putColumn(value.column, Math.min(value.place, table.columns.length));
  }
  const cells = new Map<string, { readonly row: number; readonly cell: StoredCell }[]>();
  for (const value of values) {
    if (value.kind !== "cell") continue;
    cells.set(value.column, [...(cells.get(value.column) ?? []), { row: value.row, cell: value.cell }]);
  }
  if (cells.size > 0) putCells(table, cells);
}

function putFilters(table: Table, values: readonly PathValue[]): void {
  for (const value of values) {
    if (value.kind === "filters") table.setFilters(value.filters);
    if (value.kind === "filter") table.setFilter(value.key, value.filter);
  }
}

function putInView(
  { state, restoreGrid }: PathTarget,
  { viewId, value, from }: { readonly viewId: string; readonly value: PathValue; readonly from: PathChange["from"] },
): void {
  const view = state.view(viewId);
  switch (value.kind) {
    case "viewers":
      return state.put({ ...view, viewers: value.viewers, dock: value.dock });
    case "viewer":
      return state.put(
        withViewer(
          view,
          value,
          from.find((one): one is ViewerValue => one.kind === "viewer" && one.id === value.id),
        ),
      );
    case "selection":
      return view.table.select(value.rows);
    case "grid":
      return restoreGrid(viewId, value.grid);
    case "shown":
    case "view":
    case "columns":
    case "column":
    case "cell":
    case "filters":
    case "filter":
      return undefined;
  }
}

type ViewerValue = Extract<PathValue, { kind: "viewer" }>;

function withViewer(view: View, { id, viewer, dock, place }: ViewerValue, from: ViewerValue | undefined): View {
  const standing = view.viewers.findIndex((one) => one.id === id);
  // If nobody has moved anything since, everything goes back to its place.
  const isUnmoved = from !== undefined && JSON.stringify(view.dock) === JSON.stringify(from.dock);
  if (viewer === undefined) {
    if (standing < 0) return view;
    const viewers = view.viewers.toSpliced(standing, 1);
    return { ...view, viewers, dock: isUnmoved ? dock : removeFrom(view.dock, id) };
  }
  if (standing >= 0) return { ...view, viewers: view.viewers.with(standing, viewer) };
  const viewers = view.viewers.toSpliced(Math.min(place, view.viewers.length), 0, viewer);
  return { ...view, viewers, dock: isUnmoved ? dock : putBack(view.dock, dock, viewer) };
}
