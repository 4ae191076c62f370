import { describe, expect, test } from "vitest";
import { SQL_LIMITS } from "../../../../src/web/workbench/sql/limits.ts";
import { QUERY_TABS_KEY, QueryTabs } from "../../../../src/web/workbench/sql/query-tabs.ts";

/** What a browser stores; `room`: the most characters of it. */
class Shelf {
  readonly items = new Map<string, string>();
  room = Number.POSITIVE_INFINITY;
  getItem(key: string): string | null {
    return this.items.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    if (value.length > this.room) throw new Error("full");
    this.items.set(key, value);
  }
}

const ids = { made: 0 };
const open = (shelf: Shelf | undefined): QueryTabs => new QueryTabs(shelf, () => `id${(ids.made += 1)}`);
const names = (tabs: QueryTabs): string =>
  tabs
    .state()
    .tabs.map(({ id, name, sql = "-" }) => `${id === tabs.state().active ? "*" : ""}${name}: ${sql}`)
    .join(" | ");

/** Queries with these texts; the last one is shown. */
function written(shelf: Shelf | undefined, ...texts: readonly string[]): QueryTabs {
  const tabs = open(shelf);
  for (const [at, text] of texts.entries()) {
    if (at > 0) tabs.add();
    tabs.write(tabs.state().active, text);
  }
  return tabs;
}

describe("queries in tabs", () => {
  test("begin with an empty one, and are there again with names, texts, sources and the shown one", () => {
    const shelf = new Shelf();
    const tabs = open(shelf);
    expect(names(tabs)).toBe("*Query 1: -");
    // Nothing is stored before something is done.
    expect(shelf.items.size).toBe(0);
    tabs.write(tabs.state().active, "select 1");
    tabs.ask(tabs.state().active, "sales");
    expect(tabs.add()).toBe(true);
    expect(tabs.state().tabs.map(({ source }) => source)).toEqual(["sales", "sales"]);
    tabs.rename(tabs.state().active, "  By   month ");
    tabs.add();
    tabs.step(-1);
    expect(names(open(shelf))).toBe("Query 1: select 1 | *By month: - | Query 2: -");
    expect(open(shelf).state().tabs[0]?.source).toBe("sales");
  });

  test("are shown one after the other in a circle, or by their id", () => {
    const tabs = written(undefined, "a", "b", "c");
    tabs.step(1);
    expect(names(tabs)).toBe("*Query 1: a | Query 2: b | Query 3: c");
    tabs.step(-1);
    tabs.show(tabs.state().tabs[1]?.id ?? "");
    tabs.show("nobody");
    expect(names(tabs)).toBe("Query 1: a | *Query 2: b | Query 3: c");
  });

  test("have names that differ; an empty one changes nothing", () => {
    const tabs = written(undefined, "a", "b");
    const { active } = tabs.state();
    tabs.rename(active, "Query 1");
    expect(names(tabs)).toBe("Query 1: a | *Query 1 (2): b");
    tabs.rename(active, " ");
    tabs.rename(active, "x".repeat(100));
    expect(tabs.state().tabs[1]?.name).toHaveLength(SQL_LIMITS.tabNameChars);
  });

  test("come back when they were closed, at their place", () => {
    const shelf = new Shelf();
    const tabs = written(shelf, "a", "b", "c");
    const second = tabs.state().tabs[1]?.id ?? "";
    tabs.show(second);
    tabs.close(second);
    expect([names(tabs), tabs.state().closed?.tab.name]).toEqual(["Query 1: a | *Query 3: c", "Query 2"]);
    tabs.reopen();
    expect([names(tabs), tabs.state().closed]).toEqual(["Query 1: a | *Query 2: b | Query 3: c", undefined]);
    // One without a text is no loss, and the last one makes room for an empty one.
    tabs.add();
    tabs.close(tabs.state().active);
    expect(tabs.state().closed).toBeUndefined();
    for (const { id } of tabs.state().tabs) tabs.close(id);
    expect([names(tabs), tabs.state().closed?.tab.sql]).toEqual(["*Query 1: -", "c"]);
    tabs.reopen();
    expect(names(tabs)).toBe("*Query 3: c");
    tabs.close(tabs.state().active);
    tabs.dismiss();
    tabs.reopen();
    expect(names(tabs)).toBe("*Query 1: -");
  });

  test("of two windows are the same, and none loses what the other wrote", () => {
    const shelf = new Shelf();
    const one = written(shelf, "a");
    const other = open(shelf);
    other.add();
    other.write(other.state().active, "b");
    // Before the first window has heard of it.
    one.write(one.state().active, "a2");
    expect(names(one)).toBe("*Query 1: a2 | Query 2: b");
    other.storageChanged(QUERY_TABS_KEY);
    expect(names(other)).toBe("Query 1: a2 | *Query 2: b");
    other.storageChanged("something else");
    one.close(one.state().active);
    other.storageChanged(QUERY_TABS_KEY);
    expect(names(other)).toBe("*Query 2: b");
  });

  test("are gone from every window when they are deleted, and are not stored after signing out", () => {
    const shelf = new Shelf();
    const tabs = written(shelf, "secret");
    shelf.items.clear();
    tabs.storageChanged(QUERY_TABS_KEY);
    expect(names(tabs)).toBe("*Query 1: -");
    tabs.forget();
    tabs.write(tabs.state().active, "more");
    expect(shelf.items.size).toBe(0);
  });

  test("have bounds: how many, and how long a stored text is", () => {
    const shelf = new Shelf();
    const tabs = written(shelf, "a");
    while (tabs.add());
    expect(tabs.state().tabs).toHaveLength(SQL_LIMITS.tabs);
    const { active } = tabs.state();
    tabs.write(active, "short");
    const long = "x".repeat(SQL_LIMITS.tabChars + 1);
    tabs.write(active, long);
    tabs.rename(active, "Long");
    const shownText = (from: QueryTabs): string => from.state().tabs.find(({ id }) => id === active)?.sql ?? "";
    expect([shownText(tabs), tabs.isTooLong(active)]).toEqual([long, true]);
    expect(shownText(open(shelf))).toBe("short");
    tabs.close(active);
    tabs.reopen();
    expect([shownText(tabs), tabs.isTooLong(active)]).toEqual([long, true]);
    tabs.write(active, "short again");
    expect([shownText(open(shelf)), tabs.isTooLong(active)]).toEqual(["short again", false]);
  });

  test("work without a place to store them, with one that is full, and with what cannot be read", () => {
    expect(names(written(undefined, "a", "b"))).toBe("Query 1: a | *Query 2: b");
    const shelf = new Shelf();
    const tabs = written(shelf, "a");
    shelf.room = 0;
    tabs.write(tabs.state().active, "b");
    tabs.add();
    expect(names(tabs)).toBe("Query 1: b | *Query 2: -");
    shelf.room = Number.POSITIVE_INFINITY;
    tabs.write(tabs.state().active, "c");
    expect(names(open(shelf))).toBe("Query 1: b | *Query 2: c");
    for (const damaged of ["{", "[]", '{"tabs":[],"active":"x"}', '{"tabs":[{"id":1}],"active":"x"}']) {
      shelf.items.set(QUERY_TABS_KEY, damaged);
      expect(names(open(shelf))).toBe("*Query 1: -");
    }
  });
});
