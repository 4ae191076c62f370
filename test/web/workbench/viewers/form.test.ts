import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { form } from "../../../../src/web/workbench/viewers/form/definition.ts";
import { formOf } from "../../../../src/web/workbench/viewers/form/model.ts";
import { rowBeside } from "../../../../src/web/workbench/viewers/drawing/stage.tsx";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = () => newTable("people", [columnOf("Name", ["Ann", "Bo", null]), columnOf("Age", [30, 40.5, 50])]);
const look = (set: Look = {}): Look => wholeLook(form, table(), set);

describe("which row", () => {
  test.each([
    ["the first that is shown, without a current one", {}, -1, -1, 5, 1],
    ["the current one", {}, 2, 0, 5, 2],
    ["the one under the mouse", { syncMode: "Mouse over" }, 2, 0, 5, 0],
    ["the current one while the mouse is elsewhere", { syncMode: "Mouse over" }, 2, -1, 5, 2],
    ["one of its own", { syncMode: "None" }, 2, 0, 1, 1],
    ["the first, where its own is none", { syncMode: "None" }, 2, 0, -1, 1],
  ])("%s", (_, set, current, hover, own, row) => {
    const people = table();
    people.setFilter("x", { kind: "rows", rows: Bits.of(3, [1, 2]) });
    people.setCurrentRow(current);
    people.setHoverRow(hover);
    expect(formOf(people, look(set), own).row).toBe(row);
  });

  test("of an empty table none", () => {
    expect(formOf(newTable("none", [columnOf("a", [])]), { columnNames: ["a"] }, -1)).toMatchObject({
      row: -1,
      fields: [{ text: "", missing: true }],
    });
  });
});

test("the fields of a row", () => {
  const people = table();
  people.setCurrentRow(2);
  expect(formOf(people, look(), -1)).toEqual({
    row: 2,
    fields: [
      { name: "Name", type: "string", units: undefined, text: "", missing: true },
      { name: "Age", type: "double", units: undefined, text: "50", missing: false },
    ],
    hidden: 0,
    bar: { previous: true, next: true, selector: true, columns: true },
  });
});

test.each<[Look]>([
  [{ columnNames: ["Age"] }],
  [{ syncMode: "None" }],
  [{ showNavigation: false }],
  [{ showPrevRowArrow: false }],
  [{ showNextRowArrow: false }],
  [{ showRowSelector: false }],
  [{ showColumnSelector: false }],
])("%j changes the form", (set) => {
  const people = table();
  people.setCurrentRow(1);
  expect(formOf(people, look(set), 0)).not.toEqual(formOf(people, look(), 0));
});

test.each([
  [-1, 1, 1],
  [1, 1, 4],
  [4, 1, -1],
  [4, -1, 1],
  [1, -1, -1],
] as const)("the row after %i, direction %i", (from, direction, row) => {
  expect(rowBeside(Bits.of(6, [1, 4]), from, direction)).toBe(row);
});
