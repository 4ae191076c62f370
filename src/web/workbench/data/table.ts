import { Bits } from "./bits.ts";
import { isText } from "./column.ts";
import type { Column } from "./column.ts";
import type { FilterSpec } from "./filter.ts";

/** What of a table has changed. `rows`: the mouse or the current row. */
export type Topic = "columns" | "filter" | "selection" | "rows";

/** Which rows a condition lets through. Throws a clear Error where it cannot hold: no such column, a wrong formula. */
export type FilterRows = (table: Table, filter: FilterSpec) => Bits;

/**
 * A table with its state that all viewers share: what is filtered, selected, current. Sets of rows are replaced, never changed, so
 * that a viewer can compare them by identity.
 */
export class Table {
  readonly id: string;
  readonly rowCount: number;
  readonly #filterRows: FilterRows;
  readonly #listeners = new Map<Topic, Set<() => void>>();
  readonly #versions = new Map<Topic, number>();
  readonly #filters = new Map<string, { readonly spec: FilterSpec; readonly rows: Bits }>();
  #name: string;
  #columns: readonly Column[];
  #filtered: Bits;
  #selected: Bits;
  #currentRow = -1;
  #hoverRow = -1;

  constructor(options: {
    readonly id: string;
    readonly name: string;
    readonly rowCount: number;
    readonly columns: readonly Column[];
    readonly filterRows: FilterRows;
  }) {
    this.id = options.id;
    this.rowCount = options.rowCount;
    this.#name = options.name;
    this.#columns = options.columns;
    this.#filterRows = options.filterRows;
    this.#filtered = Bits.all(options.rowCount);
    this.#selected = new Bits(options.rowCount);
  }

  get name(): string {
    return this.#name;
  }

  get columns(): readonly Column[] {
    return this.#columns;
  }

  /** By its exact name, or by the name in other letters where that is only one. */
  column(name: string): Column | undefined {
    const exact = this.#columns.find((column) => column.name === name);
    if (exact !== undefined) return exact;
    const alike = this.#columns.filter((column) => column.name.toLowerCase() === name.toLowerCase());
    return alike.length === 1 ? alike[0] : undefined;
  }

  /** Rows that are shown. */
  get filtered(): Bits {
    return this.#filtered;
  }

  get filters(): ReadonlyMap<string, FilterSpec> {
    return new Map([...this.#filters].map(([key, { spec }]) => [key, spec]));
  }

  get selected(): Bits {
    return this.#selected;
  }

  /** -1: none. */
  get currentRow(): number {
    return this.#currentRow;
  }

  /** The row under the mouse, in any viewer. -1: none. */
  get hoverRow(): number {
    return this.#hoverRow;
  }

  /** Each filter has a key: `column:<name>` for those of the Filters viewer and the grid, `viewer:<id>` for a viewer's own, `agent` for an agent's. Absent: taken away. Throws before anything changes. */
  setFilter(key: string, spec: FilterSpec | undefined): void {
    if (spec === undefined) {
      if (!this.#filters.delete(key)) return;
    } else {
      this.#filters.set(key, { spec, rows: this.#filterRows(this, spec) });
    }
    this.#refilter();
  }

  /** All of them at once, for undo and layouts. Throws before anything changes. */
  setFilters(filters: ReadonlyMap<string, FilterSpec>): void {
    const made = [...filters].map(([key, spec]) => [key, { spec, rows: this.#filterRows(this, spec) }] as const);
    this.#filters.clear();
    for (const [key, filter] of made) this.#filters.set(key, filter);
    this.#refilter();
  }

  /** Rows that pass every filter but one: what a viewer shows that filters itself. */
  filteredWithout(key: string): Bits {
    let rows = Bits.all(this.rowCount);
    for (const [other, filter] of this.#filters) if (other !== key) rows = rows.and(filter.rows);
    return rows;
  }

  select(rows: Bits): void {
    this.#selected = rows;
    this.#tell("selection");
  }

  setCurrentRow(row: number): void {
    if (row === this.#currentRow) return;
    this.#currentRow = row;
    this.#tell("rows");
  }

  setHoverRow(row: number): void {
    if (row === this.#hoverRow) return;
    this.#hoverRow = row;
    this.#tell("rows");
  }

  /** Replaces a column of the same name, else adds it at the end, or at a place. Filters are asked again; those that no longer fit go. Throws where it has another number of rows. */
  putColumn(column: Column, at = this.#columns.length): void {
    this.#checkRows(column);
    const place = this.#columns.findIndex(({ name }) => name === column.name);
    this.#columns = place < 0 ? this.#columns.toSpliced(at, 0, column) : this.#columns.with(place, column);
    this.#tell("columns");
    if (place >= 0) this.#askFiltersAgain();
  }

  /** All columns at once, with the filters that hold from then on; those that no longer fit go. Throws before anything changes. */
  setColumns(columns: readonly Column[], filters: ReadonlyMap<string, FilterSpec>): void {
    for (const column of columns) this.#checkRows(column);
    this.#columns = columns;
    this.#filters.clear();
    for (const [key, spec] of filters) {
      try {
        this.#filters.set(key, { spec, rows: this.#filterRows(this, spec) });
      } catch {
        // It names what is not there any more, or a type that it does not fit.
      }
    }
    this.#tell("columns");
    this.#refilter();
  }

  /** Filters on it go with it. */
  removeColumn(name: string): void {
    const columns = this.#columns.filter((column) => column.name !== name);
    if (columns.length === this.#columns.length) return;
    this.#columns = columns;
    this.#tell("columns");
    this.#askFiltersAgain();
  }

  rename(name: string): void {
    this.#name = name;
    this.#tell("columns");
  }

  /** The answer stops it. */
  subscribe(topics: readonly Topic[], listener: () => void): () => void {
    for (const topic of topics) {
      const listeners = this.#listeners.get(topic) ?? new Set();
      this.#listeners.set(topic, listeners.add(listener));
    }
    return () => {
      for (const topic of topics) this.#listeners.get(topic)?.delete(listener);
    };
  }

  /** Grows with each change of a topic. */
  version(topic: Topic): number {
    return this.#versions.get(topic) ?? 0;
  }

  #checkRows(column: Column): void {
    const rows = isText(column) ? column.codes.length : column.numbers.length;
    if (rows !== this.rowCount)
      throw new Error(`The column "${column.name}" has ${rows} rows, the table has ${this.rowCount}.`);
  }

  /** After a change of the columns: a filter can name one in other letters, or within a formula. */
  #askFiltersAgain(): void {
    const before = [...this.#filters];
    if (before.length === 0) return;
    for (const [key, { spec }] of before) {
      try {
        this.#filters.set(key, { spec, rows: this.#filterRows(this, spec) });
      } catch {
        this.#filters.delete(key);
      }
    }
    this.#refilter();
  }

  #refilter(): void {
    let rows = Bits.all(this.rowCount);
    for (const filter of this.#filters.values()) rows = rows.and(filter.rows);
    this.#filtered = rows;
    this.#tell("filter");
  }

  #tell(topic: Topic): void {
    this.#versions.set(topic, this.version(topic) + 1);
    for (const listener of this.#listeners.get(topic) ?? []) listener();
  }
}
