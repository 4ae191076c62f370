import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { GridLooks } from "../../../../src/web/workbench/app/grid-looks.ts";
import { TableOpener } from "../../../../src/web/workbench/app/opening.ts";
import { SessionKeeper } from "../../../../src/web/workbench/app/session-keeper.ts";
import type { HistoryRecord } from "../../../../src/web/workbench/model/history-record.ts";
import type { AnswerRecord, ColumnChanges, SessionStore } from "../../../../src/web/workbench/app/session-store.ts";
import type { Column } from "../../../../src/web/workbench/data/column.ts";
import { LayoutStore } from "../../../../src/web/workbench/model/layout-store.ts";
import { openWorkbench } from "../../../../src/web/workbench/model/open.ts";
import { roomFor, type ViewRecord } from "../../../../src/web/workbench/model/session-record.ts";

/** A store in memory, as the browser's behaves: what is written is a copy. */
class MemoryStore implements SessionStore {
  readonly records = new Map<string, ViewRecord>();
  readonly stored = new Map<string, Column>();
  readonly answers = new Map<string, AnswerRecord>();
  readonly steps = new Map<string, HistoryRecord>();
  readonly views = async (): Promise<readonly ViewRecord[]> => structuredClone([...this.records.values()]);
  readonly columns = async (keys: readonly string[]): Promise<readonly Column[]> =>
    keys.map((key) => {
      const column = this.stored.get(key);
      if (column === undefined) throw new Error("gone");
      return structuredClone(column);
    });
  async put(record: ViewRecord, { added, gone }: ColumnChanges): Promise<void> {
    for (const [key, column] of added) this.stored.set(key, structuredClone(column));
    for (const key of gone) this.stored.delete(key);
    this.records.set(record.key, structuredClone(record));
  }
  async remove(records: readonly ViewRecord[], kept: ReadonlySet<string> = new Set()): Promise<void> {
    for (const { key, columnKeys } of records) {
      this.records.delete(key);
      for (const column of columnKeys) if (!kept.has(column)) this.stored.delete(column);
    }
  }
  readonly histories = async (): Promise<readonly HistoryRecord[]> => structuredClone([...this.steps.values()]);
  async putHistory(record: HistoryRecord, { added, gone }: ColumnChanges): Promise<void> {
    for (const [key, column] of added) this.stored.set(key, structuredClone(column));
    for (const key of gone) this.stored.delete(key);
    this.steps.set(record.tab, structuredClone(record));
  }
  async removeHistories(tabs: readonly string[], columnKeys: readonly string[]): Promise<void> {
    for (const tab of tabs) this.steps.delete(tab);
    for (const key of columnKeys) this.stored.delete(key);
  }
  readonly answer = async (tab: string): Promise<AnswerRecord | undefined> => this.answers.get(tab);
  async putAnswer(answer: AnswerRecord): Promise<void> {
    this.answers.set(answer.tab, structuredClone(answer));
  }
  async removeAnswer(tab: string): Promise<void> {
    this.answers.delete(tab);
  }
}

const clock = { now: 1_000 };

function bench(store: SessionStore, tab = "tab") {
  const texts = new Map<string, string>();
  const storage = {
    getItem: (key: string) => texts.get(key) ?? null,
    setItem: (key: string, text: string) => void texts.set(key, text),
  };
  const workbench = openWorkbench();
  const gridLooks = new GridLooks((act, unregister) => workbench.record(act, unregister));
  const opening = new TableOpener({ workbench, gridLooks, layouts: new LayoutStore({ storage, now: () => 1 }) });
  const keeper = new SessionKeeper({
    workbench,
    opening,
    gridLooks,
    store: Promise.resolve(store),
    tab: Promise.resolve(tab),
    now: () => (clock.now += 1),
  });
  return { workbench, gridLooks, opening, keeper };
}

const cities = () =>
  newTable("cities", [columnOf("City", ["Bern", "Köln", null]), columnOf("People", [134_000, 1_080_000, 709_000])]);

