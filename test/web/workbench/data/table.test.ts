import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import type { FilterSpec } from "../../../../src/web/workbench/data/filter.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import type { Table, Topic } from "../../../../src/web/workbench/data/table.ts";

function people(): Table {
  return newTable("people", [
    columnOf("Age", [30, 41, null, 18]),
    columnOf("Name", ["Ann", "bob", null, "Cid"]),
    columnOf("Well", [true, false, null, true]),
    columnOf("Born", [new Date("1990-01-31T00:00Z"), new Date("2000-02-29T12:30Z"), null, new Date(0)]),
    columnOf("Id", [12345678901234567890n, 5n, null, 7n]),
    columnOf("Size", [1.5, 0.1 + 0.2, null, -2]),
  ]);
}

describe("which rows a filter lets through", () => {
  test.each<[FilterSpec, readonly number[]]>([
    [{ kind: "range", column: "Age", min: 18, max: 30 }, [0, 3]],
    [{ kind: "range", column: "age", min: 31 }, [1]],
    [{ kind: "range", column: "Age", max: 30, missing: true }, [0, 2, 3]],
    [{ kind: "range", column: "Age" }, [0, 1, 3]],
    [{ kind: "range", column: "Born", min: Date.UTC(1990, 0, 1) }, [0, 1]],
    [{ kind: "range", column: "Id", max: 7 }, [1, 3]],
    [{ kind: "range", column: "Name", min: 0, missing: true }, [2]],
    [{ kind: "categories", column: "Name", values: ["bob", null] }, [1, 2]],
    [{ kind: "categories", column: "Name", values: [] }, []],
    [{ kind: "categories", column: "Age", values: ["41", "18"] }, [1, 3]],
    [{ kind: "categories", column: "Well", values: ["true", null] }, [0, 2, 3]],
    [{ kind: "categories", column: "Born", values: ["1990-01-31", "2000-02-29 12:30"] }, [0, 1]],
    [{ kind: "categories", column: "Size", values: ["0.30000000000000004"] }, [1]],
    [{ kind: "contains", column: "Name", text: "B" }, [1]],
    [{ kind: "contains", column: "Name", text: "" }, [0, 1, 2, 3]],
    [{ kind: "contains", column: "Born", text: "2000-" }, [1]],
    [{ kind: "formula", expression: "[Age] > 20 and not Well" }, [1]],
    [{ kind: "rows", rows: Bits.of(4, [1, 2]) }, [1, 2]],
  ])("%j", (filter, expected) => {
    const table = people();
    table.setFilter("test", filter);
    expect([...table.filtered.rows()]).toEqual(expected);
  });

  test.each<[FilterSpec, string]>([
    [
      { kind: "range", column: "Agee" },
      'There is no column "Agee" to filter by. Columns: Age, Name, Well, Born, Id, Size.',
    ],
    [{ kind: "formula", expression: "[Age] >" }, "The formula ends where a value should follow"],
    [{ kind: "formula", expression: "[Age]" }, "A condition must give true or false"],
    [{ kind: "rows", rows: new Bits(5) }, "The rows are of a table with 5 rows, this one has 4."],
  ])("%j is refused and changes nothing", (filter, words) => {
    const table = people();
    table.setFilter("a", { kind: "range", column: "Age", min: 20 });
    const before = table.filtered;
    expect(() => table.setFilter("test", filter)).toThrow(words);
    expect(() => table.setFilters(new Map([["x", filter]]))).toThrow(words);
    expect(table.filtered).toBe(before);
    expect([...table.filters.keys()]).toEqual(["a"]);
  });
});

describe("a table", () => {
  test("filters hold together, and a viewer sees the rows without its own", () => {
    const table = people();
    table.setFilter("a", { kind: "range", column: "Age", min: 20 });
    table.setFilter("b", { kind: "categories", column: "Well", values: ["true"] });
    expect([...table.filtered.rows()]).toEqual([0]);
    expect([...table.filteredWithout("b").rows()]).toEqual([0, 1]);
    table.setFilter("a", undefined);
    expect([...table.filtered.rows()]).toEqual([0, 3]);
  });

  test("a column that goes or changes takes its filters along", () => {
    const table = people();
    table.setFilter("a", { kind: "range", column: "age", min: 20 });
    table.setFilter("b", { kind: "formula", expression: "Age > 20" });
    table.setFilter("c", { kind: "contains", column: "Name", text: "c" });
    table.putColumn(columnOf("Age", [1, 2, 3, 99]));
    expect([...table.filtered.rows()]).toEqual([3]);
    table.removeColumn("Age");
    expect([[...table.filters.keys()], [...table.filtered.rows()]]).toEqual([["c"], [3]]);
  });

  test("listeners hear what they asked for, and versions grow", () => {
    const table = people();
    const heard: Topic[] = [];
    const topics: readonly Topic[] = ["columns", "filter", "selection", "rows"];
    const stops = topics.map((topic) => table.subscribe([topic], () => heard.push(topic)));
    table.select(Bits.of(4, [1]));
    table.setCurrentRow(2);
    table.setCurrentRow(2);
    table.setHoverRow(1);
    table.putColumn(columnOf("New", [1, 2, 3, 4]), 0);
    table.rename("other");
    table.setFilter("a", { kind: "range", column: "Age", min: 20 });
    for (const stop of stops) stop();
    table.setFilter("a", undefined);
    expect(heard).toEqual(["selection", "rows", "rows", "columns", "columns", "filter"]);
    expect(topics.map((topic) => table.version(topic))).toEqual([2, 2, 1, 2]);
    expect(table.columns.map(({ name }) => name)).toEqual(["New", "Age", "Name", "Well", "Born", "Id", "Size"]);
  });

  test("columns of another length or of one name are refused", () => {
    expect(() => people().putColumn(columnOf("New", [1]))).toThrow('The column "New" has 1 rows, the table has 4.');
    expect(() => newTable("t", [columnOf("a", [1]), columnOf("b", [1, 2])])).toThrow('The column "b" has 2 rows');
    expect(() => newTable("t", [columnOf("a", [1]), columnOf("a", [1])])).toThrow('Two columns are named "a"');
  });

  test("each has an id of its own", () => {
    expect(people().id).toMatch(/^table-[a-z2-7]{12}$/);
    expect(people().id).not.toBe(people().id);
  });
});
