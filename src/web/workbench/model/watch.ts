import type { FilterSpec } from "../data/filter.ts";
import type { Bits } from "../data/bits.ts";
import { filterPath, filterReads, selectAction } from "./actions.ts";
import type { Action } from "./history.ts";
import { filterWords, noFilterWords } from "./words.ts";
import type { View } from "./workbench.ts";

interface WatchedState {
  filters: ReadonlyMap<string, FilterSpec>;
  selected: Bits;
  readonly stop: () => void;
}

/** Viewers filter and select on the table itself. Here that becomes a person's action, so that it can be undone like any other. */
export class TableWatch {
  readonly #told: (act: Action, unregister: () => void) => void;
  readonly #known = new Map<string, WatchedState>();
  #isPaused = false;

  constructor(told: (act: Action, unregister: () => void) => void) {
    this.#told = told;
  }

  pause(): void {
    this.#isPaused = true;
  }

  /** Changes are counted from the present state on. */
  resume(views: readonly View[]): void {
    this.#isPaused = false;
    const open = new Set(views.map(({ id }) => id));
    for (const [id, { stop }] of this.#known) {
      if (open.has(id)) continue;
      stop();
      this.#known.delete(id);
    }
    for (const view of views) {
      const known = this.#known.get(view.id);
      if (known === undefined) this.#add(view);
      else Object.assign(known, { filters: view.table.filters, selected: view.table.selected });
    }
  }

  #add(view: View): void {
    const { table } = view;
    const stops = [
      table.subscribe(["filter"], () => this.#onFilter(view)),
      table.subscribe(["selection"], () => this.#onSelection(view)),
    ];
    this.#known.set(view.id, {
      filters: table.filters,
      selected: table.selected,
      stop: () => stops.forEach((stop) => stop()),
    });
  }

  #onFilter(view: View): void {
    const known = this.#known.get(view.id);
    if (this.#isPaused || known === undefined) return;
    const before = known.filters;
    const after = view.table.filters;
    known.filters = after;
    const keys = [...new Set([...before.keys(), ...after.keys()])].filter((key) => before.get(key) !== after.get(key));
    if (keys.length === 0) return;
    const set = (filters: ReadonlyMap<string, FilterSpec>): void => {
      for (const key of keys) view.table.setFilter(key, filters.get(key));
    };
    const act: Action = {
      by: "person",
      words: changeWords(view, keys, { before, after }),
      viewId: view.id,
      writes: keys.map((key) => filterPath(view.id, key)),
      reads: keys.flatMap((key) => {
        const filter = after.get(key);
        return filter === undefined ? [] : filterReads(view.id, filter);
      }),
      merge: keys.map((key) => filterPath(view.id, key)).join(),
      run: () => {
        const standing = view.table.filters;
        set(after);
        return () => set(standing);
      },
    };
    this.#told(act, () => set(before));
  }

  #onSelection(view: View): void {
    const known = this.#known.get(view.id);
    if (this.#isPaused || known === undefined) return;
    const before = known.selected;
    const rows = view.table.selected;
    known.selected = rows;
    if (rows === before || rows.xor(before).isEmpty) return;
    this.#told(selectAction(view, { rows, by: "person" }), () => view.table.select(before));
  }
}

function changeWords(
  view: View,
  keys: readonly string[],
  { before, after }: Record<"before" | "after", ReadonlyMap<string, FilterSpec>>,
): string {
  const [key = ""] = keys;
  if (keys.length > 1) return after.size === 0 ? "Took all filters away" : `Changed ${String(keys.length)} filters`;
  const filter = after.get(key);
  if (filter !== undefined) return filterWords(filter, view.table);
  const gone = before.get(key);
  return gone === undefined ? "Changed a filter" : noFilterWords(key, gone);
}
