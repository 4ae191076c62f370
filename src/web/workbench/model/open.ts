import { ChangeListeners } from "../data/listeners.ts";
import type { Bits } from "../data/bits.ts";
import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import * as registry from "../viewers/registry.ts";
import type { Look, ViewerDefinition, ViewerType } from "../viewers/viewer.ts";
import {
  addViewerAction,
  adjustAction,
  closeAction,
  filterAction,
  openAction,
  putColumnAction,
  removeColumnAction,
  removeViewerAction,
  selectAction,
  switchAction,
  viewerOf,
} from "./actions.ts";
import { editCellsAction } from "./cell-action.ts";
import { replaceColumnAction } from "./column-action.ts";
import { checkDock, GRID, normalise } from "./dock.ts";
import { History, type Action, type HistoryEntry } from "./history.ts";
import { newId } from "./ids.ts";
import { fitting, layoutAction } from "./layout-action.ts";
import type { SavedLayout } from "./layout.ts";
import { putValues, type PathTarget } from "./path-values.ts";
import { WorkbenchState } from "./state.ts";
import type { LoggedAction } from "./undo-log.ts";
import { TableWatch } from "./watch.ts";
import { titleOf } from "./words.ts";
import type {
  ActionRecord,
  CellEdit,
  ColumnChange,
  WorkbenchActions,
  Dock,
  Actor,
  OpenViewer,
  View,
  Workbench,
} from "./workbench.ts";

/** What is known of the types of viewers. */
export interface ViewerKinds {
  readonly definitionOf: (type: string) => ViewerDefinition | undefined;
  /** Throws an error for people if a look does not fit. The result has full property names, and undefined for a value to remove. */
  readonly checkLook: (definition: ViewerDefinition, look: Look, table: Table) => Look;
  readonly wholeLook: (definition: ViewerDefinition, table: Table, look: Look) => Look;
}

/** The workbench with what only its own page uses. */
export interface OpenWorkbench extends Workbench {
  /** What undo and redo would do next. */
  readonly next: { readonly undo: ActionRecord | undefined; readonly redo: ActionRecord | undefined };
  /** Throws words where the layout does not fit the table, and changes nothing. */
  applyLayout(viewId: string, layout: SavedLayout, by: Actor): void;
  /** What an action is about. Undefined: it is forgotten. */
  actOf(actionId: string): Action | undefined;
  /** Ids of actions that redo would do, the next one last. */
  readonly takenBack: readonly string[];
  /** Restores everything as it was before the page was loaded; none of it is an action. */
  restore(session: RestoredSession): void;
  /** The viewers of a layout with their own ids. Throws words where they do not fit the table. */
  viewersOf(table: Table, layout: SavedLayout): readonly OpenViewer[];
  /** Records something that the page did already, so that it can be undone like any action. `before`: undoes it. */
  record(act: Action, before: () => void): void;
}

/** What was open, and what was done, before the page was loaded. */
export interface RestoredSession {
  readonly views: readonly View[];
  readonly shown: string | undefined;
  readonly entries: readonly LoggedAction[];
  readonly takenBack: readonly string[];
  readonly restoreGrid: (viewId: string, grid: unknown) => void;
}

export function openWorkbench(
  options: { readonly now?: () => number; readonly kinds?: ViewerKinds } = {},
): OpenWorkbench {
  return new WorkbenchModel(options.now ?? Date.now, options.kinds ?? registry);
}

class WorkbenchModel implements OpenWorkbench, WorkbenchActions {
  readonly #state = new WorkbenchState();
  readonly #history: History;
  readonly #kinds: ViewerKinds;
  readonly #listeners = new ChangeListeners();
  readonly #watch: TableWatch;

