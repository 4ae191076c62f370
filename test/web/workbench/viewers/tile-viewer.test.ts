import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { checkLook, wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import { tileViewer } from "../../../../src/web/workbench/viewers/tile-viewer/definition.ts";
import {
  cardLines,
  cardText,
  tilesOf,
  type TileModel,
} from "../../../../src/web/workbench/viewers/tile-viewer/model.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = () =>
  newTable("tasks", [
    columnOf("Title", ["one", "two", "three", "four"]),
    columnOf("State", ["open", "done", "open", null]),
    columnOf("Size", [1, null, 3, 4]),
  ]);
const model = (set: Look, rows?: readonly number[]): TileModel => {
  const tasks = table();
  if (rows !== undefined) tasks.setFilter("x", { kind: "rows", rows: Bits.of(4, rows) });
  const made = tilesOf(tasks, wholeLook(tileViewer, tasks, checkLook(tileViewer, set, tasks)));
  if (typeof made === "string") throw new Error(made);
  return made;
};
const lanes = (made: TileModel): unknown => made.lanes.map(({ label, rows }) => [label, [...rows]]);

describe("lanes", () => {
  test.each<[string, Look, readonly number[] | undefined, unknown]>([
    ["none: all together", {}, undefined, [[undefined, [0, 1, 2, 3]]]],
    [
      "by the values, in their order",
      { lanesColumnName: "State" },
      undefined,
      [
        ["done", [1]],
        ["open", [0, 2]],
        ["(no value)", [3]],
      ],
    ],
    ["without those that no row has", { lanesColumnName: "State" }, [0], [["open", [0]]]],
    [
      "with them",
      { lanesColumnName: "State", showEmptyLanes: true },
      [0],
      [
        ["done", []],
        ["open", [0]],
      ],
    ],
    [
      "only some",
      { lanesColumnName: "State", lanes: ["open", "nowhere", "done"] },
      undefined,
      [
        ["open", [0, 2]],
        ["done", [1]],
      ],
    ],
  ])("%s", (_, set, rows, expected) => {
    expect(lanes(model(set, rows))).toEqual(expected);
  });

  test("too many are cut", () => {
    const many = newTable("many", [
      columnOf(
        "Id",
        Array.from({ length: 130 }, (_, at) => `v${String(at)}`),
      ),
    ]);
    const made = tilesOf(many, { lanesColumnName: "Id" });
    expect(typeof made !== "string" && [made.lanes.length, made.hidden]).toEqual([100, 30]);
  });
});

describe("cards", () => {
  test.each<[Look, readonly string[]]>([
    [{}, ["Title", "State", "Size"]],
    [{ columnsJson: '["Size", "Title", "gone"]' }, ["Size", "Title"]],
    [{ columnsJson: ["State"] }, ["State"]],
    [{ columnsJson: "not a list" }, ["Title", "State", "Size"]],
  ])("columns of %j", (set, names) => {
    expect(model(set).columns.map(({ name }) => name)).toEqual(names);
  });

  test("the fields and the own text of a row", () => {
    expect(cardLines(model({}), 1)).toEqual([
      { name: "Title", text: "two" },
      { name: "State", text: "done" },
      { name: "Size", text: "" },
    ]);
    expect(cardText(table(), "${title}: ${Size} ${nobody}", 2)).toBe("three: 3 ${nobody}");
    expect([
      model({ cardMarkup: "x" }).markup,
      model({ showSelectedRows: false }).showSelected,
      model({}).showSelected,
    ]).toEqual(["x", false, true]);
  });
});
