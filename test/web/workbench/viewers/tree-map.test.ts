import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { treeMap } from "../../../../src/web/workbench/viewers/tree-map/definition.ts";
import {
  find,
  place,
  placedAt,
  spaceOf,
  treeMapSteps,
  type RowBranch,
} from "../../../../src/web/workbench/viewers/tree-map/model.ts";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";
import { finish } from "../../../../src/web/workbench/viewers/groups/steps.ts";

const table = () =>
  newTable("orders", [
    columnOf("Region", ["N", "N", "S", "S", "S", null]),
    columnOf("Kind", ["a", "b", "a", "a", "b", "a"]),
    columnOf("Amount", [1, 2, 3, 4, -5, 6]),
    columnOf("Price", [10, 20, 30, 50, 40, 60]),
  ]);
const look = (set: Look): Look => wholeLook(treeMap, table(), set);
const outline = ({ label, size, colour, rows, parts }: RowBranch): unknown => [
  label,
  size,
  colour,
  [...rows],
  parts.map(outline),
];

describe("the tree", () => {
  test("without sizes counts rows; values in order, none last", () => {
    const model = finish(treeMapSteps(table(), look({ splitByColumnNames: ["Region"] })));
    expect(typeof model !== "string" && outline(model.root)).toEqual([
      "All",
      6,
      Number.NaN,
      [0, 1, 2, 3, 4, 5],
      [
        ["N", 2, Number.NaN, [0, 1], []],
        ["S", 3, Number.NaN, [2, 3, 4], []],
        ["(no value)", 1, Number.NaN, [5], []],
      ],
    ]);
  });

  test("nested, with sizes and colours; a negative sum has no area", () => {
    const set = {
      splitByColumnNames: ["Region", "Kind"],
      sizeColumnName: "Amount",
      colorColumnName: "Price",
      colorAggrType: "max",
    };
    const model = finish(treeMapSteps(table(), look(set)));
    if (typeof model === "string") throw new Error(model);
    expect(model.root.parts.map(outline)).toEqual([
      [
        "N",
        3,
        Number.NaN,
        [0, 1],
        [
          ["a", 1, 10, [0], []],
          ["b", 2, 20, [1], []],
        ],
      ],
      [
        "S",
        7,
        Number.NaN,
        [2, 3, 4],
        [
          ["a", 7, 50, [2, 3], []],
          ["b", 0, 40, [4], []],
        ],
      ],
      ["(no value)", 6, Number.NaN, [5], [["a", 6, 60, [5], []]]],
    ]);
    expect([model.colours, model.without]).toEqual([{ min: 10, max: 60 }, 1]);
    const south = model.root.parts[1];
    expect(south && [model.colourOf(south), find(model.root, south.key)?.label, south.path]).toEqual([50, "S", ["S"]]);
  });

  test("only rows that are shown", () => {
    const filtered = table();
    filtered.setFilter("x", { kind: "rows", rows: Bits.of(6, [0, 2]) });
    const model = finish(treeMapSteps(filtered, look({ splitByColumnNames: ["Region"] })));
    expect(typeof model !== "string" && model.root.parts.map(({ label, size }) => [label, size])).toEqual([
      ["N", 1],
      ["S", 1],
    ]);
    filtered.setFilter("x", { kind: "rows", rows: new Bits(6) });
    expect(finish(treeMapSteps(filtered, look({ splitByColumnNames: ["Region"] })))).toBe("All rows are filtered out.");
  });

  test("too many groups and no columns in words", () => {
    const many = newTable("many", [
      columnOf(
        "Id",
        Array.from({ length: 5_001 }, (_, at) => `id ${String(at)}`),
      ),
    ]);
    expect(finish(treeMapSteps(many, { splitByColumnNames: ["Id"] }))).toBe(
      "Id makes more than 5,000 groups. Choose columns with fewer values, or filter.",
    );
    expect(finish(treeMapSteps(table(), { splitByColumnNames: [] }))).toBe("Choose one or more columns to split by.");
  });

  test.each<[string, Look]>([
    ["splitByColumnNames", { splitByColumnNames: ["Kind"] }],
    ["sizeColumnName", { sizeColumnName: "Amount" }],
    ["sizeAggrType", { sizeColumnName: "Amount", sizeAggrType: "max" }],
    ["colorColumnName", { colorColumnName: "Price" }],
    ["colorAggrType", { colorColumnName: "Price", colorAggrType: "min" }],
  ])("%s changes the tree", (name, set) => {
    const { [name]: _, ...without } = set;
    const shown = (one: Look): unknown => {
      const model = finish(treeMapSteps(table(), look({ splitByColumnNames: ["Region"], ...one })));
      return typeof model === "string" ? model : outline(model.root);
    };
    expect(shown(set)).not.toEqual(shown(without));
  });
});

describe("the picture", () => {
  const model = finish(treeMapSteps(table(), look({ splitByColumnNames: ["Region", "Kind"] })));
  if (typeof model === "string") throw new Error(model);

  test("areas are as the sizes, inside the margins", () => {
    const space = spaceOf(
      { outerMarginLeft: 10, outerMarginTop: 20, outerMarginRight: 30, outerMarginBottom: 40 },
      640,
      460,
    );
    expect(space).toEqual({ left: 10, top: 20, width: 600, height: 400 });
    const placed = place(model.root, space);
    for (const one of placed) {
      expect(one.x >= 10 && one.y >= 20 && one.x + one.width <= 610 && one.y + one.height <= 420).toBe(true);
    }
    const area = (label: string): number =>
      placed
        .filter(({ branch }) => branch.path.join("/") === label)
        .reduce((sum, { width, height }) => sum + width * height, 0);
    expect(area("S") / area("N")).toBeCloseTo(3 / 2, 1);
    expect(area("S") / area("(no value)")).toBeCloseTo(3, 1);
  });

  test("the innermost is found", () => {
    const placed = place(model.root, { left: 0, top: 0, width: 300, height: 200 });
    const leaf = placed.find(({ branch }) => branch.path.join("/") === "S/b");
    expect(leaf && placedAt(placed, leaf.x + 1, leaf.y + 1)?.branch.path).toEqual(["S", "b"]);
    expect(placedAt(placed, -1, -1)).toBeUndefined();
  });
});
