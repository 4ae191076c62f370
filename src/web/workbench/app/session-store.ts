import { WORKBENCH_DATABASE } from "../../ui/app/browser-data.ts";
import type { Column } from "../data/column.ts";
import type { HistoryRecord } from "../model/history-record.ts";
import type { ViewRecord } from "../model/session-record.ts";

/** The answer of the last query, as the browser stores it. */
export interface AnswerRecord {
  /** The browser tab. */
  readonly tab: string;
  /** The tab of the SQL pane. Absent: stored by an older page. */
  readonly query?: string | undefined;
  readonly sql: string;
  readonly name: string;
  readonly columns: readonly Column[];
  readonly isCut: boolean;
  readonly ms: number;
}

/** Columns that are stored or deleted with something. */
export interface ColumnChanges {
  /** By key. */
  readonly added: ReadonlyMap<string, Column>;
  readonly gone: readonly string[];
}

/** Where a browser stores what is open, so that it is there after a reload. */
export interface SessionStore {
  /** Of all tabs. */
  views(): Promise<readonly ViewRecord[]>;
  /** In the order of the keys. Throws where one is missing. */
  columns(keys: readonly string[]): Promise<readonly Column[]>;
  /** Stores a view and the columns that are new, and deletes columns that it no longer has. */
  put(record: ViewRecord, changes: ColumnChanges): Promise<void>;
  /** Deletes views and their columns, except those with these keys. */
  remove(records: readonly ViewRecord[], kept?: ReadonlySet<string>): Promise<void>;
  /** Of all tabs. */
  histories(): Promise<readonly HistoryRecord[]>;
  putHistory(record: HistoryRecord, changes: ColumnChanges): Promise<void>;
  /** Deletes the steps of tabs, and the columns with these keys. */
  removeHistories(tabs: readonly string[], columnKeys: readonly string[]): Promise<void>;
  answer(tab: string): Promise<AnswerRecord | undefined>;
  putAnswer(answer: AnswerRecord): Promise<void>;
  removeAnswer(tab: string): Promise<void>;
}

const VERSION = 2;
const STORES = { views: "views", columns: "columns", answers: "answers", histories: "histories" } as const;

/** Opens the browser's database. Rejects where it has none, such as in some private windows. */
export async function openSessionStore(indexedDb: IDBFactory): Promise<SessionStore> {
  const request = indexedDb.open(WORKBENCH_DATABASE, VERSION);
  request.addEventListener("upgradeneeded", ({ oldVersion }) => {
    if (oldVersion < 1) {
      request.result.createObjectStore(STORES.views, { keyPath: "key" });
      request.result.createObjectStore(STORES.columns);
      request.result.createObjectStore(STORES.answers, { keyPath: "tab" });
    }
    request.result.createObjectStore(STORES.histories, { keyPath: "tab" });
  });
  const database = await settled(request);
  // A newer page may want to change the database.
  database.addEventListener("versionchange", () => database.close());
  return new IndexedStore(database);
}

function settled<Value>(request: IDBRequest<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    request.addEventListener("success", () => resolve(request.result));
    request.addEventListener("error", () => reject(request.error ?? new Error("the browser's database failed")));
  });
}

class IndexedStore implements SessionStore {
  readonly #database: IDBDatabase;

  constructor(database: IDBDatabase) {
    this.#database = database;
  }

  async views(): Promise<readonly ViewRecord[]> {
    const { views } = this.#begin("readonly");
    return (await settled(views.getAll())) as ViewRecord[];
  }

  async columns(keys: readonly string[]): Promise<readonly Column[]> {
    const { columns } = this.#begin("readonly");
    const found = await Promise.all(keys.map((key) => settled(columns.get(key) as IDBRequest<Column | undefined>)));
    return found.map((column, at) => {
      if (column === undefined) throw new Error(`the column ${keys[at] ?? ""} is not stored`);
      return column;
    });
  }

  async put(record: ViewRecord, { added, gone }: ColumnChanges): Promise<void> {
    const { views, columns, done } = this.#begin("readwrite");
    for (const [key, column] of added) columns.put(column, key);
    for (const key of gone) columns.delete(key);
    views.put(record);
    await done;
  }

  async remove(records: readonly ViewRecord[], kept: ReadonlySet<string> = new Set()): Promise<void> {
    if (records.length === 0) return;
    const { views, columns, done } = this.#begin("readwrite");
    for (const { key, columnKeys } of records) {
      views.delete(key);
      for (const column of columnKeys) if (!kept.has(column)) columns.delete(column);
    }
    await done;
  }

  async histories(): Promise<readonly HistoryRecord[]> {
    const { histories } = this.#begin("readonly");
    return (await settled(histories.getAll())) as HistoryRecord[];
  }

  async putHistory(record: HistoryRecord, { added, gone }: ColumnChanges): Promise<void> {
    const { histories, columns, done } = this.#begin("readwrite");
    for (const [key, column] of added) columns.put(column, key);
    for (const key of gone) columns.delete(key);
    histories.put(record);
    await done;
  }

  async removeHistories(tabs: readonly string[], columnKeys: readonly string[]): Promise<void> {
    if (tabs.length === 0) return;
    const { histories, columns, done } = this.#begin("readwrite");
    for (const tab of tabs) histories.delete(tab);
    for (const key of columnKeys) columns.delete(key);
    await done;
  }

  async answer(tab: string): Promise<AnswerRecord | undefined> {
    const { answers } = this.#begin("readonly");
    return (await settled(answers.get(tab))) as AnswerRecord | undefined;
  }

  async putAnswer(answer: AnswerRecord): Promise<void> {
    const { answers, done } = this.#begin("readwrite");
    answers.put(answer);
    await done;
  }

  async removeAnswer(tab: string): Promise<void> {
    const { answers, done } = this.#begin("readwrite");
    answers.delete(tab);
    await done;
  }

  #begin(mode: IDBTransactionMode) {
    const transaction = this.#database.transaction(Object.values(STORES), mode);
    const done = new Promise<void>((resolve, reject) => {
      const fail = (): void => reject(transaction.error ?? new Error("the browser's database has no room"));
      transaction.addEventListener("complete", () => resolve());
      transaction.addEventListener("abort", fail);
      transaction.addEventListener("error", fail);
    });
    // Where nobody waits for it, its failure is told by the request.
    done.catch(() => {});
    return {
      views: transaction.objectStore(STORES.views),
      columns: transaction.objectStore(STORES.columns),
      answers: transaction.objectStore(STORES.answers),
      histories: transaction.objectStore(STORES.histories),
      done,
    };
  }
}
