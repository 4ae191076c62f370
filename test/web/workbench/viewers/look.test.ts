import { describe, expect, it } from "vitest";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { checkLook, definitionOf, wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { ViewerDefinition } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = newTable("people", [
  columnOf("AGE", [20, 30, 40]),
  columnOf("Name", ["a", "b", "c"]),
  columnOf("Since", [new Date(0), new Date(1), null]),
]);

function named(type: string): ViewerDefinition {
  const found = definitionOf(type);
  if (found === undefined) throw new Error(`no ${type}`);
  return found;
}

const scatter = named("scatter plot");

describe("what is asked for is put right", () => {
  it.each([
    [{ x: "AGE" }, { xColumnName: "AGE" }],
    [{ xColumnName: "age" }, { xColumnName: "AGE" }],
    [{ XCOLUMNNAME: "Age" }, { xColumnName: "AGE" }],
    [{ color: "name" }, { colorColumnName: "Name" }],
    [{ size: "AGE" }, { sizeColumnName: "AGE" }],
    [{ xAxisType: "Logarithmic" }, { xAxisType: "logarithmic" }],
    [{ labelColumnNames: "name" }, { labelColumnNames: ["Name"] }],
    [
      { xMin: 1.5, showXAxis: false },
      { xMin: 1.5, showXAxis: false },
    ],
    [{ colorColumnName: null }, { colorColumnName: undefined }],
  ])("%j", (asked, expected) => {
    expect(checkLook(scatter, asked, table)).toEqual(expected);
  });

  it("takes an object for JSON", () => {
    expect(checkLook(named("Trellis plot"), { innerViewerLook: { bins: 3 } }, table)).toEqual({
      innerViewerLook: '{"bins":3}',
    });
  });
});

describe("what cannot be is refused in words that say what can", () => {
  it.each([
    [
      "Scatter plot",
      { colour: "AGE" },
      /Scatter plot has no property "colour"\. Its properties: xColumnName, yColumnName,/,
    ],
    [
      "Scatter plot",
      { x: "Weight" },
      'There is no column "Weight" for xColumnName. Columns that fit: AGE, Name, Since.',
    ],
    [
      "Histogram",
      { value: "Name" },
      "valueColumnName needs a numeric column; Name is string. Columns that fit: AGE, Since.",
    ],
    ["Histogram", { bins: 0 }, "bins must be from 1 to 500, not 0."],
    ["Histogram", { bins: 2.5 }, "bins must be a whole number, not 2.5."],
    ["Histogram", { bins: "20" }, 'bins must be a whole number, not "20".'],
    ["Histogram", { showXAxis: "yes" }, 'showXAxis must be true or false, not "yes".'],
    ["Histogram", { xAxisType: "log" }, 'xAxisType must be one of linear, logarithmic, not "log".'],
    ["Histogram", { valueColumnName: 3 }, "valueColumnName must be the name of a column, not 3."],
    ["Line chart", { yColumnNames: 3 }, "yColumnNames must be a list of column names, not 3."],
    ["Line chart", { yColumnNames: ["AGE", "Name"] }, /yColumnNames needs a numeric column; Name is string/],
    ["Line chart", { title: 5 }, "title must be a text, not 5."],
  ])("%s %j", (type, look, words) => {
    expect(() => checkLook(named(type), look, table)).toThrow(words);
  });
});

describe("the whole look", () => {
  it("is the defaults with what was set over them", () => {
    const look = wholeLook(named("Histogram"), table, { bins: 7, splitColumnName: "Name" });
    expect(look).toMatchObject({ valueColumnName: "AGE", bins: 7, splitColumnName: "Name", showXAxis: true });
    expect(look).not.toHaveProperty("valueMin");
  });

  it("forgets columns that are gone", () => {
    const look = wholeLook(named("Line chart"), table, { splitColumnName: "Gone", yColumnNames: ["Gone"] });
    expect(look["splitColumnName"]).toBeUndefined();
    expect(look["yColumnNames"]).toEqual(["AGE"]);
  });
});
