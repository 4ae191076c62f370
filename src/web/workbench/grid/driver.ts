import { Bits } from "../data/bits.ts";
import { ChangeListeners } from "../data/listeners.ts";
import { clampWidth, type ColumnWindow, type PlacedColumn } from "./columns.ts";
import { copiedFrom } from "./copy.ts";
import { keyAction, type ActiveCell, type KeyAction } from "./keys.ts";
import { sortedBy } from "./look.ts";
import type { GridModel } from "./model.ts";
import { GridPainter } from "./painter.ts";
import { barLength, isStuck, placeAt, scrolledTo, topShowing, type ScrollExtent, type ScrollPlace } from "./scroll.ts";
import { selectedAfter, selectHow, type SelectHow } from "./selection.ts";
import { GRID_LIMITS, SIZES } from "./sizes.ts";

interface GridElements {
  readonly scroll: HTMLElement;
  readonly space: HTMLElement;
  readonly view: HTMLElement;
  readonly head: HTMLElement;
  readonly headFree: HTMLElement;
  readonly body: HTMLElement;
}

export interface GridHandlers {
  readonly select: (rows: Bits) => void;
  readonly onWindow: (window: ColumnWindow) => void;
  readonly openMenu: (column: PlacedColumn) => void;
  readonly edit: (cell: ActiveCell) => void;
  readonly erase: (cell: ActiveCell) => void;
  readonly find: () => void;
  /** A short message about what was done, for the footer. */
  readonly tell: (words: string) => void;
}

/** Where a cell lies in the grid's view, CSS pixels. */
interface CellBox {
  readonly left: number;
  readonly top: number;
  readonly width: number;
}

/** Connects a model with the page's elements: scrolling, keys, pointer, focus. */
export class GridDriver {
  readonly #model: GridModel;
  readonly #elements: GridElements;
  readonly #handlers: GridHandlers;
  readonly #painter: GridPainter;
  #place: ScrollPlace = { top: 0, bar: 0 };
  #current = -1;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #window: ColumnWindow = { first: 0, end: 0 };
  #plan: GridModel["plan"] | undefined;
  #count = -1;
  #dragging: { readonly how: SelectHow; readonly from: Bits } | undefined;
  #tipped: HTMLElement | undefined;
  readonly #painted = new ChangeListeners();

  constructor(options: {
    readonly model: GridModel;
    readonly elements: GridElements;
    readonly handlers: GridHandlers;
  }) {
    this.#model = options.model;
    this.#elements = options.elements;
    this.#handlers = options.handlers;
    this.#painter = new GridPainter(options.elements.body, options.model);
  }

