import type { GridLook } from "../grid/look.ts";

interface Kept {
  readonly look: GridLook;
  /** Grows when the look comes from elsewhere than the grid: the grid is then made anew. */
  readonly version: number;
}

/** How the grids of the open views are arranged: widths, hidden and pinned columns, the sort. Kept with the layouts. */
export class GridLooks {
  readonly #looks = new Map<string, Kept>();
  readonly #listeners = new Set<() => void>();

  get(viewId: string): Kept | undefined {
    return this.#looks.get(viewId);
  }

  /** A person has arranged the grid. */
  put(viewId: string, look: GridLook): void {
    this.#looks.set(viewId, { look, version: this.get(viewId)?.version ?? 0 });
    this.#tell();
  }

  /** The look of a layout. */
  restore(viewId: string, look: GridLook): void {
    this.#looks.set(viewId, { look, version: (this.get(viewId)?.version ?? 0) + 1 });
    this.#tell();
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
