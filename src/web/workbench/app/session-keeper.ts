import { ChangeListeners } from "../data/listeners.ts";
import type { Column } from "../data/column.ts";
import type { FilterSpec } from "../data/filter.ts";
import { newTable } from "../data/make.ts";
import { PLAIN_LOOK, type GridLook } from "../grid/look.ts";
import { GRID, stackOf } from "../model/dock.ts";
import { historyRecordOf, loggedActionsOf, type HistoryRecord } from "../model/history-record.ts";
import { newId } from "../model/ids.ts";
import type { OpenWorkbench, RestoredSession } from "../model/open.ts";
import { momentOf } from "../model/path-values.ts";
import { UndoLog } from "../model/undo-log.ts";
import type { GridLooks } from "./grid-looks.ts";
import { bytesOf, recordOf, restoreRows, roomFor, type ViewRecord } from "../model/session-record.ts";
import type { View } from "../model/workbench.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import type { KeptAnswer } from "../sql/use-query.ts";
import type { TableOpener } from "./opening.ts";
import type { SessionStore } from "./session-store.ts";

interface KeeperOptions {
  readonly workbench: OpenWorkbench;
  readonly opening: TableOpener;
  readonly gridLooks: Pick<GridLooks, "get" | "restore">;
  /** Rejects where the browser stores nothing. */
  readonly store: Promise<SessionStore>;
  /** The id of this browser tab; another one where a second tab has the same. */
  readonly tab: Promise<string>;
  readonly now: () => number;
}

const DAY_MS = 86_400_000;

