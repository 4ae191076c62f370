import { z } from "zod";
import { ChangeListeners } from "../data/listeners.ts";
import { SQL_LIMITS } from "./limits.ts";
import { PAGE_SOURCE } from "./sources.ts";

/** A query that a person writes, with what it asks. */
const queryTab = z.object({
  id: z.string().min(1).max(100),
  name: z.string().min(1).max(SQL_LIMITS.tabNameChars),
  /** The id of what is asked. */
  source: z.string().max(500),
  /** Absent: nothing was written yet. */
  sql: z.string().max(SQL_LIMITS.tabChars).optional(),
});
export type QueryTab = z.infer<typeof queryTab>;

const queryTabs = z.object({ tabs: z.array(queryTab).min(1).max(SQL_LIMITS.tabs), active: z.string() });
/** All queries in the order of their tabs, and the one that was used last. */
type QueryTabList = Readonly<z.infer<typeof queryTabs>>;

/** Where they are stored; `localStorage` of a page. */
type TabStorage = Pick<Storage, "getItem" | "setItem">;

export const QUERY_TABS_KEY = "sallyport.workbench.sql-tabs";

interface ClosedTab {
  readonly tab: QueryTab;
  readonly place: number;
}

interface TabsState extends QueryTabList {
  /** The last one that was closed with something in it; it can be brought back. */
  readonly closed: ClosedTab | undefined;
}

/**
 * The queries of this browser, stored with every change. Windows share them: each changes what is stored, and shows its own active one.
 * Never throws: where the browser stores nothing, they are there for as long as the page.
 */
export class QueryTabs {
  readonly #storage: TabStorage | undefined;
  readonly #newId: () => string;
  readonly #listeners = new ChangeListeners();
  /** Texts that are too long to be stored. */
  readonly #long = new Map<string, string>();
  #state: TabsState;
  /** False: the last change could not be stored, so what is stored is old. */
  #isStored = true;
  #isForgotten = false;

  constructor(storage: TabStorage | undefined, newId: () => string) {
    this.#storage = storage;
    this.#newId = newId;
    this.#state = { ...(this.#read() ?? firstTabs(newId())), closed: undefined };
  }

  readonly subscribe = this.#listeners.add;
  readonly state = (): TabsState => this.#state;

  /** Whether a reload would lose some of its text. */
  isTooLong(id: string): boolean {
    return this.#long.has(id);
  }

  show(id: string): void {
    this.#change((list) => (list.tabs.some((tab) => tab.id === id) ? { ...list, active: id } : list));
  }

