import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf } from "../../../../src/web/workbench/data/make.ts";
import { statsOf } from "../../../../src/web/workbench/data/stats.ts";
import {
  ordered,
  STATS,
  statText,
  type StatisticsOrder,
} from "../../../../src/web/workbench/viewers/statistics/model.ts";

const columns = [
  columnOf("Name", ["b", "a", null, "b"]),
  columnOf("Age", [10, 20, 60, 30]),
  columnOf("Born", [new Date("2020-01-01"), new Date("2020-01-03"), null, new Date("2020-01-02")]),
];
const rows = columns.map((column) => ({ column, stats: statsOf(column) }));

test.each([
  // values nulls unique min max avg med stdev sum q1 q3
  ["Name", ["3", "1", "2", "", "", "", "", "", "", "", ""]],
  ["Age", ["4", "0", "4", "10", "60", "30", "25", "≈21.60246899", "120", "17.5", "37.5"]],
  [
    "Born",
    [
      "3",
      "1",
      "3",
      "2020-01-01",
      "2020-01-03",
      "2020-01-02",
      "2020-01-02",
      "1 d",
      "",
      "2020-01-01 12:00",
      "2020-01-02 12:00",
    ],
  ],
])("figures of %s", (name, figures) => {
  const row = rows.find(({ column }) => column.name === name);
  expect(row && STATS.map((stat) => statText(row, stat))).toEqual(figures);
});

test("only over some rows, and nothing before it is counted", () => {
  const column = columns[1];
  if (column === undefined) throw new Error("no column");
  const some = { column, stats: statsOf(column, Bits.of(4, [0, 1])) };
  expect(STATS.map((stat) => statText(some, stat)).slice(0, 6)).toEqual(["2", "0", "2", "10", "20", "15"]);
  expect(statText({ column, stats: undefined }, "avg")).toBe("");
});

describe("order", () => {
  test.each<[StatisticsOrder | undefined, readonly string[]]>([
    [undefined, ["Name", "Age", "Born"]],
    [{ by: "name", descending: false }, ["Age", "Born", "Name"]],
    [{ by: "type", descending: true }, ["Name", "Age", "Born"]],
    [{ by: "unique", descending: true }, ["Age", "Born", "Name"]],
    [{ by: "avg", descending: false }, ["Age", "Born", "Name"]],
    [{ by: "avg", descending: true }, ["Born", "Age", "Name"]],
  ])("%j", (order, names) => {
    expect(ordered(rows, order).map(({ column }) => column.name)).toEqual(names);
  });
});