  constructor(now: () => number, kinds: ViewerKinds) {
    this.#history = new History(now);
    this.#kinds = kinds;
    this.#watch = new TableWatch((act, unregister) => {
      this.#history.add(act, unregister);
      this.#listeners.tell();
    });
  }

  get views(): readonly View[] {
    return this.#state.views;
  }

  get current(): View | undefined {
    return this.#state.current;
  }

  get actions(): readonly ActionRecord[] {
    return this.#history.actions;
  }

  get next(): { readonly undo: ActionRecord | undefined; readonly redo: ActionRecord | undefined } {
    return { undo: this.#history.last, redo: this.#history.next };
  }

  show(viewId: string): void {
    this.#state.view(viewId);
    this.#state.show(viewId);
    this.#listeners.tell();
  }

  setDock(viewId: string, dock: Dock): void {
    const view = this.#state.view(viewId);
    const neat = normalise(dock);
    checkDock(neat, [GRID, ...view.viewers.map(({ id }) => id)]);
    this.#state.put({ ...view, dock: neat });
    this.#listeners.tell();
  }

  addTable(table: Table, by: Actor): View {
    const open = this.views.find((view) => view.table === table);
    if (open !== undefined) {
      this.show(open.id);
      return open;
    }
    if (this.views.length >= WORKBENCH_LIMITS.openViews)
      throw new Error(`${WORKBENCH_LIMITS.openViews} tables are open already: close one first`);
    const id = newId("view");
    this.#do(() => this.#history.do(openAction(this.#state, table, { id, by })));
    return this.#state.view(id);
  }

  closeView(viewId: string, by: Actor): void {
    this.#do(() => this.#history.do(closeAction(this.#state, viewId, by)));
  }

  switchTo(viewId: string, by: Actor): void {
    if (this.#state.view(viewId) === this.current) return;
    this.#do(() => this.#history.do(switchAction(this.#state, viewId, by)));
  }

  addViewer(viewId: string, type: ViewerType, look: Look, by: Actor): OpenViewer {
    const view = this.#state.view(viewId);
    if (view.viewers.length >= WORKBENCH_LIMITS.viewersPerView)
      throw new Error(`${WORKBENCH_LIMITS.viewersPerView} viewers are open already: close one first`);
    const viewer = this.#newViewer(view.table, type, look);
    this.#do(() => this.#history.do(addViewerAction(this.#state, viewId, { viewer, by })));
    return viewer;
  }

  adjustViewer(viewId: string, viewerId: string, look: Look, by: Actor): boolean {
    const view = this.#state.view(viewId);
    const viewer = viewerOf(view, viewerId);
    if (viewer === undefined) return false;
    const definition = this.#definition(viewer.type);
    const change = this.#kinds.checkLook(definition, look, view.table);
    if (Object.keys(change).length === 0) return true;
    const titled = (whole: Look): string => this.#title(definition, view.table, whole);
    this.#do(() => this.#history.do(adjustAction(this.#state, viewId, { viewer, change, titled, by })));
    return true;
  }

  removeViewer(viewId: string, viewerId: string, by: Actor): boolean {
    const viewer = viewerOf(this.#state.view(viewId), viewerId);
    if (viewer === undefined) return false;
    this.#do(() => this.#history.do(removeViewerAction(this.#state, viewId, { viewer, by })));
    return true;
  }

  setFilter(viewId: string, key: string, filter: FilterSpec | undefined, by: Actor): void {
    const view = this.#state.view(viewId);
    if (filter === undefined && !view.table.filters.has(key)) return;
    this.#do(() => this.#history.do(filterAction(view, { key, filter, by })));
  }

  select(viewId: string, rows: Bits, by: Actor): void {
    const view = this.#state.view(viewId);
    if (rows.length !== view.table.rowCount) throw new Error("this selection is of another table");
    if (rows.xor(view.table.selected).isEmpty) return;
    this.#do(() => this.#history.do(selectAction(view, { rows, by })));
  }

  putColumn(viewId: string, column: Column, by: Actor): void {
    const act = putColumnAction(this.#state.view(viewId), { column, by });
    this.#do(() => this.#history.do(act));
  }

  removeColumn(viewId: string, name: string, by: Actor): void {
    const view = this.#state.view(viewId);
    const column = namedColumn(view.table, name);
    if (view.table.columns.length === 1) throw new Error("a table keeps at least one column");
    this.#do(() => this.#history.do(removeColumnAction(view, { name: column.name, by })));
  }

  replaceColumn(viewId: string, name: string, change: ColumnChange): void {
    const view = this.#state.view(viewId);
    const act = replaceColumnAction(this.#state, view, {
      name: namedColumn(view.table, name).name,
      change,
      names: {
        columnProperties: (type) =>
          new Set(
            this.#definition(type)
              .properties.filter((property) => property.type === "column" || property.type === "column_list")
              .map((property) => property.name),
          ),
        titled: (type, table, look) => this.#title(this.#definition(type), table, look),
      },
    });
    this.#do(() => this.#history.do(act));
  }

  editCells(viewId: string, edits: readonly CellEdit[], by: Actor): void {
    const act = editCellsAction(this.#state.view(viewId), edits, by);
    if (act !== undefined) this.#do(() => this.#history.do(act));
  }

  applyLayout(viewId: string, layout: SavedLayout, by: Actor): void {
    const view = this.#state.view(viewId);
    const { columns, trial } = fitting(layout, view.table);
    const viewers = layout.viewers.map(({ id, type, look }) => ({
      saved: id,
      viewer: this.#newViewer(trial, type, look),
    }));
    this.#do(() => this.#history.do(layoutAction(this.#state, viewId, { layout, viewers, columns, by })));
  }

  actOf(actionId: string): Action | undefined {
    return this.#history.actOf(actionId);
  }

  get takenBack(): readonly string[] {
    return this.#history.takenBack;
  }

  restore({ views, shown, entries, takenBack, restoreGrid }: RestoredSession): void {
    const target = { state: this.#state, restoreGrid };
    this.#do(() => {
      for (const view of views) this.#state.insert(view, this.views.length);
      this.#state.show(shown ?? views.at(-1)?.id);
      this.#history.restore(
        entries.map((entry) => restoredEntry(target, entry)),
        takenBack,
      );
    });
  }

  viewersOf(table: Table, layout: SavedLayout): readonly OpenViewer[] {
    return layout.viewers.map(({ id, type, look }) => ({ ...this.#newViewer(table, type, look), id }));
  }

  record(act: Action, before: () => void): void {
    this.#history.add(act, before);
    this.#listeners.tell();
  }

  undo(actionId: string): void {
    this.#do(() => this.#history.undo(actionId));
  }

  redo(actionId: string): void {
    this.#do(() => this.#history.redo(actionId));
  }

  undoAgent(sinceActionId?: string): number {
    const from = sinceActionId === undefined ? -1 : this.actions.findIndex(({ id }) => id === sinceActionId);
    // An action that was forgotten is older than all known ones.
    const chosen = this.actions.slice(from + 1).filter(({ by, undone }) => by === "agent" && !undone);
    let taken = 0;
    this.#do(() => {
      for (const { id } of chosen.toReversed())
        taken += this.#history.undo(id).filter(({ by }) => by === "agent").length;
    });
    return taken;
  }

  readonly subscribe = this.#listeners.add;

  #definition(type: string): ViewerDefinition {
    const definition = this.#kinds.definitionOf(type);
    if (definition === undefined) throw new Error(`there is no viewer type ${type}`);
    return definition;
  }

  #newViewer(table: Table, type: string, look: Look): OpenViewer {
    const definition = this.#definition(type);
    const checked = Object.fromEntries(
      Object.entries(this.#kinds.checkLook(definition, look, table)).filter(([, value]) => value !== undefined),
    );
    const title = this.#title(definition, table, checked);
    return { id: newId("viewer"), type: definition.type, look: checked, title };
  }

  #title(definition: ViewerDefinition, table: Table, look: Look): string {
    return titleOf(definition, this.#kinds.wholeLook(definition, table, look));
  }

  /** While an action is done, redone or undone, changes that the tables report are no actions of their own. */
  #do(work: () => void): void {
    this.#watch.pause();
    try {
      work();
    } finally {
      this.#forgetClosed();
      this.#watch.resume(this.views);
      this.#listeners.tell();
    }
  }

  /** Tables of views that were closed long ago are released. */
  #forgetClosed(): void {
    const closed = this.#history.viewIds.filter((id) => this.#state.find(id) === undefined);
    for (const id of closed.slice(0, -WORKBENCH_LIMITS.closedViewsKept)) this.#history.forget(id);
  }
}

/** An action of an earlier page: it writes the values that it wrote then. */
function restoredEntry(target: PathTarget, { action, act, before, after }: LoggedAction): HistoryEntry {
  const undo = (): void => putValues(target, act.viewId, { to: before, from: after });
  const run = (): (() => void) => {
    putValues(target, act.viewId, { to: after, from: before });
    return undo;
  };
  return { action, act: { ...act, run }, unregister: undo };
}

function namedColumn(table: Table, name: string): Column {
  const column = table.column(name);
  if (column !== undefined) return column;
  throw new Error(
    `the table ${table.name} has no column ${name}; it has ${table.columns.map((one) => one.name).join(", ")}`,
  );
}