/** Stores the open tables in the browser, and brings them back when the page is loaded again. */
export class SessionKeeper {
  readonly #options: KeeperOptions;
  readonly #keys = new WeakMap<Column, string>();
  /** By view: the key of its record. */
  readonly #recordKeys = new Map<string, string>();
  /** By view: the columns that are stored. */
  readonly #stored = new Map<string, readonly Column[]>();
  readonly #listeners = new ChangeListeners();
  readonly #log: UndoLog;
  /** The keys of columns that only steps need. */
  #historyKeys: ReadonlySet<string> = new Set();
  #answer: KeptAnswer | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
    const { workbench, gridLooks } = options;
    this.#log = new UndoLog({
      moment: () => momentOf(workbench.views, workbench.current?.id, (id) => gridLooks.get(id)?.look),
      actions: () => workbench.actions,
      actOf: (id) => workbench.actOf(id),
    });
  }

  /** The answer of the query that was shown before the page was loaded again. */
  readonly answer = (): KeptAnswer | undefined => this.#answer;

  readonly subscribe = this.#listeners.add;

  /** Whether all that is open would be there again after a reload. */
  get isSafe(): boolean {
    return this.#options.workbench.views.every(({ id, table }) => this.#stored.get(id) === table.columns);
  }

  /** Brings back what was open in this tab, then stores every change. */
  async start(): Promise<void> {
    await this.#restore().catch(() => {});
    this.#options.workbench.subscribe(() => this.changed());
    this.changed();
  }

  /** Something changed: it is stored soon. */
  changed(): void {
    this.#log.changed();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#saveInTurn(), WORKBENCH_LIMITS.layoutSaveMs);
  }

  /** The page is closing: starts at once what waits. */
  saveNow(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#saveInTurn();
  }

  /** Closes all tables, and deletes what the browser stores of this tab. */
  async forget(): Promise<void> {
    const { workbench, store, tab } = this.#options;
    for (const { id } of workbench.views) workbench.closeView(id, "person");
    workbench.restore({ views: [], shown: undefined, entries: [], takenBack: [], restoreGrid: () => undefined });
    this.#stored.clear();
    this.#recordKeys.clear();
    this.#setAnswer(undefined);
    const [open, own] = await Promise.all([store, tab]);
    await open.remove((await open.views()).filter((record) => record.tab === own));
    await open.removeHistories([own], [...this.#historyKeys]);
    await open.removeAnswer(own);
    this.#historyKeys = new Set();
  }

  /** Stores the answer of a query; a large one is not stored. */
  keepAnswer({ tab: query, sql, answer }: KeptAnswer): void {
    const { name, columns } = answer.table;
    if (bytesOf(columns) > WORKBENCH_LIMITS.keptAnswerBytes) return;
    const { store, tab } = this.#options;
    Promise.all([store, tab])
      .then(([open, own]) =>
        open.putAnswer({ tab: own, query, sql, name, columns, isCut: answer.isCut, ms: answer.ms }),
      )
      .catch(() => {});
  }

  #saveInTurn(): void {
    this.#timer = undefined;
    this.#last = this.#last.then(() => this.#save()).catch(() => {});
  }

  async #restore(): Promise<void> {
    const [store, tab] = await Promise.all([this.#options.store, this.#options.tab]);
    const all = await store.views();
    const oldest = this.#options.now() - WORKBENCH_LIMITS.keptDays * DAY_MS;
    await store.remove(all.filter((record) => record.tab !== tab && record.at < oldest));
    const steps = await this.#storedSteps(store, { tab, oldest });
    const answer = await store.answer(tab);
    if (answer !== undefined) {
      const { query, sql, name, columns, isCut, ms } = answer;
      this.#setAnswer({ tab: query, sql, answer: { table: newTable(name, columns), isCut, ms } });
    }
    const own = all.filter((record) => record.tab === tab).toSorted((left, right) => left.place - right.place);
    const columns = new Map<string, Column>();
    const restored: { readonly view: View; readonly record: ViewRecord }[] = [];
    const failed: string[] = [];
    for (const record of own) {
      try {
        restored.push({ view: await this.#restoredView(store, record, columns), record });
      } catch {
        failed.push(record.name);
        await store.remove([record]);
      }
    }
    // Steps on a table that is not there could not be taken back.
    const history = failed.length > 0 ? undefined : await this.#restoredSteps(store, steps, columns);
    this.#open(restored, history);
    if (own.length > 0)
      this.#options.opening.restored({ tables: restored.length, failed, steps: history?.entries.length ?? 0 });
  }

  /** The steps of this tab; those of tabs that are gone are deleted. */
  async #storedSteps(
    store: SessionStore,
    { tab, oldest }: { readonly tab: string; readonly oldest: number },
  ): Promise<HistoryRecord | undefined> {
    const histories = await store.histories();
    const others = histories.filter((one) => one.tab !== tab).toSorted((left, right) => right.at - left.at);
    const gone = others.filter(({ at }, index) => at < oldest || index >= WORKBENCH_LIMITS.keptHistories - 1);
    const inViews = new Set((await store.views()).flatMap(({ columnKeys }) => columnKeys));
    await store.removeHistories(
      gone.map((one) => one.tab),
      gone.flatMap(({ columnKeys }) => columnKeys.filter((key) => !inViews.has(key))),
    );
    return histories.find((one) => one.tab === tab);
  }

  async #restoredSteps(
    store: SessionStore,
    record: HistoryRecord | undefined,
    columns: Map<string, Column>,
  ): Promise<Pick<RestoredSession, "entries" | "takenBack"> | undefined> {
    if (record === undefined) return undefined;
    const open = new Set(columns.keys());
    try {
      const keys = record.columnKeys.filter((key) => !columns.has(key));
      for (const [at, column] of (await store.columns(keys)).entries()) this.#know(column, keys[at] ?? "", columns);
      const columnOf = (key: string): Column => {
        const column = columns.get(key);
        if (column === undefined) throw new Error(`the column ${key} is not stored`);
        return column;
      };
      const entries = loggedActionsOf(record, columnOf);
      this.#historyKeys = new Set(record.columnKeys.filter((key) => !open.has(key)));
      return { entries, takenBack: record.takenBack };
    } catch {
      await store.removeHistories(
        [record.tab],
        record.columnKeys.filter((key) => !open.has(key)),
      );
      return undefined;
    }
  }

  #know(column: Column, key: string, columns: Map<string, Column>): void {
    this.#keys.set(column, key);
    columns.set(key, column);
  }

  async #restoredView(store: SessionStore, record: ViewRecord, known: Map<string, Column>): Promise<View> {
    const { workbench } = this.#options;
    const columns = await store.columns(record.columnKeys);
    columns.forEach((column, at) => this.#know(column, record.columnKeys[at] ?? "", known));
    const table = newTable(record.name, columns);
    const plain: View = { id: record.viewId ?? newId("view"), table, viewers: [], dock: stackOf(GRID) };
    try {
      const { dock, filters } = record.layout;
      table.setFilters(new Map<string, FilterSpec>(filters));
      const viewers = workbench.viewersOf(table, record.layout);
      restoreRows(table, record);
      return { ...plain, viewers, dock };
    } catch {
      // The rows are there, but not their layout.
      return plain;
    }
  }

  #open(
    restored: readonly { readonly view: View; readonly record: ViewRecord }[],
    history: Pick<RestoredSession, "entries" | "takenBack"> | undefined,
  ): void {
    const { workbench, opening, gridLooks } = this.#options;
    if (restored.length === 0 && history === undefined) return;
    for (const { view, record } of restored) {
      if (record.layout.grid !== undefined) gridLooks.restore(view.id, record.layout.grid);
      this.#recordKeys.set(view.id, record.key);
      this.#stored.set(view.id, view.table.columns);
    }
    const { entries = [], takenBack = [] } = history ?? {};
    workbench.restore({
      views: restored.map(({ view }) => view),
      shown: restored.find(({ record }) => record.isCurrent)?.view.id,
      entries,
      takenBack,
      restoreGrid: (id, grid) => gridLooks.restore(id, { ...PLAIN_LOOK, ...(grid as Partial<GridLook> | undefined) }),
    });
    for (const { view, record } of restored) opening.track(view, record.source);
    this.#log.restore(entries);
  }

  async #save(): Promise<void> {
    const [store, tab] = await Promise.all([this.#options.store, this.#options.tab]);
    const { views } = this.#options.workbench;
    const records = await store.views();
    const open = new Set(views.map(({ id }) => this.#recordKeys.get(id)));
    const closed = records.filter((record) => record.tab === tab && !open.has(record.key));
    const steps = this.#steps(tab);
    const kept = new Set(steps.record.columnKeys);
    await store.remove(closed, kept);
    const standing = new Map(
      records.filter((record) => !closed.includes(record)).map((record) => [record.key, record]),
    );
    for (const [place, view] of views.entries()) await this.#saveView(store, { view, place, tab, standing, kept });
    await this.#saveSteps(store, steps);
  }

  /** What was done, with the columns that it needs. */
  #steps(tab: string): ReturnType<typeof historyRecordOf> {
    const { workbench, now } = this.#options;
    const open = new Set(workbench.views.flatMap(({ table }) => table.columns));
    return historyRecordOf(this.#log.entries, {
      tab,
      at: now(),
      takenBack: workbench.takenBack,
      keyOf: (column) => this.#keyOf(column, tab),
      isOpen: (column) => open.has(column),
    });
  }

  async #saveSteps(store: SessionStore, { record, columns }: ReturnType<typeof historyRecordOf>): Promise<void> {
    const inViews = new Set(
      this.#options.workbench.views.flatMap(({ id }) =>
        (this.#stored.get(id) ?? []).map((column) => this.#keyOf(column, record.tab)),
      ),
    );
    const wanted = new Set(record.columnKeys.filter((key) => !inViews.has(key)));
    const added = new Map([...columns].filter(([key]) => wanted.has(key) && !this.#historyKeys.has(key)));
    const gone = [...this.#historyKeys].filter((key) => !wanted.has(key) && !inViews.has(key));
    await store.putHistory(record, { added, gone });
    this.#historyKeys = wanted;
  }

  async #saveView(
    store: SessionStore,
    {
      view,
      place,
      tab,
      standing,
      kept,
    }: {
      readonly view: View;
      readonly place: number;
      readonly tab: string;
      readonly standing: Map<string, ViewRecord>;
      /** Keys of columns that steps need. */
      readonly kept: ReadonlySet<string>;
    },
  ): Promise<void> {
    const { workbench, opening, now } = this.#options;
    const key = this.#recordKeys.get(view.id) ?? this.#newKey(tab);
    const { columns } = view.table;
    const columnKeys = columns.map((column) => this.#keyOf(column, tab));
    const before = standing.get(key);
    const record = recordOf(view, {
      key,
      tab,
      at: now(),
      place,
      isCurrent: workbench.current?.id === view.id,
      columnKeys,
      layout: opening.layoutOf(view),
      source: opening.sourceOf(view.id),
    });
    const others = [...standing.values()].filter((other) => other.key !== key);
    const gone = roomFor(record.bytes, others, { tab, limit: WORKBENCH_LIMITS.keptBytes });
    if (gone === undefined) {
      this.#stored.delete(view.id);
      return;
    }
    await store.remove(gone);
    for (const other of gone) standing.delete(other.key);
    const known = new Set(before?.columnKeys ?? []);
    const added = new Map(columnKeys.map((one, at) => [one, columns[at]] as const).filter(isNew(known)));
    await store.put(record, { added, gone: [...known].filter((one) => !columnKeys.includes(one) && !kept.has(one)) });
    standing.set(key, record);
    this.#recordKeys.set(view.id, key);
    this.#stored.set(view.id, columns);
  }

  #keyOf(column: Column, tab: string): string {
    const known = this.#keys.get(column);
    if (known !== undefined) return known;
    const key = this.#newKey(tab);
    this.#keys.set(column, key);
    return key;
  }

  #newKey(tab: string): string {
    this.#count += 1;
    return `${tab}/${this.#options.now().toString(36)}-${this.#count}`;
  }

  #setAnswer(answer: KeptAnswer | undefined): void {
    this.#answer = answer;
    this.#listeners.tell();
  }
}

function isNew(known: ReadonlySet<string>) {
  return (entry: readonly [string, Column | undefined]): entry is readonly [string, Column] =>
    entry[1] !== undefined && !known.has(entry[0]);
}
