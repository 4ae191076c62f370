import { ChangeListeners } from "../data/listeners.ts";
import type { Bits } from "../data/bits.ts";
import { isText, type Column } from "../data/column.ts";
import type { SortKey } from "../data/sort.ts";
import type { Table } from "../data/table.ts";
import { fittingWidth, planColumns, type ColumnPlan, type PlacedColumn } from "./columns.ts";
import type { ActiveCell } from "./keys.ts";
import { PLAIN_LOOK, type GridLook } from "./look.ts";
import type { CellTest } from "./search/search.ts";
import { shownRows, type ShownRows } from "./order/shown-rows.ts";
import type { Letters } from "./sizes.ts";
import type { Sorter } from "./order/sorter.ts";

interface GridModelOptions {
  readonly table: Table;
  readonly sorter: Sorter;
  readonly letters: Letters;
  /** Absent: as the table came. */
  readonly look?: Partial<GridLook> | undefined;
  readonly onLook?: ((look: GridLook) => void) | undefined;
}

/** What a grid shows: the rows and their order, the columns and their places, and the active cell. Independent of the page. */
export class GridModel {
  readonly table: Table;
  readonly #options: GridModelOptions;
  readonly #listeners = new ChangeListeners();
  readonly #widths = new WeakMap<Column, number>();
  #look: GridLook;
  #plan: ColumnPlan;
  #shown: ShownRows;
  #sorted: Int32Array | undefined;
  /** What `#sorted` was made of. */
  #sortedOf: readonly (object | boolean)[] = [];
  #sorting: AbortController | undefined;
  #trouble: string | undefined;
  #active: ActiveCell = { position: -1, place: 0 };
  #anchor = -1;
  #preview: Bits | undefined;
  #found: ReadonlyMap<Column, CellTest> | undefined;
  #version = 0;

  constructor(options: GridModelOptions) {
    this.#options = options;
    this.table = options.table;
    this.#look = { ...PLAIN_LOOK, ...options.look };
    this.#plan = this.#planned();
    this.#shown = shownRows(this.table.filtered, undefined);
  }

  get look(): GridLook {
    return this.#look;
  }

  get plan(): ColumnPlan {
    return this.#plan;
  }

  get shown(): ShownRows {
    return this.#shown;
  }

  /** Whether the rows are being sorted. */
  get isSorting(): boolean {
    return this.#sorting !== undefined;
  }

  /** Why the rows could not be sorted; absent: they could. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  get active(): ActiveCell {
    return this.#active;
  }

  get activeColumn(): PlacedColumn | undefined {
    return this.#plan.all[this.#active.place];
  }

  /** The position that a range begins at; -1: none yet. */
  get anchor(): number {
    return this.#anchor;
  }

  /** The selection as it would be if the pointer were let go now, else the table's. */
  get selected(): Bits {
    return this.#preview ?? this.table.selected;
  }

  /** Which cells a search marks. Absent: nothing is searched for. */
  get found(): ReadonlyMap<Column, CellTest> | undefined {
    return this.#found;
  }

  /** Grows with each change. */
  get version(): number {
    return this.#version;
  }

  readonly subscribe = this.#listeners.add;

  /** Follows the table; returns a function that ends it. */
  start(): () => void {
    const stops = [
      this.table.subscribe(["filter"], () => this.#reorder()),
      this.table.subscribe(["columns"], () => this.#columnsChanged()),
    ];
    this.#columnsChanged();
    return () => {
      for (const stop of stops) stop();
      // Unfinished work starts again at the next start.
      if (this.#sorting !== undefined) this.#sortedOf = [];
      this.#sorting?.abort();
      this.#sorting = undefined;
    };
  }

  setLook(change: Partial<GridLook>): void {
    this.#look = { ...this.#look, ...change };
    this.#options.onLook?.(this.#look);
    this.#columnsChanged();
  }

  setWidth(name: string, width: number | undefined): void {
    const { [name]: _, ...others } = this.#look.widths;
    this.setLook({ widths: width === undefined ? others : { ...others, [name]: width } });
  }

  setSort(sort: readonly SortKey[]): void {
    this.setLook({ sort });
  }

  setActive(active: ActiveCell): void {
    this.#active = active;
    this.#tell();
  }

  setAnchor(position: number): void {
    this.#anchor = position;
  }

  setPreview(rows: Bits | undefined): void {
    this.#preview = rows;
    this.#tell();
  }

  setFound(found: ReadonlyMap<Column, CellTest> | undefined): void {
    this.#found = found;
    this.#tell();
  }

  #planned(): ColumnPlan {
    const { rowCount, columns } = this.table;
    return planColumns(columns, this.#look, {
      rowCount,
      digit: this.#options.letters.digit,
      autoWidth: (column) => this.#autoWidth(column),
    });
  }

  #autoWidth(column: Column): number {
    const known = this.#widths.get(column);
    if (known !== undefined) return known;
    const width = fittingWidth(column, this.table.rowCount, this.#options.letters);
    this.#widths.set(column, width);
    return width;
  }

  #columnsChanged(): void {
    this.#plan = this.#planned();
    const last = Math.max(0, this.#plan.all.length - 1);
    if (this.#active.place > last) this.#active = { ...this.#active, place: last };
    this.#resort();
    this.#tell();
  }

  /** Only where the keys, or the columns that they name, have changed. */
  #resort(): void {
    const keys = this.#look.sort.filter(({ column }) => this.table.column(column) !== undefined);
    const of = keys.flatMap(({ column, descending }) => [valuesOf(this.table.column(column)), descending]);
    if (of.length === this.#sortedOf.length && of.every((part, index) => part === this.#sortedOf[index])) return;
    this.#sortedOf = of;
    this.#sorting?.abort();
    this.#sorting = undefined;
    this.#trouble = undefined;
    if (keys.length === 0) return this.#take(undefined);
    const sorting = new AbortController();
    const answer = this.#options.sorter(this.table, keys, sorting.signal);
    if (answer instanceof Int32Array) return this.#take(answer);
    this.#sorting = sorting;
    const end = (): boolean => {
      if (this.#sorting !== sorting) return false;
      this.#sorting = undefined;
      return true;
    };
    answer.then(
      (rows) => end() && this.#take(rows),
      (error: unknown) => {
        if (!end()) return;
        this.#trouble = error instanceof Error ? error.message : String(error);
        this.#tell();
      },
    );
  }

  #take(sorted: Int32Array | undefined): void {
    this.#sorted = sorted;
    this.#reorder();
  }

  /** The active row stays the same if it is still shown. */
  #reorder(): void {
    const row = this.#shown.at(this.#active.position);
    this.#shown = shownRows(this.table.filtered, this.#sorted);
    if (this.#active.position >= 0) {
      const position = row < 0 ? -1 : this.#shown.positionOf(row);
      const near = Math.min(this.#active.position, this.#shown.count - 1);
      this.#active = { ...this.#active, position: position < 0 ? near : position };
    }
    this.#anchor = -1;
    this.#tell();
  }

  #tell(): void {
    this.#version += 1;
    this.#listeners.tell();
  }
}

/** Columns for which this is equal sort the same, whatever their formats. */
function valuesOf(column: Column | undefined): object | false {
  if (column === undefined) return false;
  return isText(column) ? column.codes : (column.exact?.codes ?? column.numbers);
}
