import { describe, expect, test } from "vitest";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import {
  cellText,
  orderedRows,
  pivotOf,
  type PivotModel,
} from "../../../../src/web/workbench/viewers/pivot-table/model.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = () =>
  newTable("orders", [
    columnOf("Region", ["S", "N", "S", "N", null]),
    columnOf("Kind", ["a", "a", "b", "a", "b"]),
    columnOf("Amount", [1, 2, 3, 4, 5]),
    columnOf("Day", [new Date(0), new Date(86_400_000), null, null, null]),
  ]);
const model = (look: Look): PivotModel => {
  const made = pivotOf(table(), look);
  if (typeof made === "string") throw new Error(made);
  return made;
};
const shown = (look: Look): unknown => {
  const { columns, rows, cut } = model(look);
  return [
    columns.map(({ path, measure }) => path.concat(measure.label)),
    rows.map(({ labels, cells }) => [labels, [...cells]].flat()),
    cut,
  ];
};
const none = Number.NaN;

describe("cells", () => {
  test.each<[string, Look, unknown]>([
    [
      "counts rows where no figure is chosen",
      { groupByColumnNames: ["Region"] },
      [
        [["count"]],
        [
          ["N", 2],
          ["S", 2],
          ["(no value)", 1],
        ],
        undefined,
      ],
    ],
    [
      "a column for each pivot value, and figure",
      {
        groupByColumnNames: ["Region"],
        pivotColumnNames: ["Kind"],
        aggregateColumnNames: ["Amount", "Amount"],
        aggregateAggTypes: ["sum", "max"],
      },
      [
        [
          ["a", "sum(Amount)"],
          ["a", "max(Amount)"],
          ["b", "sum(Amount)"],
          ["b", "max(Amount)"],
        ],
        [
          ["N", 6, 4, none, none],
          ["S", 1, 1, 3, 3],
          ["(no value)", none, none, 5, 5],
        ],
        undefined,
      ],
    ],
    [
      "nothing to group by: one row",
      { pivotColumnNames: ["Kind"] },
      [
        [
          ["a", "count"],
          ["b", "count"],
        ],
        [[3, 2]],
        undefined,
      ],
    ],
    [
      "two columns of labels",
      { groupByColumnNames: ["Region", "Kind"], aggregateColumnNames: ["Amount"] },
      [
        [["avg(Amount)"]],
        [
          ["N", "a", 3],
          ["S", "a", 1],
          ["S", "b", 3],
          ["(no value)", "b", 5],
        ],
        undefined,
      ],
    ],
  ])("%s", (_, look, expected) => {
    expect(shown(look)).toEqual(expected);
  });

  test("the rows behind a group and behind a cell", () => {
    const { rows, cellRows } = model({ groupByColumnNames: ["Region"], pivotColumnNames: ["Kind"] });
    expect([[...(rows[1]?.rows ?? [])], [...cellRows(1, 1)], [...cellRows(0, 1)]]).toEqual([[0, 2], [2], []]);
  });

  test("too many pivot values are cut in words", () => {
    const wide = newTable("wide", [
      columnOf(
        "Id",
        Array.from({ length: 250 }, (_, at) => `v${String(at)}`),
      ),
    ]);
    const made = pivotOf(wide, { pivotColumnNames: ["Id"] });
    expect(typeof made !== "string" && [made.columns.length, made.cut]).toEqual([
      200,
      "Shows 200 of 250 pivot values.",
    ]);
  });

  test("what cells say", () => {
    const [day, amount] = [table().column("Day"), table().column("Amount")];
    const text = (column: typeof day, kind: Parameters<typeof cellText>[0]["kind"], value: number): string =>
      cellText({ column, kind, label: "" }, value);
    expect([
      text(day, "max", 86_400_000),
      text(day, "values", 1_234),
      text(amount, "avg", 12_345.678),
      text(amount, "avg", none),
      text(undefined, "count", 4_321),
    ]).toEqual(["1970-01-02", "1,234", "12,345.678", "", "4,321"]);
  });
});

test.each([
  [undefined, [0, 1, 2]],
  [{ at: 0, descending: true }, [2, 1, 0]],
  [{ at: 1, descending: true }, [0, 1, 2]],
  [{ at: 1, descending: false }, [1, 0, 2]],
  [{ at: 2, descending: true }, [2, 1, 0]],
])("order %j; empty cells last", (order, places) => {
  const look = {
    groupByColumnNames: ["Region"],
    pivotColumnNames: ["Kind"],
    aggregateColumnNames: ["Amount"],
    aggregateAggTypes: ["sum"],
  };
  expect(orderedRows(model(look), order)).toEqual(places);
});
