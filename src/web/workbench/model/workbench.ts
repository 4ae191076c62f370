import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import type { Bits } from "../data/bits.ts";
import type { Look, ViewerType } from "../viewers/viewer.ts";

/** Who did something: undo of an agent's actions takes back only its own. */
export type Actor = "person" | "agent";

export interface OpenViewer {
  /** `viewer-xxxxxx-xxxxxx-xxxxxx`, 3 × 6 characters of base 36. */
  readonly id: string;
  readonly type: ViewerType;
  /** Only what was set. */
  readonly look: Look;
  readonly title: string;
}

/** Where things lie. A stack shows one of its viewers, the others as tabs. `grid` stands for the table's grid. */
export type Dock =
  | {
      readonly kind: "split";
      /** `row`: side by side. */
      readonly direction: "row" | "column";
      /** Shares of the space, as many as parts, together 1. */
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
  /** Changes with the same that follow each other quickly are one action. Absent: each is one. */
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

/** All that the page's parts and the agent's tools do to the workbench; each of these is an action that can be undone. Throws a clear Error where it cannot be done, before anything changes. */
export interface WorkbenchActions {
  addTable(table: Table, by: Actor): View;
  closeView(viewId: string, by: Actor): void;
  /** Shows another open table. A person's own change of tabs is `show`, which is no action. */
  switchTo(viewId: string, by: Actor): void;
  addViewer(viewId: string, type: ViewerType, look: Look, by: Actor): OpenViewer;
  /** Property by property; undefined takes a value away. False: there is no such viewer. */
  adjustViewer(viewId: string, viewerId: string, look: Look, by: Actor): boolean;
  removeViewer(viewId: string, viewerId: string, by: Actor): boolean;
  setFilter(viewId: string, key: string, filter: FilterSpec | undefined, by: Actor): void;
  select(viewId: string, rows: Bits, by: Actor): void;
  putColumn(viewId: string, column: Column, by: Actor): void;
  removeColumn(viewId: string, name: string, by: Actor): void;
  /** Other values, type or name in the place of a column; viewers, filters and formulas follow a new name. */
  replaceColumn(viewId: string, name: string, change: ColumnChange): void;
  /** Other values in some cells; columns from formulas follow. Refused where one value does not fit its column. */
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
  /** Takes back one action; of an agent's, also those that build on it. */
  undo(actionId: string): void;
  redo(actionId: string): void;
  /** Everything that agents did since an action, newest first; absent: everything. How many were taken back. */
  undoAgent(sinceActionId?: string): number;
  subscribe(listener: () => void): () => void;
}
