import { ChangeListeners } from "../data/listeners.ts";
import { ReadError, type JsonChoice } from "../data/read/error.ts";
import { importTable, isTextTable, type ImportMisfits, type TextImportOptions } from "../data/read/import.ts";
import { readTable, readUrl, type ReadTableOptions } from "../data/read/index.ts";
import type { Table } from "../data/table.ts";
import { importLines, importedWords } from "../model/import-words.ts";
import { layoutKey, saveLayout, type SavedLayout } from "../model/layout.ts";
import type { LayoutStore } from "../model/layout-store.ts";
import type { OpenWorkbench } from "../model/open.ts";
import { readLink, type LinkedTable, type TableSource } from "../model/permalink.ts";
import type { Actor, View } from "../model/workbench.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { SAMPLES, type Sample } from "../samples/index.ts";
import type { GridLooks } from "./grid-looks.ts";

/** What is being read, or failed last. */
export interface OpeningState {
  readonly reading?: { readonly name: string; readonly share: number } | undefined;
  readonly trouble?: { readonly name: string; readonly words: string; readonly again?: ImportAgain } | undefined;
  /** What a person should know of what was read. */
  readonly notes?:
    | { readonly name: string; readonly lines: readonly string[]; readonly again?: ImportAgain }
    | undefined;
  /** Tables that were open before the page was loaded again. */
  readonly restored?:
    | {
        readonly tables: number;
        readonly filters: number;
        readonly failed: readonly string[];
        /** Steps that can still be taken back. */
        readonly steps: number;
      }
    | undefined;
  /** The file has several lists: a person chooses the table. */
  readonly choice?: OpeningChoice | undefined;
}

/** A text file that can be read in another way. */
export interface ImportAgain {
  readonly file: File;
  /** The view that replaces it. Absent: it was not opened. */
  readonly replaces?: string | undefined;
}

export interface OpeningChoice {
  readonly name: string;
  readonly choices: readonly JsonChoice[];
  readonly pick: (part: string) => void;
}

interface OpenOptions {
  readonly signal: AbortSignal;
  readonly progress: (share: number) => void;
  readonly notes: (notes: readonly string[]) => void;
  readonly part: string | undefined;
}

interface TrackedView {
  /** The key of its layout; columns that are added later do not change it. */
  readonly key: string;
  /** As it was last seen. Absent: it is closed. */
  readonly view: View | undefined;
  /** Absent: only this browser has it. */
  readonly source: TableSource | undefined;
}

type ReadTable = (options: OpenOptions) => Table | Promise<Table>;

interface ReadSettings {
  readonly part?: string | undefined;
  /** The text file that is read. Absent: it has no reading options. */
  readonly file?: File | undefined;
  /** The view that is closed once the table is open. */
  readonly replaces?: string | undefined;
  readonly source?: TableSource | undefined;
  /** How the table is looked at. Absent: as it was last. */
  readonly layout?: SavedLayout | undefined;
}

/** Opens tables in the workbench, with the layouts that were kept for them. One at a time. */
export class TableOpener {
  readonly #workbench: OpenWorkbench;
  readonly #layouts: LayoutStore;
  readonly #gridLooks: GridLooks;
  readonly #listeners = new ChangeListeners();
  /** By view. A view that was closed may come back with undo: its key stays. */
  readonly #tracked = new Map<string, TrackedView>();
  #state: OpeningState = {};
  #stop: AbortController | undefined;
  #saving: ReturnType<typeof setTimeout> | undefined;