  /** Goes to the next one (1) or the one before (-1), in a circle. */
  step(by: 1 | -1): void {
    this.#change((list) => {
      const { tabs } = list;
      const next = tabs[(tabs.findIndex(({ id }) => id === list.active) + by + tabs.length) % tabs.length];
      return next === undefined ? list : { ...list, active: next.id };
    });
  }

  /** A new empty query behind the active one, which asks the same. False: there is no room for more. */
  add(): boolean {
    if (this.#latest().tabs.length >= SQL_LIMITS.tabs) return false;
    const id = this.#newId();
    this.#change(({ tabs, active }) => {
      const at = tabs.findIndex((tab) => tab.id === active);
      const source = tabs[at]?.source ?? PAGE_SOURCE;
      return { tabs: tabs.toSpliced(at + 1, 0, { id, name: freeName(tabs), source }), active: id };
    });
    return true;
  }

  /** Queries of somebody else, each in a tab behind the others. One that is there already is not added again. Returns how many had no room. */
  bring(queries: readonly Pick<QueryTab, "name" | "source" | "sql">[]): number {
    let left = 0;
    this.#change((list) => {
      // An empty one that stands for none makes room.
      const used = list.tabs.filter(({ sql = "" }) => list.tabs.length > 1 || sql.trim() !== "");
      const tabs = [...used];
      for (const { name, source, sql = "" } of queries) {
        if (tabs.some((tab) => tab.sql === sql && tab.source === source)) continue;
        if (tabs.length >= SQL_LIMITS.tabs || sql.length > SQL_LIMITS.tabChars) left += 1;
        else
          tabs.push({ id: this.#newId(), name: uniqueName(name.slice(0, SQL_LIMITS.tabNameChars), tabs), source, sql });
      }
      const active = tabs.find(({ id }) => id === list.active) ?? tabs[0];
      return active === undefined ? list : { tabs, active: active.id };
    });
    return left;
  }

  /** An empty name changes nothing; one that another query has gets a number. */
  rename(id: string, given: string): void {
    const name = given.trim().replaceAll(/\s+/g, " ").slice(0, SQL_LIMITS.tabNameChars);
    if (name === "") return;
    this.#change((list) => {
      const others = list.tabs.filter((tab) => tab.id !== id);
      return withTab(list, id, { name: uniqueName(name, others) });
    });
  }

  write(id: string, sql: string): void {
    if (sql.length > SQL_LIMITS.tabChars) {
      this.#long.set(id, sql);
      this.#set(this.#withLong(this.#state));
      return;
    }
    this.#long.delete(id);
    this.#change((list) => withTab(list, id, { sql }));
  }

  ask(id: string, source: string): void {
    this.#change((list) => withTab(list, id, { source }));
  }

  /** The last one gives way to an empty one. */
  close(id: string): void {
    const { tabs } = this.#state;
    const place = tabs.findIndex((tab) => tab.id === id);
    const tab = tabs[place];
    if (tab === undefined) return;
    this.#long.delete(id);
    this.#change((list) => {
      const left = list.tabs.filter((one) => one.id !== id);
      const [first] = left;
      if (first === undefined) return firstTabs(this.#newId());
      if (list.active !== id) return { ...list, tabs: left };
      return { tabs: left, active: (left[Math.min(place, left.length - 1)] ?? first).id };
    });
    const isEmpty = tab.sql === undefined || tab.sql.trim() === "";
    this.#set({ ...this.#state, closed: isEmpty ? this.#state.closed : { tab, place } });
  }

  /** Brings back what was closed last. */
  reopen(): void {
    const { closed } = this.#state;
    if (closed === undefined) return;
    const { tab, place } = closed;
    const { sql = "" } = tab;
    this.#change((list) => {
      // An empty one that stands for none makes room.
      const [only] = list.tabs;
      const tabs = list.tabs.length === 1 && (only?.sql ?? "") === "" ? [] : list.tabs;
      if (tabs.length >= SQL_LIMITS.tabs || tabs.some(({ id }) => id === tab.id)) return list;
      const back = { ...tab, sql: sql.slice(0, SQL_LIMITS.tabChars), name: uniqueName(tab.name, tabs) };
      return { tabs: tabs.toSpliced(place, 0, back), active: tab.id };
    });
    if (this.#state.tabs.some(({ id }) => id === tab.id)) {
      this.#set({ ...this.#state, closed: undefined });
      if (sql.length > SQL_LIMITS.tabChars) this.write(tab.id, sql);
    }
  }

  dismiss(): void {
    this.#set({ ...this.#state, closed: undefined });
  }

  /** Another window has changed what is stored; `key` null: everything was deleted. */
  storageChanged(key: string | null): void {
    if (key !== QUERY_TABS_KEY && key !== null) return;
    const read = this.#read();
    if (read === undefined) {
      // Signed out, or deleted: nothing of it stays in this window either.
      this.#long.clear();
      this.#set({ ...firstTabs(this.#newId()), closed: undefined });
      return;
    }
    this.#isStored = true;
    this.#set(this.#withLong({ ...read, active: activeOf(read, this.#state.active), closed: this.#state.closed }));
  }

  /** Stores nothing any more: the person has signed out, and the page goes. */
  forget(): void {
    this.#isForgotten = true;
  }

  /** As it is stored now; as it is here where that is newer. */
  #latest(): QueryTabList {
    const { tabs, active } = this.#state;
    const read = this.#isStored ? this.#read() : undefined;
    return read === undefined ? { tabs, active } : { tabs: read.tabs, active: activeOf(read, active) };
  }

  #change(work: (list: QueryTabList) => QueryTabList): void {
    const { tabs, active } = work(this.#latest());
    this.#store({ tabs: tabs.map(stored), active });
    this.#set(this.#withLong({ tabs, active, closed: this.#state.closed }));
  }

  #withLong(state: TabsState): TabsState {
    if (this.#long.size === 0) return state;
    return {
      ...state,
      tabs: state.tabs.map((tab) => ({ ...tab, ...(this.#long.has(tab.id) ? { sql: this.#long.get(tab.id) } : {}) })),
    };
  }

  #set(state: TabsState): void {
    this.#state = state;
    this.#listeners.tell();
  }

  #store(list: QueryTabList): void {
    if (this.#isForgotten) return;
    try {
      this.#storage?.setItem(QUERY_TABS_KEY, JSON.stringify(list));
      this.#isStored = true;
    } catch {
      // Full or forbidden: they stay for as long as the page.
      this.#isStored = false;
    }
  }

  #read(): QueryTabList | undefined {
    try {
      const read = queryTabs.safeParse(JSON.parse(this.#storage?.getItem(QUERY_TABS_KEY) ?? "null"));
      if (!read.success) return undefined;
      return { ...read.data, active: activeOf(read.data, read.data.active) };
    } catch {
      return undefined;
    }
  }
}

function firstTabs(id: string): QueryTabList {
  return { tabs: [{ id, name: `${NAME} 1`, source: PAGE_SOURCE }], active: id };
}

function activeOf({ tabs }: QueryTabList, wanted: string): string {
  return (tabs.find(({ id }) => id === wanted) ?? tabs[0])?.id ?? wanted;
}

/** What is too long is stored up to there: better than nothing. */
function stored(tab: QueryTab): QueryTab {
  return tab.sql === undefined ? tab : { ...tab, sql: tab.sql.slice(0, SQL_LIMITS.tabChars) };
}

function withTab(list: QueryTabList, id: string, change: Partial<QueryTab>): QueryTabList {
  return { ...list, tabs: list.tabs.map((tab) => (tab.id === id ? { ...tab, ...change } : tab)) };
}

const NAME = "Query";

function freeName(tabs: readonly QueryTab[]): string {
  const taken = new Set(tabs.map(({ name }) => name));
  let number = 1;
  while (taken.has(`${NAME} ${number}`)) number += 1;
  return `${NAME} ${number}`;
}

function uniqueName(name: string, others: readonly QueryTab[]): string {
  const taken = new Set(others.map((tab) => tab.name));
  let [made, number] = [name, 2];
  while (taken.has(made)) {
    const end = ` (${number})`;
    made = name.slice(0, SQL_LIMITS.tabNameChars - end.length) + end;
    number += 1;
  }
  return made;
}
