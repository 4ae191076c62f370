import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import type { Table } from "../data/table.ts";
import type { Bits } from "../data/bits.ts";
import type { Look, ViewerType } from "../viewers/viewer.ts";

/** Who did something: undo of an agent's deeds takes back only its own. */
export type Doer = "person" | "agent";

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
export interface Deed {
  readonly id: string;
  readonly by: Doer;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** In the past tense: `Added Histogram of Age`. */
  readonly words: string;
  readonly undone: boolean;
}

/** All that the page's parts and the agent's tools do to the workbench; each of these is a deed that can be undone. Throws a clear Error where it cannot be done, before anything changes. */
export interface Deeds {
  addTable(table: Table, by: Doer): View;
  closeView(viewId: string, by: Doer): void;
  addViewer(viewId: string, type: ViewerType, look: Look, by: Doer): OpenViewer;
  /** Property by property; undefined takes a value away. False: there is no such viewer. */
  adjustViewer(viewId: string, viewerId: string, look: Look, by: Doer): boolean;
  removeViewer(viewId: string, viewerId: string, by: Doer): boolean;
  setFilter(viewId: string, key: string, filter: FilterSpec | undefined, by: Doer): void;
  select(viewId: string, rows: Bits, by: Doer): void;
  putColumn(viewId: string, column: Column, by: Doer): void;
  removeColumn(viewId: string, name: string, by: Doer): void;
}

/** The workbench's state and its deeds. One per page. */
export interface Workbench extends Deeds {
  readonly views: readonly View[];
  /** The view that is shown. */
  readonly current: View | undefined;
  show(viewId: string): void;
  setDock(viewId: string, dock: Dock): void;
  /** Newest last; bounded. */
  readonly deeds: readonly Deed[];
  /** Takes back one deed; of an agent's, also those that build on it. */
  undo(deedId: string): void;
  redo(deedId: string): void;
  /** Everything that agents did since a deed, newest first; absent: everything. How many were taken back. */
  undoAgent(sinceDeedId?: string): number;
  subscribe(listener: () => void): () => void;
}