describe("a page that is loaded again", () => {
  test("has its tables, viewers, filters, selection and grid as they were", async () => {
    const store = new MemoryStore();
    const before = bench(store);
    await before.keeper.start();
    const view = before.workbench.addTable(cities(), "person");
    before.workbench.addTable(newTable("other", [columnOf("a", [1])]), "person");
    before.workbench.show(view.id);
    before.workbench.addViewer(view.id, "Histogram", { valueColumnName: "People" }, "person");
    before.workbench.setFilter(view.id, "agent", { kind: "formula", expression: "People > 200000" }, "agent");
    before.workbench.setFilter(view.id, "viewer:x", { kind: "rows", rows: Bits.of(3, [1]) }, "person");
    before.workbench.select(view.id, Bits.of(3, [1, 2]), "person");
    before.gridLooks.put(view.id, { widths: {}, hidden: ["City"], pinned: [], sort: [] });
    expect(before.keeper.isSafe).toBe(false);
    before.keeper.saveNow();
    await expect.poll(() => before.keeper.isSafe).toBe(true);
    const after = bench(store);
    await after.keeper.start();
    const [first, second] = after.workbench.views;
    expect([first?.table.name, second?.table.name, after.workbench.current?.table.name]).toEqual([
      "cities",
      "other",
      "cities",
    ]);
    expect(first?.table.columns).toEqual(cities().columns);
    expect(first?.viewers.map(({ type, look }) => [type, look])).toEqual([
      ["Histogram", { valueColumnName: "People" }],
    ]);
    expect([...(first?.table.filtered.rows() ?? [])]).toEqual([1]);
    expect([...(first?.table.selected.rows() ?? [])]).toEqual([1, 2]);
    expect(after.gridLooks.get(first?.id ?? "")?.look.hidden).toEqual(["City"]);
    expect(after.opening.state().restored).toEqual({ tables: 2, filters: 2, failed: [], steps: 7 });
    expect(after.keeper.isSafe).toBe(true);
    const other = bench(store, "another tab");
    await other.keeper.start();
    expect(other.workbench.views).toEqual([]);
    await after.keeper.forget();
    expect([after.workbench.views, store.records.size, store.stored.size, store.steps.size]).toEqual([[], 0, 0, 0]);
  });

  test("takes back earlier steps: a cell, a removed column, the order of the grid, a table that was closed", async () => {
    const store = new MemoryStore();
    const before = bench(store);
    await before.keeper.start();
    const { id } = before.workbench.addTable(cities(), "person");
    before.workbench.addTable(newTable("other", [columnOf("a", [1, 2])]), "person");
    before.workbench.editCells(id, [{ column: "People", row: 0, text: "135000" }], "agent");
    before.workbench.removeColumn(id, "City", "person");
    before.gridLooks.put(id, { widths: {}, hidden: [], pinned: [], sort: [{ column: "People", descending: true }] });
    before.workbench.closeView(before.workbench.views[1]?.id ?? "", "person");
    before.keeper.saveNow();
    await expect.poll(() => store.steps.get("tab")?.actions.length).toBe(6);
    const after = bench(store);
    await after.keeper.start();
    const { workbench, gridLooks } = after;
    expect(workbench.views.map(({ table }) => table.columns.map(({ name }) => name))).toEqual([["People"]]);
    const last = (): string | undefined => {
      const { undo } = workbench.next;
      if (undo !== undefined) workbench.undo(undo.id);
      return undo?.words;
    };
    expect([last(), workbench.views.map(({ table }) => table.name)]).toEqual(["Closed other", ["cities", "other"]]);
    expect([last(), gridLooks.get(id)?.look.sort]).toEqual(["Sorted by People, descending", []]);
    expect([last(), workbench.views[0]?.table.columns.map(({ name }) => name)]).toEqual([
      "Removed the column City",
      ["City", "People"],
    ]);
    expect([last(), workbench.views[0]?.table.columns]).toEqual([
      "Changed People in row 1 to 135000",
      cities().columns,
    ]);
    // Loaded once more with steps taken back, they are done again.
    after.keeper.saveNow();
    await expect.poll(() => store.steps.get("tab")?.takenBack.length).toBe(4);
    const third = bench(store);
    await third.keeper.start();
    expect(third.workbench.views.map(({ table }) => table.columns)[0]).toEqual(cities().columns);
    while (third.workbench.next.redo !== undefined) third.workbench.redo(third.workbench.next.redo.id);
    expect(third.workbench.views.map(({ table }) => [table.name, table.columns.length])).toEqual([["cities", 1]]);
    // What nothing needs any more is not stored.
    await third.keeper.forget();
    expect([store.records.size, store.stored.size, store.steps.size]).toEqual([0, 0, 0]);
  });

  test("damaged parts are left out and named", async () => {
    const store = new MemoryStore();
    const before = bench(store);
    await before.keeper.start();
    before.workbench.addTable(cities(), "person");
    before.keeper.saveNow();
    await expect.poll(() => before.keeper.isSafe).toBe(true);
    store.stored.clear();
    const after = bench(store);
    await after.keeper.start();
    expect([after.workbench.views, after.opening.state().restored]).toEqual([
      [],
      { tables: 0, filters: 0, failed: ["cities"], steps: 0 },
    ]);
  });

  test("tables of other tabs make room, the oldest first", () => {
    const record = (key: string, tab: string, at: number): ViewRecord => ({ key, tab, at, bytes: 100 }) as ViewRecord;
    const all = [record("mine", "me", 1), record("new", "other", 9), record("old", "other", 2)];
    const keys = (bytes: number, limit: number) => roomFor(bytes, all, { tab: "me", limit })?.map(({ key }) => key);
    expect([keys(100, 400), keys(150, 400), keys(250, 400), keys(301, 400)]).toEqual([
      [],
      ["old"],
      ["old", "new"],
      undefined,
    ]);
  });
});

describe("how a grid is arranged", () => {
  test.each([
    [{ sort: [{ column: "People", descending: true }] }, "Sorted by People, descending"],
    [{ hidden: ["City"] }, "Hid City"],
    [{ pinned: ["City"] }, "Pinned City"],
    [{ widths: { City: 90 } }, "Changed the width of City"],
  ])("%j can be taken back", (change, words) => {
    const { workbench, gridLooks } = bench(new MemoryStore());
    const { id } = workbench.addTable(cities(), "person");
    const plain = { widths: {}, hidden: [], pinned: [], sort: [] };
    gridLooks.put(id, { ...plain, ...change });
    const action = workbench.next.undo;
    expect(action?.words).toBe(words);
    workbench.undo(action?.id ?? "");
    expect(gridLooks.get(id)?.look).toEqual(plain);
    workbench.redo(action?.id ?? "");
    expect(gridLooks.get(id)?.look).toEqual({ ...plain, ...change });
  });
});

test("a table that is opened again has its layout, but not the filter of another day", () => {
  const { workbench, opening } = bench(new MemoryStore());
  opening.table(cities());
  const { id } = workbench.current ?? { id: "" };
  workbench.addViewer(id, "Histogram", {}, "person");
  workbench.setFilter(id, "agent", { kind: "formula", expression: "People > 9e9" }, "agent");
  opening.saveNow();
  workbench.closeView(id, "person");
  opening.table(cities());
  expect(workbench.current?.viewers.map(({ type }) => type)).toEqual(["Histogram"]);
  expect(workbench.current?.table.filtered.count).toBe(3);
});
