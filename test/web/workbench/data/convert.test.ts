import { describe, expect, test } from "vitest";
import { isMissing, valueAt, type Column, type ColumnType } from "../../../../src/web/workbench/data/column.ts";
import { convertColumn, decimalOf, humanNumber } from "../../../../src/web/workbench/data/convert.ts";
import { renamedFormula } from "../../../../src/web/workbench/data/formula/rename.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";

const values = (column: Column, rows: number): readonly unknown[] =>
  Array.from({ length: rows }, (_, row) => (isMissing(column, row) ? null : valueAt(column, row)));

describe("a column in another type", () => {
  test.each<readonly [string, readonly (string | number | boolean | null)[], ColumnType, readonly unknown[], number]>([
    ["texts as numbers", ["1", "2.5", "x", null], "double", [1, 2.5, null, null], 1],
    ["money and percent", ["$1,234.50", "-€5", "12%", "1 000 USD"], "double", [1234.5, -5, 0.12, 1000], 0],
    ["decimal commas", ["1.234,56", "7,5", "12"], "double", [1234.56, 7.5, 12], 0],
    ["whole numbers", [1, 2.5, 3], "int", [1, null, 3], 1],
    ["yes and no", ["Yes", "no", "y", "maybe", "0"], "bool", [true, false, true, null, false], 1],
    ["numbers as texts", [1, 2.5, null], "string", ["1", "2.5", null], 0],
    ["large whole numbers", ["12345678901234567890", "1.5"], "bigint", ["12345678901234567890", null], 1],
    ["truth as numbers", [true, false, null], "int", [1, 0, null], 0],
  ])("%s", (_, given, type, wanted, misfits) => {
    const converted = convertColumn(columnOf("a", given), type);
    expect(converted.column.type).toBe(type);
    expect(values(converted.column, given.length)).toEqual(wanted);
    expect(converted.misfits).toBe(misfits);
  });

  test("dates in words become times; anything else is reported with its row", () => {
    const { column, misfits, examples } = convertColumn(
      columnOf("day", ["Jun 12 1998", "2001-02-03", "soon"]),
      "datetime",
    );
    expect(values(column, 3)).toEqual([new Date("1998-06-12T00:00:00Z"), new Date("2001-02-03T00:00:00Z"), null]);
    expect([misfits, examples]).toEqual([1, [{ row: 2, text: "soon" }]]);
  });

  test("many misfits are counted, and a few are told", () => {
    const { misfits, examples } = convertColumn(
      columnOf(
        "a",
        Array.from({ length: 50 }, (_, row) => `x${row}`),
      ),
      "int",
    );
    expect([misfits, examples.length]).toEqual([50, 5]);
  });

  test("the formula goes with the values that it made; units stay", () => {
    const column = { ...columnOf("a", [1, 2]), formula: "[b] * 2", units: "kg" };
    const { column: made } = convertColumn(column, "string");
    expect([made.formula, made.units]).toEqual([undefined, "kg"]);
  });

  test.each([
    [["1,234", "5"], "point"],
    [["1.234,5"], "comma"],
    [["1,5", "2,25"], "comma"],
    [["1,5", "2.25"], "point"],
  ] as const)("decimals of %j are written with a %s", (texts, decimal) => expect(decimalOf(texts)).toBe(decimal));

  test.each(["", "abc", "1,2,3", "12,34", "--5", "$", "%", "1 2"])("%j is no number", (text) =>
    expect(humanNumber(text, "point")).toBeNaN(),
  );
});

describe("a formula after a column got another name", () => {
  const table = newTable("t", [columnOf("AGE", [1]), columnOf("and", [1]), columnOf("sum", [1])]);
  test.each([
    ["${AGE} + 1", "${Age 2} + 1"],
    ["[age]*2", "${Age 2}*2"],
    ["AGE  > 3 and AGE < 9", "${Age 2}  > 3 and ${Age 2} < 9"],
    ['"AGE" = ${AGE}', '"AGE" = ${Age 2}'],
    ["AGED + 1", "AGED + 1"],
    ["${AGE", "${AGE"],
  ])("%s", (before, after) => expect(renamedFormula(before, table, { from: "AGE", to: "Age 2" })).toBe(after));

  test("words of the language and functions stay; signs in a name are written so that they are read back", () => {
    expect(renamedFormula("true and [and] = 1", table, { from: "and", to: "x}" })).toBe("true and ${x\\}} = 1");
    expect(renamedFormula("sum(AGE) + sum", table, { from: "sum", to: "s" })).toBe("sum(AGE) + ${s}");
  });
});