  constructor(options: {
    readonly workbench: OpenWorkbench;
    readonly layouts: LayoutStore;
    readonly gridLooks: GridLooks;
  }) {
    this.#workbench = options.workbench;
    this.#layouts = options.layouts;
    this.#gridLooks = options.gridLooks;
    this.#workbench.subscribe(() => {
      this.#saveClosed();
      this.#saveSoon();
    });
    this.#gridLooks.subscribe(() => this.#saveSoon());
  }

  readonly subscribe = this.#listeners.add;

  readonly state = (): OpeningState => this.#state;

  readonly cancel = (): void => this.#stop?.abort();

  readonly dismiss = (): void => this.#set({});

  async files(files: readonly File[]): Promise<void> {
    for (const file of files) {
      const tooLarge = file.size > WORKBENCH_LIMITS.fileBytes;
      const isText = !tooLarge && (await isTextTable(file).catch(() => false));
      const read: ReadTable = (options) => {
        if (tooLarge)
          throw new Error(
            `The file has ${megabytes(file.size)} MB; up to ${megabytes(WORKBENCH_LIMITS.fileBytes)} MB can be opened in a browser. Cut it, or query it on the server with SQL.`,
          );
        return readTable(file, options);
      };
      if (!(await this.#read(file.name, read, isText ? { file } : {}))) return;
    }
  }

  /** Reads a text file as a person said, and reports what did not fit. */
  async importFile({ file, replaces }: ImportAgain, options: TextImportOptions): Promise<boolean> {
    const read: ReadTable = async (reading) => {
      const lines: string[] = [];
      const notes = (notes: readonly string[]): void => void lines.push(...notes);
      const misfits = (found: readonly ImportMisfits[]): void => void lines.push(...importLines(found));
      const table = await importTable(file, { ...options, ...reading, notes, misfits });
      reading.notes([importedWords(table), ...(lines.length === 0 ? ["All values fit."] : lines)]);
      return table;
    };
    return await this.#read(file.name, read, { file, replaces });
  }

  /** Only from this server: the page may not load anything from elsewhere. */
  async url(address: string): Promise<boolean> {
    const source = { kind: "address", address } as const;
    return await this.#read(address, (options) => this.readAddress(address, options), { source });
  }

  /** Opens what a link names. An error is shown like that of a file. */
  async link(hash: string): Promise<void> {
    let linked: LinkedTable | undefined;
    try {
      linked = await readLink(hash);
    } catch (error) {
      this.#set({ trouble: { name: "Link", words: wordsOf(error) } });
    }
    if (linked !== undefined) await this.open(linked);
  }

  /** What everybody can open. False: it could not be read; a note says why. */
  async open({ source, layout }: LinkedTable): Promise<boolean> {
    const sample = source.kind === "sample" ? SAMPLES.find(({ id }) => id === source.id) : undefined;
    const name = source.kind === "address" ? source.address : (sample?.title ?? source.id);
    const read: ReadTable = (options) => {
      if (source.kind === "address") return this.readAddress(source.address, options);
      if (sample === undefined) throw new Error("There is no such sample any more.");
      return sample.make();
    };
    return await this.#read(name, read, { source, layout });
  }

  /** Tells the person something about what was opened. */
  say(name: string, lines: readonly string[]): void {
    this.#set({ notes: { name, lines } });
  }

  /** The columns that a view's table was opened with; a layout is kept for these. */
  openedWith(viewId: string): string | undefined {
    return this.#tracked.get(viewId)?.key;
  }

  /** The source of a view's table. Undefined: others cannot open it. */
  sourceOf(viewId: string): TableSource | undefined {
    return this.#tracked.get(viewId)?.source;
  }

  /** Reads a file of this server without opening it. Throws an error for people if it is on another server. */
  async readAddress(address: string, options: ReadTableOptions): Promise<Table> {
    const url = new URL(address, globalThis.location.href);
    if (url.origin !== globalThis.location.origin)
      throw new Error(
        `Only addresses of ${globalThis.location.origin} can be opened. Download the file and drop it here instead.`,
      );
    return await readUrl(url.href, options);
  }

  async sample(sample: Sample): Promise<void> {
    await this.#read(
      sample.title,
      async () => {
        // Lets the page paint the progress before the work begins.
        await new Promise((done) => setTimeout(done, 30));
        return sample.make();
      },
      { source: { kind: "sample", id: sample.id } },
    );
  }

  /** Opens an existing table. Returns words if its kept layout no longer fits. */
  table(table: Table, { source, layout }: Pick<ReadSettings, "source" | "layout"> = {}): string | undefined {
    const key = layoutKey(table);
    const view = this.add(table, "person", source);
    const kept = this.#layouts.kept(key);
    // A filter of another day would hide rows without a word.
    const wanted = layout ?? (kept === undefined ? undefined : { ...kept, filters: [] });
    try {
      if (wanted !== undefined) this.apply(view.id, wanted);
      return undefined;
    } catch (error) {
      const which = layout === undefined ? `kept for ${table.name}` : "in the link";
      return `The layout ${which} does not fit any more: ${wordsOf(error)}`;
    }
  }

  /** Opens a table, under a name that no other open one has. */
  add(table: Table, by: Actor, source?: TableSource): View {
    const key = layoutKey(table);
    const taken = new Set(this.#workbench.views.map((view) => view.table.name));
    if (taken.has(table.name)) table.rename(freeName(table.name, taken));
    const view = this.#workbench.addTable(table, by);
    this.#tracked.set(view.id, { key, view, source });
    return view;
  }

  /** A view that came back with the page: its layout is kept like those of others. */
  track(view: View, source: TableSource | undefined): void {
    this.#tracked.set(view.id, { key: layoutKey(view.table), view, source });
  }

  /** Says what came back with the page. */
  restored(what: Omit<NonNullable<OpeningState["restored"]>, "filters">): void {
    const filters = this.#workbench.views.reduce((sum, { table }) => sum + table.filters.size, 0);
    this.#set({ restored: { ...what, filters } });
  }

  /** Throws words where the layout does not fit, and changes nothing. */
  apply(viewId: string, layout: SavedLayout): void {
    this.#workbench.applyLayout(viewId, layout, "person");
    if (layout.grid !== undefined) this.#gridLooks.restore(viewId, layout.grid);
  }

  /** The state of a view that is kept. */
  layoutOf(view: View): SavedLayout {
    const look = this.#gridLooks.get(view.id)?.look;
    if (look === undefined) return saveLayout(view);
    const { widths, hidden, pinned, coloured = [], sort } = look;
    return saveLayout(view, {
      widths: { ...widths },
      hidden: [...hidden],
      pinned: [...pinned],
      ...(coloured.length === 0 ? {} : { coloured: [...coloured] }),
      sort: sort.map(({ column, descending }) => ({ column, descending })),
    });
  }

  async #read(name: string, work: ReadTable, settings: ReadSettings = {}): Promise<boolean> {
    const { part, file, replaces, source, layout } = settings;
    this.#stop?.abort();
    const stop = new AbortController();
    this.#stop = stop;
    this.#set({ reading: { name, share: 0 } });
    const lines: string[] = [];
    try {
      const table = await work({
        signal: stop.signal,
        progress: (share) => this.#stop === stop && this.#set({ reading: { name, share } }),
        notes: (notes) => lines.push(...notes),
        part,
      });
      stop.signal.throwIfAborted();
      if (replaces !== undefined && this.#workbench.views.some(({ id }) => id === replaces))
        this.#workbench.closeView(replaces, "person");
      const words = this.table(table, { source, layout });
      const again = file === undefined ? {} : { again: { file, replaces: this.#workbench.current?.id } };
      if (words !== undefined) this.#set({ trouble: { name, words } });
      else this.#set(lines.length === 0 ? {} : { notes: { name, lines, ...again } });
      return true;
    } catch (error) {
      if (this.#stop === stop) this.#set(stop.signal.aborted ? {} : this.#failed(name, work, { error, file }));
      return false;
    }
  }

  #failed(name: string, work: ReadTable, { error, file }: { error: unknown; file: File | undefined }): OpeningState {
    const choices = error instanceof ReadError ? error.choices : undefined;
    const again = file === undefined ? {} : { again: { file } };
    if (choices === undefined) return { trouble: { name, words: wordsOf(error), ...again } };
    const pick = (part: string): void => {
      void this.#read(name, work, { part });
    };
    return { choice: { name, choices, pick } };
  }

  /** The page is closing: stores at once what waits to be stored. */
  saveNow(): void {
    if (this.#saving === undefined) return;
    clearTimeout(this.#saving);
    this.#saving = undefined;
    for (const { key, view } of this.#tracked.values()) if (view !== undefined) this.#keep(key, view);
  }

  /** The layout of a view that was just closed is kept at once: later it is not among the open ones any more. */
  #saveClosed(): void {
    const open = new Map(this.#workbench.views.map((view) => [view.id, view]));
    for (const [id, { key, view, source }] of this.#tracked) {
      if (view !== undefined && !open.has(id)) this.#keep(key, view);
      this.#tracked.set(id, { key, view: open.get(id), source });
    }
  }

  #keep(key: string, view: View): void {
    try {
      this.#layouts.keep(key, this.layoutOf(view));
    } catch {
      // No room, or too large: storing automatically is best effort.
    }
  }

  #saveSoon(): void {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.saveNow(), WORKBENCH_LIMITS.layoutSaveMs);
  }

  #set(state: OpeningState): void {
    this.#state = state;
    this.#listeners.tell();
  }
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  let number = 2;
  while (taken.has(`${name} (${number})`)) number += 1;
  return `${name} (${number})`;
}

const megabytes = (bytes: number): string => Math.round(bytes / 1e6).toLocaleString("en-US");

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
