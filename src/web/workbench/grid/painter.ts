import { isMissing } from "../data/column.ts";
import { shownAt } from "../data/display.ts";
import { windowAt, type ColumnWindow, type PlacedColumn } from "./columns.ts";
import type { GridModel } from "./model.ts";
import { SIZES } from "./sizes.ts";

const MISSING = "—";

/** The part of the grid in sight, CSS pixels. */
interface PaintedArea {
  readonly top: number;
  readonly left: number;
  /** Without the heads. */
  readonly width: number;
  readonly height: number;
}

interface GridCell {
  readonly element: HTMLElement;
  readonly text: Text;
  column: PlacedColumn | undefined;
  row: number;
  isActive: boolean;
}

interface GridLine {
  readonly element: HTMLElement;
  readonly fixed: HTMLElement;
  readonly number: Text;
  readonly numberBox: HTMLElement;
  pinned: GridCell[];
  free: GridCell[];
  position: number;
  row: number;
  state: string;
}

/**
 * Writes the rows in sight into a few reused elements, outside of React: a row that stays in view keeps
 * its element, so that scrolling by a row writes one row. The rows lie in a layer that is moved as a whole.
 */
export class GridPainter {
  readonly #model: GridModel;
  readonly #layer: HTMLElement;
  readonly #body: HTMLElement;
  #lines: GridLine[] = [];
  #area: PaintedArea = { top: 0, left: 0, width: 0, height: 0 };
  #window: ColumnWindow = { first: 0, end: 0 };
  /** How many free cells a row has; only grows, so that they need not be made again. */
  #slots = 0;
  /** The position at the layer's upper edge. */
  #base = 0;
  /** The first position that was painted, and which element has it: see `#jump`. */
  #first = 0;
  #phase = 0;
  #plan: GridModel["plan"];
  #shown: GridModel["shown"];
  #found: GridModel["found"];

