import type { View } from "./workbench.ts";

/** The open views and which one is shown. Views are replaced, never changed. */
export class WorkbenchState {
  #views: readonly View[] = [];
  #shown: string | undefined;

  get views(): readonly View[] {
    return this.#views;
  }

  get current(): View | undefined {
    return this.#views.find(({ id }) => id === this.#shown);
  }

  find(id: string): View | undefined {
    return this.#views.find((view) => view.id === id);
  }

  /** Throws where it is not open. */
  view(id: string): View {
    const view = this.find(id);
    if (view === undefined) throw new Error(`there is no open view with the id ${id}`);
    return view;
  }

  put(view: View): void {
    this.#views = this.#views.map((other) => (other.id === view.id ? view : other));
  }

  insert(view: View, at: number): void {
    this.#views = this.#views.toSpliced(at, 0, view);
  }

  /** If it was shown, the next one is shown instead. */
  drop(id: string): void {
    const place = this.#views.findIndex((view) => view.id === id);
    if (place < 0) return;
    this.#views = this.#views.toSpliced(place, 1);
    if (this.#shown === id) this.#shown = this.#views[Math.min(place, this.#views.length - 1)]?.id;
  }

  /** Absent: no view is open. */
  show(id: string | undefined): void {
    if (id === undefined || this.find(id) !== undefined) this.#shown = id;
  }
}