  /** Returns a function that ends it. */
  start(): () => void {
    const { scroll, body, head } = this.#elements;
    const { table } = this.#model;
    const ended = new AbortController();
    const { signal } = ended;
    const observer = new ResizeObserver(() => this.#layOut());
    observer.observe(scroll);
    scroll.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal });
    for (const element of [body, head]) element.addEventListener("keydown", (event) => this.#key(event), { signal });
    body.addEventListener("copy", (event) => this.#copy(event), { signal });
    body.addEventListener("pointerdown", (event) => this.#pressed(event), { signal });
    body.addEventListener("pointermove", (event) => this.#pointed(event), { signal });
    body.addEventListener("pointerup", (event) => this.#released(event), { signal });
    body.addEventListener("pointercancel", () => this.#dropped(), { signal });
    body.addEventListener("click", (event) => this.#tapped(event), { signal });
    body.addEventListener("dblclick", (event) => this.#twice(event), { signal });
    body.addEventListener("pointerleave", () => table.setHoverRow(-1), { signal });
    this.#current = table.currentRow;
    const stops = [
      this.#model.subscribe(() => this.#changed()),
      table.subscribe(["selection"], () => this.#painter.restate()),
      table.subscribe(["rows"], () => this.#rowsChanged()),
    ];
    this.#layOut();
    return () => {
      for (const stop of stops) stop();
      ended.abort();
      observer.disconnect();
      clearTimeout(this.#idle);
      this.#painter.remove();
    };
  }

  /** Focuses the active head or cell. */
  focus(): void {
    const { active } = this.#model;
    if (active.position >= 0) return this.#painter.focusActive();
    this.#elements.head.querySelector<HTMLElement>(`[data-place="${active.place}"]`)?.focus({ preventScroll: true });
  }

  moveTo(to: ActiveCell): void {
    const { table } = this.#model;
    this.#model.setActive(to);
    if (to.position >= 0) {
      this.#current = this.#model.shown.at(to.position);
      table.setCurrentRow(this.#current);
    }
    this.#reveal(to);
    this.focus();
  }

  /** Goes to a cell without taking the focus. */
  show(cell: ActiveCell): void {
    this.#model.setActive(cell);
    this.#current = this.#model.shown.at(cell.position);
    this.#model.table.setCurrentRow(this.#current);
    this.#reveal(cell);
  }

  boxOf({ position, place }: ActiveCell): CellBox | undefined {
    const { plan } = this.#model;
    const column = plan.all[place];
    if (column === undefined) return undefined;
    const left = column.pinned ? column.left : plan.pinnedWidth + column.left - this.#painter.area.left;
    return { left, top: SIZES.head + position * SIZES.row - this.#place.top, width: column.width };
  }

  /** Called after each painting; returns a function that ends that. */
  readonly onPaint = this.#painted.add;

  get #extent(): ScrollExtent {
    const view = Math.max(0, this.#elements.scroll.clientHeight - SIZES.head);
    return { content: this.#model.shown.count * SIZES.row, view };
  }

  /** The sizes of everything, after the grid, its columns or its rows have changed. */
  #layOut(): void {
    const { scroll, space, view } = this.#elements;
    const { plan } = this.#model;
    space.style.height = `${SIZES.head + barLength(this.#extent)}px`;
    space.style.width = `${plan.pinnedWidth + plan.freeWidth}px`;
    view.style.width = `${scroll.clientWidth}px`;
    view.style.height = `${scroll.clientHeight}px`;
    this.#plan = plan;
    this.#count = this.#model.shown.count;
    this.#setPlace(this.#place.top);
    this.#paint();
  }

  #setPlace(top: number): void {
    this.#place = placeAt(top, this.#extent);
    if (Math.abs(this.#elements.scroll.scrollTop - this.#place.bar) > 1)
      this.#elements.scroll.scrollTop = this.#place.bar;
    // The position that the browser set counts; otherwise the next step would look longer than it is.
    this.#place = { ...this.#place, bar: this.#elements.scroll.scrollTop };
  }

  #scrolled(): void {
    this.#place = scrolledTo(this.#place, this.#elements.scroll.scrollTop, this.#extent);
    if (isStuck(this.#place, this.#extent)) this.#setPlace(this.#place.top);
    this.#paint();
    clearTimeout(this.#idle);
    this.#idle = setTimeout(() => this.#rested(), GRID_LIMITS.idle);
  }

  #rested(): void {
    // The bar was moved again and the browser has not reported it yet. It will; that move must not be undone.
    if (this.#elements.scroll.scrollTop !== this.#place.bar) return;
    this.#setPlace(this.#place.top);
    this.#painter.settle();
  }

  #paint(): void {
    const { scroll, body, headFree } = this.#elements;
    const hadFocus = body.contains(document.activeElement);
    const left = Math.max(0, scroll.scrollLeft);
    headFree.style.transform = `translateX(${-left}px)`;
    this.#painter.paint({ top: this.#place.top, left, width: scroll.clientWidth, height: this.#extent.view });
    const { window } = this.#painter;
    if (window.first !== this.#window.first || window.end !== this.#window.end) {
      this.#window = window;
      this.#handlers.onWindow(window);
    }
    if (hadFocus) this.#painter.focusActive();
    this.#painted.tell();
  }

  #changed(): void {
    if (this.#plan !== this.#model.plan || this.#count !== this.#model.shown.count) this.#layOut();
    else this.#paint();
  }

  #rowsChanged(): void {
    const row = this.#model.table.currentRow;
    if (row !== this.#current) {
      this.#current = row;
      const position = row < 0 ? -1 : this.#model.shown.positionOf(row);
      if (position >= 0) {
        this.#model.setActive({ ...this.#model.active, position });
        this.#setPlace(topShowing(position, this.#place.top, this.#extent));
        this.#paint();
      }
    }
    this.#painter.restate();
  }

  #reveal({ position, place }: ActiveCell): void {
    const { scroll } = this.#elements;
    const { plan } = this.#model;
    if (position >= 0) this.#setPlace(topShowing(position, this.#place.top, this.#extent));
    const column = plan.all[place];
    if (column !== undefined && !column.pinned) {
      const width = scroll.clientWidth - plan.pinnedWidth;
      const right = column.left + column.width;
      if (column.left < scroll.scrollLeft || column.width > width) scroll.scrollLeft = column.left;
      else if (right > scroll.scrollLeft + width) scroll.scrollLeft = right - width;
    }
    this.#paint();
  }

  #key(event: KeyboardEvent): void {
    // A button in a head has its own keys.
    if (event.target instanceof HTMLElement && event.target.closest("button") !== null && event.key !== "Escape")
      return;
    const action = keyAction(event, {
      active: this.#model.active,
      rows: this.#model.shown.count,
      columns: this.#model.plan.all.length,
      page: Math.max(1, Math.floor(this.#extent.view / SIZES.row) - 1),
    });
    if (action === undefined) return;
    event.preventDefault();
    this.#do(action);
  }

  #do(action: KeyAction): void {
    const model = this.#model;
    const { table, active, activeColumn } = model;
    switch (action.kind) {
      case "move":
        return this.#move(action.to, action.extend);
      case "toggle":
        model.setAnchor(active.position);
        return this.#handlers.select(selectedAfter("toggle", this.#selecting(active.position)));
      case "select-all":
        return this.#handlers.select(table.filtered);
      case "clear":
        return table.selected.isEmpty ? undefined : this.#handlers.select(new Bits(table.rowCount));
      case "sort":
        return activeColumn && model.setSort(sortedBy(model.look.sort, activeColumn.column.name, action.more));
      case "menu":
        return activeColumn && this.#handlers.openMenu(activeColumn);
      case "edit":
        return this.#handlers.edit(active);
      case "erase":
        return this.#handlers.erase(active);
      case "find":
        return this.#handlers.find();
      case "resize": {
        if (activeColumn === undefined) return;
        const step = action.wider ? SIZES.widthStep : -SIZES.widthStep;
        return model.setWidth(activeColumn.column.name, clampWidth(activeColumn.width + step));
      }
    }
  }

  #move(to: ActiveCell, extend: boolean): void {
    const model = this.#model;
    if (extend && model.anchor < 0) model.setAnchor(Math.max(0, model.active.position));
    this.moveTo(to);
    if (extend && to.position >= 0) this.#handlers.select(selectedAfter("range", this.#selecting(to.position)));
    else model.setAnchor(-1);
  }

  #selecting(position: number, selected = this.#model.table.selected): Parameters<typeof selectedAfter>[1] {
    return { selected, shown: this.#model.shown, anchor: this.#model.anchor, position };
  }

  /** The cell under the pointer; above and below the rows the nearest one. */
  #cellAt(event: MouseEvent): ActiveCell | undefined {
    const { shown, active } = this.#model;
    const box = this.#elements.body.getBoundingClientRect();
    const y = Math.max(0, Math.min(box.height - 1, event.clientY - box.top));
    const position = Math.floor((y + this.#place.top) / SIZES.row);
    if (position >= shown.count) return undefined;
    return { position, place: this.#columnAt(event)?.place ?? active.place };
  }

  #columnAt(event: MouseEvent): PlacedColumn | undefined {
    const { plan } = this.#model;
    const x = event.clientX - this.#elements.body.getBoundingClientRect().left;
    const inside = (at: number) => (column: PlacedColumn) => at >= column.left && at < column.left + column.width;
    return x < plan.pinnedWidth
      ? plan.pinned.find(inside(x))
      : plan.free.find(inside(x - plan.pinnedWidth + this.#painter.area.left));
  }

  #pressed(event: PointerEvent): void {
    if (event.button !== 0 || event.pointerType === "touch") return;
    const cell = this.#cellAt(event);
    if (cell === undefined) return;
    event.preventDefault();
    this.#elements.body.setPointerCapture(event.pointerId);
    this.#choose(cell, selectHow(event));
  }

  #choose(cell: ActiveCell, how: SelectHow): void {
    const model = this.#model;
    const from = model.table.selected;
    const ranged = how === "range" || how === "range-more";
    if (!ranged || model.anchor < 0) model.setAnchor(ranged ? Math.max(0, model.active.position) : cell.position);
    this.#dragging = { how: how === "only" ? "range" : how === "toggle" ? "range-more" : how, from };
    this.moveTo(cell);
    model.setPreview(selectedAfter(how, this.#selecting(cell.position, from)));
  }

  #pointed(event: PointerEvent): void {
    if (event.pointerType === "touch") return;
    const cell = this.#cellAt(event);
    this.#tip(event.target);
    if (this.#dragging === undefined) {
      const row = cell === undefined ? -1 : this.#model.shown.at(cell.position);
      return this.#model.table.setHoverRow(row);
    }
    const anchor = this.#model.anchor;
    const box = this.#elements.body.getBoundingClientRect();
    if (event.clientY > box.bottom - 4 || event.clientY < box.top + 4) {
      const step = event.clientY < box.top + 4 ? -SIZES.row : SIZES.row;
      this.#setPlace(this.#place.top + step);
      this.#paint();
    }
    if (cell === undefined || cell.position === this.#model.active.position) return;
    this.#model.setActive({ ...this.#model.active, position: cell.position });
    const { how, from } = this.#dragging;
    this.#model.setAnchor(anchor);
    this.#model.setPreview(selectedAfter(how, this.#selecting(cell.position, from)));
  }

  #released(event: PointerEvent): void {
    if (this.#dragging === undefined) return;
    const rows = this.#model.selected;
    this.#elements.body.releasePointerCapture(event.pointerId);
    this.#dropped();
    this.#handlers.select(rows);
    this.moveTo(this.#model.active);
  }

  #dropped(): void {
    this.#dragging = undefined;
    this.#model.setPreview(undefined);
  }

  /** A finger scrolls; only a tap chooses. */
  #tapped(event: MouseEvent): void {
    if (!(event instanceof PointerEvent) || event.pointerType !== "touch") return;
    const cell = this.#cellAt(event);
    if (cell === undefined) return;
    this.#model.setAnchor(cell.position);
    this.moveTo(cell);
    this.#handlers.select(selectedAfter("only", this.#selecting(cell.position)));
  }

  #twice(event: MouseEvent): void {
    const cell = this.#columnAt(event) === undefined ? undefined : this.#cellAt(event);
    if (cell !== undefined) this.#handlers.edit(cell);
  }

  /** Shows the whole of a text that is cut. */
  #tip(target: EventTarget | null): void {
    if (!(target instanceof HTMLElement) || target === this.#tipped) return;
    this.#tipped?.removeAttribute("title");
    this.#tipped = undefined;
    if (!target.classList.contains("wb-cell") || target.scrollWidth <= target.clientWidth) return;
    target.title = target.textContent ?? "";
    this.#tipped = target;
  }

  #copy(event: ClipboardEvent): void {
    event.preventDefault();
    const copied = copiedFrom(this.#model);
    if (copied === undefined) return;
    event.clipboardData?.setData("text/plain", copied.text);
    this.#handlers.tell(copied.words);
  }
}
