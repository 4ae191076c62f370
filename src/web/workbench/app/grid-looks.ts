import { ChangeListeners } from "../data/listeners.ts";
import type { SortKey } from "../data/sort.ts";
import type { Action } from "../model/history.ts";
import type { Actor } from "../model/workbench.ts";
import { PLAIN_LOOK, type GridLook } from "../grid/look.ts";
import { gridAction } from "./grid-action.ts";

interface StoredGridLook {
  readonly look: GridLook;
  /** Grows when something other than the grid changes the look: the grid is then created again. */
  readonly version: number;
}

/** How the grids of the open views are arranged: widths, hidden and pinned columns, the sort. Kept with the layouts. */
export class GridLooks {
  readonly #looks = new Map<string, StoredGridLook>();
  readonly #listeners = new ChangeListeners();
  readonly #record: (act: Action, unregister: () => void) => void;

  /** `record`: a person has arranged a grid; that can be taken back. */
  constructor(record: (act: Action, unregister: () => void) => void) {
    this.#record = record;
  }

  get(viewId: string): StoredGridLook | undefined {
    return this.#looks.get(viewId);
  }

  /** A person has arranged the grid. */
  put(viewId: string, look: GridLook): void {
    const before = this.get(viewId);
    this.#looks.set(viewId, { look, version: before?.version ?? 0 });
    const restore = (wanted: GridLook): void => this.restore(viewId, wanted);
    const act = gridAction({ viewId, by: "person", before: before?.look, after: look, restore });
    if (act !== undefined) this.#record(act, () => restore(before?.look ?? PLAIN_LOOK));
    this.#listeners.tell();
  }

  /** Puts the rows in an order, for an agent. */
  sort(viewId: string, keys: readonly SortKey[], by: Actor): void {
    const before = this.get(viewId)?.look ?? PLAIN_LOOK;
    const restore = (wanted: GridLook): void => this.restore(viewId, wanted);
    const act = gridAction({ viewId, by, before, after: { ...before, sort: keys }, restore });
    if (act !== undefined) this.#record(act, act.run());
  }

  /** The look of a layout. */
  restore(viewId: string, look: GridLook): void {
    this.#looks.set(viewId, { look, version: (this.get(viewId)?.version ?? 0) + 1 });
    this.#listeners.tell();
  }

  readonly subscribe = this.#listeners.add;
}
