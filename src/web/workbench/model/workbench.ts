import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import type { Bits } from "../data/bits.ts";
import type { Look, ViewerType } from "../viewers/viewer.ts";

/** Who did something: undoing an agent's actions undoes only its own. */
export type Actor = "person" | "agent";

export interface OpenViewer {
  /** `viewer-xxxxxx-xxxxxx-xxxxxx`, 3 × 6 characters of base 36. */
  readonly id: string;
  readonly type: ViewerType;
  /** Only what was set. */
  readonly look: Look;
  readonly title: string;
}

/** The arrangement. A stack shows one of its viewers and the others as tabs. `grid` is the table's grid. */
export type Dock =
  | {
      readonly kind: "split";
      /** `row`: side by side. */
      readonly direction: "row" | "column";
      /** Shares of the space, one for each part. Their sum is 1. */
      readonly shares: readonly number[];
      readonly parts: readonly Dock[];
    }
  | { readonly kind: "stack"; readonly viewers: readonly string[]; readonly shown: string };

/** A table and what is open beside it. Replaced with each change. */
export interface View {
  readonly id: string;
  readonly table: Table;
  readonly viewers: readonly OpenViewer[];
  readonly dock: Dock;
}

/** Something that was done, and can be taken back. */
export interface ActionRecord {
  readonly id: string;
  readonly by: Actor;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** In the past tense: `Added Histogram of Age`. */
  readonly words: string;
  readonly undone: boolean;
}

/** What becomes of a column, and how that is told. */
export interface ColumnChange {
  readonly column: Column;
  /** In the past tense: `Renamed AGE to Age`. */
  readonly words: string;
  readonly by: Actor;
  /** Quick changes in a row with the same value are one action. Absent: each is an action. */
  readonly merge?: string | undefined;
}

/** Another value for one cell. */
export interface CellEdit {
  readonly column: string;
  /** From 0. */
  readonly row: number;
  /** As a person writes it; empty: missing. */
  readonly text: string;
}

/** Everything that the page and the agent's tools can do to the workbench. Each is an action that can be undone, or throws an error for people before anything changes. */
export interface WorkbenchActions {
  addTable(table: Table, by: Actor): View;
  closeView(viewId: string, by: Actor): void;
  /** Shows another open table. A person's own change of tabs is `show`, which is no action. */
  switchTo(viewId: string, by: Actor): void;
  addViewer(viewId: string, type: ViewerType, look: Look, by: Actor): OpenViewer;
  /** Property by property; undefined removes a value. False: there is no such viewer. */
  adjustViewer(viewId: string, viewerId: string, look: Look, by: Actor): boolean;
  removeViewer(viewId: string, viewerId: string, by: Actor): boolean;
  setFilter(viewId: string, key: string, filter: FilterSpec | undefined, by: Actor): void;
  select(viewId: string, rows: Bits, by: Actor): void;
  putColumn(viewId: string, column: Column, by: Actor): void;
  removeColumn(viewId: string, name: string, by: Actor): void;
  /** Changes a column's values, type or name; viewers, filters and formulas follow a new name. */
  replaceColumn(viewId: string, name: string, change: ColumnChange): void;
  /** Changes some cells; columns from formulas follow. Refused if one value does not fit its column. */
  editCells(viewId: string, edits: readonly CellEdit[], by: Actor): void;
}

/** The workbench's state and its actions. One per page. */
export interface Workbench extends WorkbenchActions {
  readonly views: readonly View[];
  /** The view that is shown. */
  readonly current: View | undefined;
  show(viewId: string): void;
  setDock(viewId: string, dock: Dock): void;
  /** Newest last; bounded. */
  readonly actions: readonly ActionRecord[];
  /** Undoes one action; of an agent's, also those that depend on it. */
  undo(actionId: string): void;
  redo(actionId: string): void;
  /** Undoes everything that agents did since an action, newest first; absent: everything. Returns how many. */
  undoAgent(sinceActionId?: string): number;
  subscribe(listener: () => void): () => void;
}
