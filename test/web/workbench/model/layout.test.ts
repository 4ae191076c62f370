import { deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { compileFormula } from "../../../../src/web/workbench/data/formula.ts";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { moveTo, GRID } from "../../../../src/web/workbench/model/dock.ts";
import { layoutKey, parseLayout, saveLayout, type SavedLayout } from "../../../../src/web/workbench/model/layout.ts";
import { linkHash, readLink } from "../../../../src/web/workbench/model/permalink.ts";
import { LayoutStore } from "../../../../src/web/workbench/model/layout-store.ts";
import { labelOf } from "../../../../src/web/workbench/app/sheet/label.ts";
import { people, seen, world } from "./world.ts";

describe("layouts", () => {
  test("what was saved is there again in another table of the same columns, with new ids", () => {
    const { saved, workbench, view } = laidOut();
    expect(saved.filters).toEqual([["column:Age", { kind: "range", column: "Age", min: 40 }]]);
    const other = workbench.addTable(people("again"), "person");
    workbench.applyLayout(other.id, parseLayout(JSON.stringify(saved)), "person");
    const there = workbench.current!;
    expect(there.viewers.map(({ type, look, title }) => ({ type, look, title }))).toEqual(
      view().viewers.map(({ type, look, title }) => ({ type, look, title })),
    );
    expect(there.viewers[0]?.id).not.toBe(view().viewers[0]?.id);
    expect(JSON.stringify(there.dock)).toBe(
      view().viewers.reduce(
        (text, { id }, at) => text.replaceAll(id, there.viewers[at]?.id ?? ""),
        JSON.stringify(view().dock),
      ),
    );
    expect(there.table.filtered.count).toBe(2);
  });

  test("columns that were made from formulas are made again, and go with undo", () => {
    const { workbench, view } = laidOut();
    const { id } = view();
    workbench.putColumn(id, compileFormula("[Age] * 2", view().table).column("Double"), "agent");
    workbench.putColumn(id, compileFormula("[Double] + 1", view().table).column("More"), "agent");
    workbench.addViewer(id, "Bar chart", { value: "More" }, "agent");
    workbench.setFilter(id, "agent", { kind: "formula", expression: "[More] > 80" }, "agent");
    const saved = saveLayout(view());
    const other = workbench.addTable(people("again"), "person");
    const before = seen(other);
    workbench.applyLayout(other.id, saved, "person");
    expect(workbench.current?.table.columns.map(({ name }) => name)).toEqual(["Name", "Age", "Sex", "Double", "More"]);
    expect(workbench.current?.table.filtered.count).toBe(2);
    expect(workbench.current?.viewers.map(({ title }) => title)).toEqual([
      "Histogram of Age",
      "Bars",
      "Bar chart of More",
    ]);
    workbench.undo(workbench.next.undo?.id ?? "");
    expect(seen(workbench.current!)).toEqual(before);
  });

  test("formats of columns come back where they fit, and go with undo", () => {
    const { workbench } = world();
    const view = workbench.addTable(people(), "person");
    const age = view.table.column("Age");
    if (age === undefined) throw new Error("no Age");
    const format = { kind: "number", style: "plain", groups: "comma", digits: 1 } as const;
    workbench.replaceColumn(view.id, "Age", { column: { ...age, format }, words: "Changed the format", by: "person" });
    const layout = parseLayout(JSON.stringify(saveLayout(workbench.current ?? view)));
    const other = workbench.addTable(people("others"), "person");
    const before = other.table.columns;
    workbench.applyLayout(other.id, layout, "person");
    expect(other.table.column("Age")?.format).toEqual(format);
    workbench.undo(workbench.actions.at(-1)?.id ?? "");
    expect(other.table.columns).toEqual(before);
  });

  test("a link has the source and the layout, and a damaged one is refused with a message", async () => {
    const { workbench } = world();
    const view = workbench.addTable(people(), "person");
    workbench.addViewer(view.id, "Histogram", { bins: 5 }, "person");
    const linked = {
      source: { kind: "address", address: "/data/people.csv" },
      layout: saveLayout(workbench.current ?? view),
    } as const;
    const hash = await linkHash(linked);
    expect(await readLink(`#${hash}`)).toEqual(linked);
    expect(await readLink("#section")).toBeUndefined();
    const bomb = Buffer.from(deflateRawSync(Buffer.alloc(20_000_000, "["))).toString("base64url");
    const other = Buffer.from(deflateRawSync('{"source":{"kind":"file"},"layout":"{}"}')).toString("base64url");
    for (const wrong of [
      "table=!",
      `table=${bomb}`,
      `table=${other}`,
      hash.slice(0, -9),
      `table=${"A".repeat(40_000)}`,
    ])
      await expect(readLink(`#${wrong}`)).rejects.toThrow(/damaged|too long/);
  });

  test("applying is one action, and undo brings back what was there", () => {
    const { saved, workbench, view } = laidOut();
    workbench.addViewer(view().id, "Filters", {}, "person");
    workbench.select(view().id, Bits.of(4, [1]), "person");
    const before = seen(view());
    workbench.applyLayout(view().id, saved, "person");
    expect(view().viewers).toHaveLength(2);
    workbench.undo(workbench.next.undo?.id ?? "");
    expect(seen(view())).toEqual(before);
  });

  test.each<readonly [string, (saved: SavedLayout) => unknown, string]>([
    ["no JSON", () => "{", "not JSON"],
    ["another thing", () => ({ hello: 1 }), "damaged or not of a workbench"],
    [
      "a dock nested 3,000 deep",
      (saved) => JSON.stringify(saved).replace('"dock":', DEEP_DOCK),
      "this layout is damaged",
    ],
    [
      "a look nested 3,000 deep",
      (saved) => JSON.stringify(saved).replace(/"look":\{/, `"look":{"x":${"[".repeat(3_000)}${"]".repeat(3_000)},`),
      "this layout is damaged",
    ],
    ["a later version", (saved) => ({ ...saved, version: 2 }), "version"],
    [
      "a dock that lacks a viewer",
      (saved) => ({ ...saved, dock: { kind: "stack", viewers: [GRID], shown: GRID } }),
      "exactly once",
    ],
    ["a filter of rows", (saved) => ({ ...saved, filters: [["x", { kind: "rows", rows: {} }]] }), "filters.0.1"],
    [
      "a formula that does not fit",
      (saved) => ({ ...saved, formulas: [{ name: "X", expression: "[Height] * 2" }] }),
      "Height",
    ],
    ["a type that is not there", (saved) => typed(saved, "Sankey"), "no viewer type Sankey"],
    ["a property that is not there", (saved) => looked(saved, { nope: 1 }), "no property"],
    ["a column that is not there", (saved) => looked(saved, { valueColumnName: "Height" }), "no column"],
    [
      "a filter on a column that is not there",
      (saved) => ({ ...saved, filters: [["x", { kind: "contains", column: "Height", text: "a" }]] }),
      "Height",
    ],
  ])("refuses %s with words, and changes nothing", (_, damage, message) => {
    const { saved, workbench, view } = laidOut();
    const before = [seen(view()), workbench.actions];
    const damaged = damage(saved);
    const text = typeof damaged === "string" ? damaged : JSON.stringify(damaged);
    expect(() => workbench.applyLayout(view().id, parseLayout(text), "person")).toThrow(message);
    expect([seen(view()), workbench.actions]).toEqual(before);
  });

  test("are kept by name and by table", () => {
    const { saved } = laidOut();
    const { store, clock } = kept();
    store.saveAs(" First ", saved);
    clock.now = 5;
    store.saveAs("Second", saved);
    store.saveAs("Second", saved);
    expect(store.list()).toEqual([
      { name: "Second", at: 5, table: "people" },
      { name: "First", at: 1, table: "people" },
    ]);
    expect(store.open("First")).toEqual(saved);
    store.delete("First");
    expect(() => store.open("First")).toThrow("no layout First");
    expect(() => store.saveAs("  ", saved)).toThrow("a name");
    const key = layoutKey(people());
    expect(store.kept(key)).toBeUndefined();
    store.keep(key, saved);
    expect(store.kept(key)).toEqual(saved);
    expect(store.kept(layoutKey(newTable("people", [columnOf("Other", [1])])))).toBeUndefined();
    expect(store.recent()).toEqual([{ table: "people", at: 5, viewers: 2 }]);
    // Nothing is left of it: there is nothing to bring back.
    store.keep(key, saveLayout(laidOut({ isEmpty: true }).view()));
    expect(store.kept(key)).toBeUndefined();
  });

  test("what somebody else wrote there does no harm; the oldest make place", () => {
    const { saved } = laidOut();
    const { store, storage } = kept();
    storage.set("sallyport.workbench.layouts", "[1]");
    expect(store.list()).toEqual([]);
    store.saveAs("Mine", saved);
    for (let number = 0; number < 60; number += 1) store.keep(`table ${number}`, saved);
    expect(store.kept("table 9")).toBeUndefined();
    expect(store.kept("table 10")).toEqual(saved);
    const room = JSON.stringify(saved).length * 12;
    const { store: small } = kept(room);
    for (let number = 0; number < 60; number += 1) small.keep(`table ${number}`, saved);
    expect(small.kept("table 59")).toEqual(saved);
    expect(() => kept(10).store.saveAs("Mine", saved)).toThrow("no room");
  });
});

test.each([
  ["valueColumnName", "Value column"],
  ["columnNames", "Columns"],
  ["yColumnNames", "Y columns"],
  ["showXAxis", "Show X axis"],
  ["bins", "Bins"],
])("the label of %s is %s", (name, label) => {
  expect(labelOf(name)).toBe(label);
});

function laidOut({ isEmpty = false } = {}) {
  const { workbench } = world();
  const { id } = workbench.addTable(people(), "person");
  const view = () => workbench.views.find((one) => one.id === id)!;
  if (!isEmpty) {
    const { id: histogram } = workbench.addViewer(id, "Histogram", { bins: 7 }, "person");
    workbench.addViewer(id, "Bar chart", { title: "Bars" }, "agent");
    workbench.setDock(id, moveTo(view().dock, { id: histogram, target: GRID, place: "top" }));
    workbench.setFilter(id, "column:Age", { kind: "range", column: "Age", min: 40 }, "person");
    workbench.setFilter(id, "viewer:x", { kind: "rows", rows: Bits.of(4, [1, 2, 3]) }, "person");
  }
  return { workbench, view, saved: JSON.parse(JSON.stringify(saveLayout(view()))) as SavedLayout };
}

function kept(room = Number.POSITIVE_INFINITY) {
  const storage = new Map<string, string>();
  const clock = { now: 1 };
  const store = new LayoutStore({
    storage: {
      getItem: (key) => storage.get(key) ?? null,
      setItem: (key, value) => {
        if (value.length > room) throw new Error("quota");
        storage.set(key, value);
      },
    },
    now: () => clock.now,
  });
  return { store, storage, clock };
}

/** In place of `"dock":`; the dock itself becomes a field that nobody knows. */
const DEEP_DOCK = `"dock":${'{"kind":"split","direction":"row","shares":[1],"parts":['.repeat(3_000)}{"kind":"stack","viewers":["grid"],"shown":"grid"}${"]}".repeat(3_000)},"other":`;

const typed = (saved: SavedLayout, type: string): SavedLayout => ({
  ...saved,
  viewers: saved.viewers.map((viewer) => ({ ...viewer, type })),
});
const looked = (saved: SavedLayout, look: Record<string, unknown>): SavedLayout => ({
  ...saved,
  viewers: saved.viewers.map((viewer) => ({ ...viewer, look })),
});
