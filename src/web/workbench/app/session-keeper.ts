import { ChangeListeners } from "../data/listeners.ts";
import type { Column } from "../data/column.ts";
import { newTable } from "../data/make.ts";
import type { OpenWorkbench } from "../model/open.ts";
import { bytesOf, recordOf, restoreRows, roomFor, type ViewRecord } from "../model/session-record.ts";
import type { View } from "../model/workbench.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import type { SqlTable } from "../sql/engine.ts";
import type { TableOpener } from "./opening.ts";
import type { SessionStore } from "./session-store.ts";

interface KeptAnswer {
  readonly sql: string;
  readonly answer: SqlTable;
}

interface KeeperOptions {
  readonly workbench: OpenWorkbench;
  readonly opening: TableOpener;
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
  #answer: KeptAnswer | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #last: Promise<void> = Promise.resolve();
  #count = 0;

  constructor(options: KeeperOptions) {
    this.#options = options;
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

  /** Something is another: it is stored soon. */
  changed(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#saveInTurn(), WORKBENCH_LIMITS.layoutSaveMs);
  }

  /** The page goes away: what waits is begun at once. */
  saveNow(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#saveInTurn();
  }

  /** Closes all tables, and deletes what the browser stores of this tab. */
  async forget(): Promise<void> {
    const { workbench, store, tab } = this.#options;
    for (const { id } of workbench.views) workbench.closeView(id, "person");
    this.#stored.clear();
    this.#recordKeys.clear();
    this.#setAnswer(undefined);
    const [open, own] = await Promise.all([store, tab]);
    await open.remove((await open.views()).filter((record) => record.tab === own));
    await open.removeAnswer(own);
  }

  /** Stores the answer of a query; a large one is not stored. */
  keepAnswer({ sql, answer }: KeptAnswer): void {
    const { name, columns } = answer.table;
    if (bytesOf(columns) > WORKBENCH_LIMITS.keptAnswerBytes) return;
    const { store, tab } = this.#options;
    Promise.all([store, tab])
      .then(([open, own]) => open.putAnswer({ tab: own, sql, name, columns, isCut: answer.isCut, ms: answer.ms }))
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
    const answer = await store.answer(tab);
    if (answer !== undefined) {
      const { sql, name, columns, isCut, ms } = answer;
      this.#setAnswer({ sql, answer: { table: newTable(name, columns), isCut, ms } });
    }
    const own = all.filter((record) => record.tab === tab).toSorted((left, right) => left.place - right.place);
    let current: string | undefined;
    const failed: string[] = [];
    for (const record of own) {
      try {
        const id = await this.#restoreView(store, record);
        if (record.isCurrent) current = id;
      } catch {
        failed.push(record.name);
        await store.remove([record]);
      }
    }
    if (current !== undefined) this.#options.workbench.show(current);
    if (own.length > 0) this.#options.opening.restored(own.length - failed.length, failed);
  }

  async #restoreView(store: SessionStore, record: ViewRecord): Promise<string> {
    const { workbench, opening } = this.#options;
    const columns = await store.columns(record.columnKeys);
    const table = newTable(record.name, columns);
    columns.forEach((column, at) => this.#keys.set(column, record.columnKeys[at] ?? ""));
    const view = workbench.addTable(table, "person");
    opening.track(view);
    try {
      opening.apply(view.id, record.layout);
      restoreRows(table, record);
    } catch {
      // The rows are there; how they were looked at is not.
    }
    this.#recordKeys.set(view.id, record.key);
    this.#stored.set(view.id, table.columns);
    return view.id;
  }

  async #save(): Promise<void> {
    const [store, tab] = await Promise.all([this.#options.store, this.#options.tab]);
    const { views } = this.#options.workbench;
    const records = await store.views();
    const open = new Set(views.map(({ id }) => this.#recordKeys.get(id)));
    const closed = records.filter((record) => record.tab === tab && !open.has(record.key));
    await store.remove(closed);
    const standing = new Map(
      records.filter((record) => !closed.includes(record)).map((record) => [record.key, record]),
    );
    for (const [place, view] of views.entries()) await this.#saveView(store, { view, place, tab, standing });
  }

  async #saveView(
    store: SessionStore,
    {
      view,
      place,
      tab,
      standing,
    }: {
      readonly view: View;
      readonly place: number;
      readonly tab: string;
      readonly standing: Map<string, ViewRecord>;
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
    await store.put(record, { added, gone: [...known].filter((one) => !columnKeys.includes(one)) });
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