  constructor(body: HTMLElement, model: GridModel) {
    this.#body = body;
    this.#model = model;
    this.#plan = model.plan;
    this.#shown = model.shown;
    this.#layer = document.createElement("div");
    this.#layer.className = "wb-layer";
    this.#layer.setAttribute("role", "none");
    body.append(this.#layer);
  }

  get window(): ColumnWindow {
    return this.#window;
  }

  get area(): PaintedArea {
    return this.#area;
  }

  paint(area: PaintedArea): void {
    const model = this.#model;
    const sideways = area.left !== this.#area.left;
    this.#area = area;
    this.#fit(model.plan !== this.#plan);
    const whole = model.shown !== this.#shown;
    if (model.found !== this.#found) this.#fillAnew();
    this.#plan = model.plan;
    this.#shown = model.shown;
    const first = Math.floor(area.top / SIZES.row);
    const moved = this.#jump(first);
    this.#layer.style.transform = `translate(${-area.left}px, ${this.#base * SIZES.row - area.top}px)`;
    const count = this.#lines.length;
    for (let position = first; position < first + count; position += 1) {
      const line = this.#lineAt(position);
      if (line === undefined) continue;
      if (moved || line.position !== position) this.#moveLine(line, position);
      if (sideways) line.fixed.style.transform = `translateX(${area.left}px)`;
      this.#fillLine(line, whole);
    }
  }

  /** Only what is selected, current, under the mouse, or at the keyboard has changed. */
  restate(): void {
    for (const line of this.#lines) this.#fillLine(line, false);
  }

  /** Puts the focus onto the active cell, or onto the grid's body while that cell is out of sight. */
  focusActive(): void {
    const { position, place } = this.#model.active;
    const line = this.#lineAt(position);
    const cell =
      line?.position === position
        ? [...line.pinned, ...line.free].find(({ column }) => column?.place === place)
        : undefined;
    (cell?.element ?? this.#body).focus({ preventScroll: true });
  }

  /** Screen readers meet the rows in order. Not while scrolling, because it moves elements. */
  settle(): void {
    const lines = this.#lines.toSorted((one, other) => one.position - other.position);
    const focused = lines.find(({ element }) => element.contains(document.activeElement));
    if (lines.every(({ element }, index) => this.#layer.children[index] === element)) return;
    for (const { element, position } of lines) {
      if (element === focused?.element) continue;
      if (focused !== undefined && position < focused.position) focused.element.before(element);
      else this.#layer.append(element);
    }
  }

  remove(): void {
    this.#layer.remove();
  }

  #lineAt(position: number): GridLine | undefined {
    const count = Math.max(1, this.#lines.length);
    return this.#lines[(((position + this.#phase) % count) + count) % count];
  }

  /**
   * If no row stays in view, the elements stay where they are and only their content changes: moving them all would take longer.
   * True: they must be moved all the same, because the layer's edge is another.
   */
  #jump(first: number): boolean {
    const before = this.#first;
    this.#first = first;
    if (Math.abs(first - before) >= this.#lines.length && Math.abs(before - this.#base) <= SIZES.layerRows) {
      this.#phase += before - first;
      this.#base += first - before;
      return false;
    }
    if (Math.abs(first - this.#base) <= SIZES.layerRows) return false;
    this.#base = first;
    return true;
  }

  /** As many rows and cells as the area can show. */
  #fit(replanned: boolean): void {
    const { plan } = this.#model;
    const count = this.#area.height <= 0 ? 0 : Math.ceil(this.#area.height / SIZES.row) + 1;
    const free = Math.max(0, this.#area.width - plan.pinnedWidth);
    this.#window = windowAt(plan, this.#area.left, free);
    const slots = Math.max(this.#slots, this.#window.end - this.#window.first);
    if (count === this.#lines.length && slots === this.#slots && !replanned) return;
    this.#slots = slots;
    if (count !== this.#lines.length) {
      for (const { element } of this.#lines) element.remove();
      this.#lines = Array.from({ length: count }, () => newLine());
      this.#layer.append(...this.#lines.map(({ element }) => element));
    }
    for (const line of this.#lines) this.#fitLine(line);
  }

  #fitLine(line: GridLine): void {
    const { plan } = this.#model;
    line.element.style.width = `${plan.pinnedWidth + plan.freeWidth}px`;
    line.numberBox.style.width = `${plan.numberWidth}px`;
    line.fixed.style.width = `${plan.pinnedWidth}px`;
    line.fixed.style.transform = `translateX(${this.#area.left}px)`;
    line.pinned = resized(line.pinned, plan.pinned.length, line.fixed);
    line.free = resized(line.free, this.#slots, line.element);
    for (const cell of [...line.pinned, ...line.free]) cell.column = undefined;
  }

  #moveLine(line: GridLine, position: number): void {
    line.position = position;
    line.element.style.transform = `translateY(${(position - this.#base) * SIZES.row}px)`;
    line.element.setAttribute("aria-rowindex", String(position + 2));
  }

  #fillLine(line: GridLine, whole: boolean): void {
    const row = this.#shown.at(line.position);
    if (row !== line.row || whole) {
      line.row = row;
      line.number.data = row < 0 ? "" : String(row + 1);
      line.element.style.visibility = row < 0 ? "hidden" : "visible";
    }
    this.#stateLine(line, row);
    const { pinned, free } = this.#plan;
    for (const [index, cell] of line.pinned.entries()) this.#fillCell(cell, pinned[index], line);
    const { first, end } = this.#window;
    for (let index = first; index < first + this.#slots; index += 1) {
      const cell = line.free[index % this.#slots];
      if (cell !== undefined) this.#fillCell(cell, index < end ? free[index] : undefined, line);
    }
  }

  /** The search marks other cells now. */
  #fillAnew(): void {
    this.#found = this.#model.found;
    for (const { pinned, free } of this.#lines) for (const cell of [...pinned, ...free]) cell.row = -1;
  }

  #stateLine(line: GridLine, row: number): void {
    const { table, selected } = this.#model;
    const isSelected = row >= 0 && selected.has(row);
    const isCurrent = row >= 0 && row === table.currentRow;
    const isHover = row >= 0 && row === table.hoverRow;
    const state = `wb-row${isSelected ? " is-selected" : ""}${isCurrent ? " is-current" : ""}${isHover ? " is-hover" : ""}`;
    if (state === line.state) return;
    line.state = state;
    line.element.className = state;
    line.element.setAttribute("aria-selected", String(isSelected));
  }

  #fillCell(cell: GridCell, column: PlacedColumn | undefined, line: GridLine): void {
    const { active } = this.#model;
    const isActive = column !== undefined && active.position === line.position && active.place === column.place;
    if (isActive !== cell.isActive) {
      cell.isActive = isActive;
      cell.element.classList.toggle("is-active", isActive);
      cell.element.tabIndex = isActive ? 0 : -1;
    }
    if (column === cell.column && line.row === cell.row) return;
    if (column !== cell.column) placeCell(cell, column, this.#plan.pinnedWidth);
    cell.column = column;
    cell.row = line.row;
    if (column === undefined || line.row < 0) return;
    const missing = isMissing(column.column, line.row);
    cell.text.data = missing ? MISSING : shownAt(column.column, line.row);
    cell.element.classList.toggle("is-missing", missing);
    const tint = column.tint?.(line.row);
    cell.element.classList.toggle("is-tinted", tint !== undefined);
    if (tint !== undefined) cell.element.style.setProperty("--tint", tint);
    cell.element.classList.toggle("is-found", this.#found?.get(column.column)?.(line.row) === true);
  }
}

function placeCell(cell: GridCell, column: PlacedColumn | undefined, pinnedWidth: number): void {
  const { element } = cell;
  element.style.display = column === undefined ? "none" : "block";
  if (column === undefined) return;
  element.style.left = `${column.pinned ? column.left : pinnedWidth + column.left}px`;
  element.style.width = `${column.width}px`;
  element.classList.toggle("at-right", column.atRight);
  element.setAttribute("aria-colindex", String(column.place + 2));
}

function resized(cells: readonly GridCell[], count: number, parent: HTMLElement): GridCell[] {
  for (const { element } of cells.slice(count)) element.remove();
  const kept = cells.slice(0, count);
  const added = Array.from({ length: count - kept.length }, newCell);
  parent.append(...added.map(({ element }) => element));
  return [...kept, ...added];
}

function newCell(): GridCell {
  const element = document.createElement("div");
  element.className = "wb-cell";
  element.setAttribute("role", "gridcell");
  element.tabIndex = -1;
  const text = document.createTextNode("");
  element.append(text);
  return { element, text, column: undefined, row: -1, isActive: false };
}

function newLine(): GridLine {
  const element = document.createElement("div");
  element.setAttribute("role", "row");
  const fixed = document.createElement("div");
  fixed.className = "wb-fixed";
  fixed.setAttribute("role", "none");
  const numberBox = document.createElement("div");
  numberBox.className = "wb-number";
  numberBox.setAttribute("role", "rowheader");
  numberBox.setAttribute("aria-colindex", "1");
  const number = document.createTextNode("");
  numberBox.append(number);
  fixed.append(numberBox);
  element.append(fixed);
  return { element, fixed, number, numberBox, pinned: [], free: [], position: -1, row: -2, state: "" };
}
