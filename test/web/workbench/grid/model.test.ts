import { describe, expect, it } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { sortedRows } from "../../../../src/web/workbench/data/sort.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import type { GridLook } from "../../../../src/web/workbench/grid/look.ts";
import { GridModel } from "../../../../src/web/workbench/grid/model.ts";
import type { Sorter } from "../../../../src/web/workbench/grid/order/sorter.ts";

const LETTERS = {
  digit: 8,
  textWidth: (text: string) => text.length * 7,
  nameWidth: (name: string) => name.length * 8,
};
const here: Sorter = (table, keys) => sortedRows(table, keys, Bits.all(table.rowCount));

function trees(): Table {
  return newTable("trees", [
    columnOf("name", ["fir", "elm", null, "oak", "elm"]),
    columnOf("height", [3, 9, 4, null, 1]),
    columnOf("old", [true, false, true, false, true]),
  ]);
}

function modelOf(table: Table, sorter: Sorter = here, look?: Partial<GridLook>): GridModel {
  const model = new GridModel({ table, sorter, letters: LETTERS, look });
  model.start();
  return model;
}

const rowsOf = ({ shown }: GridModel): readonly number[] => Array.from(shown.slice(0, shown.count));

describe("what a grid shows", () => {
  it("follows filters and order, and keeps the keyboard at its row", () => {
    const table = trees();
    const model = modelOf(table);
    expect(rowsOf(model)).toEqual([0, 1, 2, 3, 4]);
    model.setActive({ position: 4, place: 1 });
    model.setSort([{ column: "height", descending: false }]);
    expect(rowsOf(model)).toEqual([4, 0, 2, 1, 3]);
    expect(model.active).toEqual({ position: 0, place: 1 });
    table.setFilter("column:old", { kind: "categories", column: "old", values: ["true"] });
    expect(rowsOf(model)).toEqual([4, 0, 2]);
    expect(model.shown.positionOf(2)).toBe(2);
    expect(model.shown.positionOf(1)).toBe(-1);
    model.setSort([
      { column: "name", descending: true },
      { column: "height", descending: true },
    ]);
    expect(rowsOf(model)).toEqual([0, 4, 2]);
    table.setFilter("column:old", undefined);
    expect(rowsOf(model)).toEqual([3, 0, 1, 4, 2]);
    model.setSort([]);
    expect(rowsOf(model)).toEqual([0, 1, 2, 3, 4]);
  });

  it("goes to the nearest row when its own is filtered away", () => {
    const table = trees();
    const model = modelOf(table);
    model.setActive({ position: 4, place: 0 });
    table.setFilter("column:height", { kind: "range", column: "height", min: 3 });
    expect(rowsOf(model)).toEqual([0, 1, 2]);
    expect(model.active).toEqual({ position: 2, place: 0 });
  });

  it("takes only the newest of two orders that are made elsewhere", async () => {
    const answers: { readonly resolve: (rows: Int32Array) => void; readonly signal: AbortSignal }[] = [];
    const model = modelOf(
      trees(),
      (_table, _keys, signal) => new Promise((resolve) => answers.push({ resolve, signal })),
    );
    model.setSort([{ column: "name", descending: false }]);
    model.setSort([{ column: "height", descending: false }]);
    expect([model.isSorting, answers[0]?.signal.aborted, answers[1]?.signal.aborted]).toEqual([true, true, false]);
    answers[0]?.resolve(Int32Array.of(4, 3, 2, 1, 0));
    answers[1]?.resolve(Int32Array.of(1, 0, 2, 3, 4));
    await expect.poll(() => model.isSorting).toBe(false);
    expect(rowsOf(model)).toEqual([1, 0, 2, 3, 4]);
  });

  it("says why rows could not be sorted, and shows them all the same", async () => {
    const model = modelOf(trees(), () => Promise.reject(new Error("no memory")));
    model.setSort([{ column: "name", descending: false }]);
    await expect.poll(() => model.trouble).toBe("no memory");
    expect(rowsOf(model)).toEqual([0, 1, 2, 3, 4]);
  });

  it("sorts again when the column is another one, and not when nothing has changed", () => {
    const table = trees();
    let asked = 0;
    const model = modelOf(table, (...question) => {
      asked += 1;
      return here(...question);
    });
    model.setSort([{ column: "height", descending: false }]);
    model.setWidth("name", 300);
    table.putColumn(columnOf("other", [1, 2, 3, 4, 5]));
    expect(asked).toBe(1);
    table.putColumn(columnOf("height", [5, 4, 3, 2, 1]));
    expect([asked, rowsOf(model)]).toEqual([2, [4, 3, 2, 1, 0]]);
    table.removeColumn("height");
    expect([asked, rowsOf(model)]).toEqual([2, [0, 1, 2, 3, 4]]);
  });

  it("reports how it was arranged, and ignores missing columns", () => {
    const told: GridLook[] = [];
    const table = trees();
    const look = { pinned: ["gone", "old"], hidden: ["name", "never"], widths: { old: 80 } };
    const model = new GridModel({
      table,
      sorter: here,
      letters: LETTERS,
      look,
      onLook: (changed) => told.push(changed),
    });
    expect(
      model.plan.all.map(({ column, place, left, width, pinned }) => [column.name, place, left, width, pinned]),
    ).toEqual([
      ["old", 0, 44, 80, true],
      ["height", 1, 0, 116, false],
    ]);
    expect([model.plan.pinnedWidth, model.plan.freeWidth]).toEqual([124, 116]);
    model.setWidth("old", undefined);
    model.setLook({ hidden: [] });
    expect(told.at(-1)).toEqual({ pinned: ["gone", "old"], hidden: [], widths: {}, sort: [] });
    expect(model.plan.all.map(({ column }) => column.name)).toEqual(["old", "name", "height"]);
  });
});
