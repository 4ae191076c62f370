import type * as DG from "datagrok-api/dg";
import type * as grokApi from "datagrok-api/grok";
import type { Subject as SubjectType } from "rxjs";
import { Viewer, type DataFrame } from "./data.ts";

const { Subject } = (globalThis as unknown as { readonly rxjs: { readonly Subject: new <T>() => SubjectType<T> } })
  .rxjs;

export class TableView implements Pick<
  DG.TableView,
  "type" | "name" | "close" | "getRibbonPanels" | "setRibbonPanels"
> {
  readonly type = "TableView";
  /** What the platform wraps: the same for every wrapper of a view. */
  readonly dart = {};
  name: string;
  readonly dataFrame: DataFrame;
  readonly #viewers: Viewer[] = [new Viewer("Grid")];
  #ribbons: HTMLElement[][] = [];
  readonly #shell: Shell;

  constructor(dataFrame: DataFrame, shell: Shell) {
    this.dataFrame = dataFrame;
    this.name = dataFrame.name;
    this.#shell = shell;
  }

  get viewers(): Viewer[] {
    return [...this.#viewers];
  }

  addViewer(type: string, look: object = {}): Viewer {
    const viewer = new Viewer(type, look);
    this.#viewers.push(viewer);
    return viewer;
  }

  getRibbonPanels(): HTMLElement[][] {
    return this.#ribbons;
  }

  setRibbonPanels(panels: HTMLElement[][]): void {
    this.#ribbons = panels;
  }

  close(): void {
    this.#shell.remove(this);
  }
}

export class Shell implements Pick<grokApiShell, "info" | "error" | "warning"> {
  readonly #views: TableView[] = [];
  #current: TableView | null = null;
  /** What the person was told, for tests. */
  readonly told: string[] = [];
  readonly added = new Subject<TableView>();
  readonly removed = new Subject<TableView>();
  readonly changed = new Subject<object>();
  readonly closed = new Subject<HTMLElement>();

  get v(): TableView | null {
    return this.#current;
  }

  set v(view: TableView | null) {
    const previous = this.#current;
    this.#current = view;
    this.changed.next({ args: { previous, current: view } });
  }

  get tv(): TableView | null {
    return this.#current;
  }

  get tableViews(): Iterable<TableView> {
    return this.#views.values();
  }

  addTableView(table: DataFrame): TableView {
    const view = new TableView(table, this);
    this.#views.push(view);
    this.added.next(view);
    this.v = view;
    return view;
  }

  remove(view: TableView): void {
    const index = this.#views.indexOf(view);
    if (index === -1) return;
    this.#views.splice(index, 1);
    this.removed.next(view);
    if (this.#current === view) this.v = this.#views.at(-1) ?? null;
  }

  readonly dockManager = {
    dock: (element: HTMLElement, dockType: `${DG.DOCK_TYPE}`, _node: null, title: string, ratio: number): void => {
      const pane = document.createElement("section");
      pane.title = title;
      pane.dataset["dock"] = `${dockType} ${ratio}`;
      pane.append(element);
      document.body.append(pane);
    },
    close: (element: HTMLElement): void => {
      element.parentElement?.remove();
      element.remove();
      this.closed.next(element);
    },
    onClosed: this.closed,
  };

  info(words: unknown): void {
    this.told.push(`info: ${String(words)}`);
  }

  error(words: string | HTMLElement): void {
    this.told.push(`error: ${textOf(words)}`);
  }

  warning(words: string | HTMLElement): void {
    this.told.push(`warning: ${textOf(words)}`);
  }
}

type grokApiShell = typeof grokApi.shell;

function textOf(words: string | HTMLElement): string {
  return typeof words === "string" ? words : words.textContent;
}

export class Events implements Pick<typeof grokApi.events, "fireCustomEvent"> {
  readonly onViewAdded: SubjectType<TableView>;
  readonly onViewRemoved: SubjectType<TableView>;
  readonly onCurrentViewChanged: SubjectType<object>;
  readonly #custom = new Map<string, SubjectType<unknown>>();

  constructor(shell: Shell) {
    this.onViewAdded = shell.added;
    this.onViewRemoved = shell.removed;
    this.onCurrentViewChanged = shell.changed;
  }

  onCustomEvent(id: string): SubjectType<unknown> {
    const known = this.#custom.get(id) ?? new Subject<unknown>();
    this.#custom.set(id, known);
    return known;
  }

  fireCustomEvent(id: string, args: unknown): void {
    this.onCustomEvent(id).next(args);
  }
}
