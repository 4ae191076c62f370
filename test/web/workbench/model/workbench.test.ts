import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { textAt } from "../../../../src/web/workbench/data/format.ts";
import { compileFormula } from "../../../../src/web/workbench/data/formula.ts";
import { columnOf } from "../../../../src/web/workbench/data/make.ts";
import { dockIds, GRID, stackOf } from "../../../../src/web/workbench/model/dock.ts";
import { people, seen, words, world } from "./world.ts";

describe("the workbench", () => {
  test("viewers have ids as document 000 has them, and titles", () => {
    const { workbench } = world();
    const view = workbench.addTable(people(), "person");
    const viewer = workbench.addViewer(view.id, "Histogram", { value: "age", bins: 5 }, "agent");
    expect(viewer).toEqual({
      id: expect.stringMatching(/^viewer(-[0-9a-z]{6}){3}$/) as string,
      type: "Histogram",
      look: { valueColumnName: "Age", bins: 5 },
      title: "Histogram of Age",
    });
    expect(workbench.current?.viewers).toEqual([viewer]);
    expect(dockIds(workbench.current?.dock ?? stackOf("?"))).toEqual([GRID, viewer.id]);
    expect(workbench.adjustViewer(view.id, viewer.id, { title: "Ages", bins: undefined }, "person")).toBe(true);
    expect(workbench.current?.viewers).toEqual([
      { ...viewer, look: { valueColumnName: "Age", title: "Ages" }, title: "Ages" },
    ]);
    expect(words(workbench.actions)).toEqual([
      "person: Opened people",
      "agent: Added Histogram of Age",
      "person: Changed Ages: title, bins",
    ]);
  });

  test.each<readonly [string, (at: ReturnType<typeof opened>) => unknown, string]>([
    [
      "a type that is not there",
      ({ workbench, id }) => workbench.addViewer(id, "Calendar", {}, "agent"),
      "no viewer type",
    ],
    [
      "a property that is not there",
      ({ workbench, id }) => workbench.addViewer(id, "Histogram", { nope: 1 }, "agent"),
      "no property",
    ],
    [
      "a column that is not there",
      ({ workbench, id }) => workbench.addViewer(id, "Histogram", { value: "X" }, "agent"),
      "no column",
    ],
    [
      "a value out of range",
      ({ workbench, id, viewer }) => workbench.adjustViewer(id, viewer, { bins: 0 }, "agent"),
      "from 1 to 100",
    ],
    [
      "a view that is not there",
      ({ workbench }) => workbench.addViewer("view-x", "Histogram", {}, "agent"),
      "no open view",
    ],
    [
      "a filter on no column",
      ({ workbench, id }) => workbench.setFilter(id, "agent", { kind: "contains", column: "X", text: "a" }, "agent"),
      "X",
    ],
    [
      "a column of another length",
      ({ workbench, id }) => workbench.putColumn(id, columnOf("B", [1]), "agent"),
      "has 1 rows",
    ],
    [
      "a column without a name",
      ({ workbench, id }) => workbench.putColumn(id, columnOf(" ", [1, 2, 3, 4]), "agent"),
      "needs a name",
    ],
    [
      "removing a column that is not there",
      ({ workbench, id }) => workbench.removeColumn(id, "X", "agent"),
      "it has Name, Age, Sex",
    ],
    [
      "a selection of another table",
      ({ workbench, id }) => workbench.select(id, new Bits(9), "agent"),
      "another table",
    ],
    ["a dock without the grid", ({ workbench, id, viewer }) => workbench.setDock(id, stackOf(viewer)), "exactly once"],
  ])("refuses %s, and nothing changes", (_, work, message) => {
    const at = opened();
    const before = [seen(at.view()), at.workbench.actions];
    expect(() => work(at)).toThrow(message);
    expect([seen(at.view()), at.workbench.actions]).toEqual(before);
  });

  test("a viewer that does not exist is not adjusted or removed", () => {
    const { workbench, id } = opened();
    expect(workbench.adjustViewer(id, "viewer-x", { bins: 3 }, "agent")).toBe(false);
    expect(workbench.removeViewer(id, "viewer-x", "agent")).toBe(false);
  });

  test("undo of an action takes back first what builds on it, and leaves the rest", () => {
    const { workbench, id, viewer } = opened();
    workbench.select(id, Bits.of(4, [1]), "person");
    workbench.adjustViewer(id, viewer, { bins: 3 }, "person");
    const added = workbench.actions.find(({ words: text }) => text.startsWith("Added"));
    workbench.undo(added?.id ?? "");
    expect(words(workbench.actions)).toEqual([
      "person: Opened people",
      "✗ agent: Added Histogram of Age",
      "person: Selected 1 row",
      "✗ person: Changed Histogram of Age: bins",
    ]);
    expect(workbench.current?.viewers).toEqual([]);
    expect([...(workbench.current?.table.selected.rows() ?? [])]).toEqual([1]);
  });

  test("redo brings back first what an action needs; it is then the newest", () => {
    const { workbench, id, viewer } = opened();
    workbench.adjustViewer(id, viewer, { bins: 3 }, "person");
    workbench.undo(workbench.actions[1]?.id ?? "");
    const changed = workbench.actions.find(({ words: text }) => text.startsWith("Changed"));
    workbench.redo(changed?.id ?? "");
    expect(workbench.current?.viewers).toEqual([
      { id: viewer, type: "Histogram", look: { bins: 3 }, title: "Histogram of Age" },
    ]);
    expect(words(workbench.actions)).toEqual([
      "person: Opened people",
      "agent: Added Histogram of Age",
      "person: Changed Histogram of Age: bins",
    ]);
  });

  test("the next undo and redo are those of every editor", () => {
    const { workbench, id } = opened();
    workbench.select(id, Bits.of(4, [1]), "person");
    workbench.select(id, Bits.of(4, [2]), "person");
    const last = workbench.next.undo;
    expect(last?.words).toBe("Selected 1 row");
    workbench.undo(last?.id ?? "");
    expect([...workbench.current!.table.selected.rows()]).toEqual([1]);
    expect(workbench.next.redo?.id).toBe(last?.id);
    workbench.redo(last?.id ?? "");
    expect([...workbench.current!.table.selected.rows()]).toEqual([2]);
    workbench.undo(last?.id ?? "");
    workbench.select(id, Bits.of(4, [3]), "person");
    expect(workbench.next.redo).toBeUndefined();
  });

  test("undoAgent takes back what agents did since an action, newest first, and counts it", () => {
    const { workbench, id } = opened();
    const since = workbench.actions.at(-1);
    workbench.select(id, Bits.of(4, [1]), "person");
    workbench.setFilter(id, "agent", { kind: "categories", column: "Sex", values: ["F"] }, "agent");
    workbench.putColumn(id, columnOf("Double", [62, 84, 106, null]), "agent");
    workbench.addViewer(id, "Bar chart", { value: "Double" }, "agent");
    expect(workbench.undoAgent(since?.id)).toBe(3);
    expect(words(workbench.actions)).toEqual([
      "person: Opened people",
      "agent: Added Histogram of Age",
      "person: Selected 1 row",
      "✗ agent: Filtered Sex to F",
      "✗ agent: Added the column Double",
      "✗ agent: Added Bar chart of Double",
    ]);
    expect(workbench.undoAgent()).toBe(1);
    expect(workbench.current?.viewers).toEqual([]);
    expect(workbench.undoAgent()).toBe(0);
  });

  test("a viewer on a column goes with the action that made the column", () => {
    const { workbench, id } = opened();
    workbench.putColumn(id, columnOf("Double", [62, 84, 106, null]), "agent");
    workbench.addViewer(id, "Bar chart", { value: "Double" }, "person");
    const made = workbench.actions.find(({ words: text }) => text === "Added the column Double");
    workbench.undo(made?.id ?? "");
    expect(workbench.current?.viewers.map(({ title }) => title)).toEqual(["Histogram of Age"]);
    expect(workbench.current?.table.columns.map(({ name }) => name)).toEqual(["Name", "Age", "Sex"]);
  });

  test("a column that is removed takes its filters along, and brings them back", () => {
    const { workbench, id, view } = opened();
    workbench.setFilter(id, "column:Age", { kind: "range", column: "Age", min: 40 }, "person");
    workbench.setFilter(id, "agent", { kind: "formula", expression: "${Age} < 50" }, "agent");
    const before = seen(view());
    workbench.removeColumn(id, "Age", "person");
    expect(view().table.filters.size).toBe(0);
    workbench.undo(workbench.next.undo?.id ?? "");
    expect(seen(view())).toEqual(before);
  });

  test("a closed view comes back with all that it had", () => {
    const { workbench, id, view } = opened();
    const other = workbench.addTable(people("other"), "person");
    workbench.show(id);
    const before = seen(view());
    workbench.closeView(id, "person");
    expect(workbench.current?.id).toBe(other.id);
    workbench.undo(workbench.next.undo?.id ?? "");
    expect(workbench.views.map((one) => one.id)).toEqual([id, other.id]);
    expect(workbench.current?.id).toBe(id);
    expect(seen(view())).toEqual(before);
  });

  test("tables of views that were closed long ago are given free", () => {
    const { workbench } = world();
    for (let number = 0; number < 8; number += 1) {
      const view = workbench.addTable(people(`t${number}`), "person");
      workbench.closeView(view.id, "person");
    }
    expect(words(workbench.actions)).toEqual(
      [3, 4, 5, 6, 7].flatMap((number) => [`person: Opened t${number}`, `person: Closed t${number}`]),
    );
  });

  test("what a viewer filters and selects on the table is a person's action", () => {
    const { workbench, id, view, clock } = opened();
    const before = seen(view());
    const { table } = view();
    table.setFilter("column:Sex", { kind: "categories", column: "Sex", values: ["M"] });
    table.select(Bits.of(4, [1, 2]));
    clock.step = 100;
    for (const min of [32, 36, 40]) table.setFilter("column:Age", { kind: "range", column: "Age", min });
    expect(words(workbench.actions).slice(2)).toEqual([
      "person: Filtered Sex to M",
      "person: Selected 2 rows",
      "person: Filtered Age from 40",
    ]);
    const last = workbench.next.undo?.id ?? "";
    workbench.undo(last);
    expect(table.filters.has("column:Age")).toBe(false);
    workbench.redo(last);
    expect(table.filters.get("column:Age")).toEqual({ kind: "range", column: "Age", min: 40 });
    for (const { id: action } of workbench.actions.slice(2).toReversed()) workbench.undo(action);
    expect(seen(view())).toEqual(before);
    expect(workbench.current?.id).toBe(id);
  });

  test("only the newest 500 actions are kept, and older ones say so", () => {
    const { workbench, id } = opened();
    const first = workbench.actions[0]?.id ?? "";
    for (let number = 0; number < 520; number += 1) workbench.select(id, Bits.of(4, [number % 4]), "person");
    expect(workbench.actions).toHaveLength(500);
    expect(() => workbench.undo(first)).toThrow("too old");
  });

  test("cells are changed one by one, formulas follow, and each is taken back alone", () => {
    const { workbench } = world();
    const { id, table } = workbench.addTable(people(), "person");
    workbench.putColumn(id, compileFormula("[Age] * 2", table).column("Double"), "person");
    workbench.putColumn(id, compileFormula("[Double] + 1", table).column("More"), "person");
    const before = table.columns;
    const values = (name: string): readonly string[] =>
      [0, 1, 2, 3].map((row) => textAt(table.column(name) ?? columnOf("", []), row));
    workbench.editCells(id, [{ column: "age", row: 0, text: "32" }], "agent");
    workbench.editCells(id, [{ column: "Age", row: 3, text: "64" }], "person");
    expect([values("Age"), values("More")]).toEqual([
      ["32", "42", "53", "64"],
      ["65", "85", "107", "129"],
    ]);
    const done = workbench.actions.slice(-2);
    expect(words(done)).toEqual(["agent: Changed Age in row 1 to 32", "person: Changed Age in row 4 to 64"]);
    expect(workbench.undoAgent()).toBe(1);
    expect([values("Age")[0], values("Double")[0], values("More")[3]]).toEqual(["31", "62", "129"]);
    workbench.undo(done[1]?.id ?? "");
    expect(table.columns).toEqual(before);
    const known = workbench.actions.length;
    workbench.editCells(id, [{ column: "Age", row: 0, text: "31" }], "person");
    const wrong = [
      [{ column: "Double", row: 0, text: "1" }, /worked out by a formula/],
      [{ column: "Age", row: 4, text: "1" }, /has no row 5/],
      [{ column: "Agee", row: 0, text: "1" }, /no column Agee/],
      [{ column: "Age", row: 0, text: "x" }, /not a number/],
    ] as const;
    for (const [edit, refused] of wrong)
      expect(() => workbench.editCells(id, [{ column: "Name", row: 0, text: "Eve" }, edit], "person")).toThrow(refused);
    expect([table.columns, workbench.actions.length]).toEqual([before, known]);
  });

  test("the same table is opened once", () => {
    const { workbench } = world();
    const table = people();
    const view = workbench.addTable(table, "person");
    workbench.addTable(people("other"), "person");
    expect(workbench.addTable(table, "agent")).toBe(view);
    expect(workbench.current).toBe(view);
    expect(workbench.views).toHaveLength(2);
  });
});

function opened() {
  const { workbench, clock } = world();
  const { id } = workbench.addTable(people(), "person");
  const viewer = workbench.addViewer(id, "Histogram", {}, "agent").id;
  return { workbench, clock, id, viewer, view: () => workbench.views.find((one) => one.id === id)! };
}
