import { describe, expect, test } from "vitest";
import { parseCell, readCell, withCells } from "../../../../src/web/workbench/data/cell-edit.ts";
import type { ColumnFormat } from "../../../../src/web/workbench/data/column-format.ts";
import type { Column } from "../../../../src/web/workbench/data/column.ts";
import { columnOfDecimals, columnOfUnits } from "../../../../src/web/workbench/data/decimal.ts";
import { formatted, shownAt } from "../../../../src/web/workbench/data/display.ts";
import { textAt } from "../../../../src/web/workbench/data/format.ts";
import { columnOf } from "../../../../src/web/workbench/data/make.ts";

const texts = columnOf("t", ["a", "b", "c", "a"]);
const numbers = columnOf("n", [1.5, null, 3]);
const days = columnOf("d", [new Date("2024-05-17T09:05:30.250Z"), null]);
const written = (column: Column, text: string, row = 0): string =>
  textAt(withCells(column, [{ row, cell: parseCell(column, text) }]), row);

describe("a value that is written into a cell", () => {
  test.each([
    [texts, " x ", " x "],
    [texts, "  ", ""],
    [numbers, "$1,234.50", "1234.5"],
    [numbers, "12%", "0.12"],
    [numbers, "Infinity", "Infinity"],
    [columnOf("i", [1, 2]), "7", "7"],
    [columnOf("b", [true, false]), "no", "false"],
    [days, "17 May 2024", "2024-05-17"],
    [columnOf("g", ["90071992547409930"], "bigint"), " -12345678901234567890 ", "-12345678901234567890"],
    [columnOfDecimals("e", ["12345678901234567890.01"]), "12345678901234567890.02", "12345678901234567890.02"],
    [columnOfUnits("u", [10_050n], 4), "1.25", "1.25"],
  ])("in %j: %j becomes %j", (column, text, expected) => {
    expect(written(column, text)).toBe(expected);
  });

  test.each([
    [numbers, "many", /“many” is not a number/],
    [numbers, "1.00000000000000000001", /more digits than this column can hold/],
    [columnOf("i", [1, 2]), "1.5", /not a whole number/],
    [columnOf("b", [true, false]), "perhaps", /neither true nor false/],
    [days, "2024-13-01", /is not a date/],
    [columnOf("g", ["1"], "bigint"), "1.5", /not a whole number/],
    [columnOfUnits("u", [10_050n], 2), "1.255", /more than 2 digits/],
    [{ ...texts, nested: true } as Column, "[1,", /write JSON/],
  ])("in %j: %j is refused", (column, text, words) => {
    expect(() => parseCell(column, text)).toThrow(words);
  });

  test("texts that no row has any more go, and come back to their place", () => {
    const cell = readCell(texts, 1);
    const after = withCells(texts, [{ row: 1, cell: parseCell(texts, "z") }]);
    expect([0, 1, 2, 3].map((row) => textAt(after, row))).toEqual(["a", "z", "c", "a"]);
    expect(after).toMatchObject({ categories: ["a", "c", "z"] });
    expect(withCells(after, [{ row: 1, cell }])).toEqual(texts);
    expect(texts).toMatchObject({ categories: ["a", "b", "c"] });
  });
});

describe("a format", () => {
  const number = (value: number, format: Omit<Extract<ColumnFormat, { kind: "number" }>, "kind">): string =>
    formatted(value, { kind: "number", ...format });
  test.each([
    [1234567.891, { style: "plain", groups: "comma" }, "1,234,567.891"],
    [1234567.891, { style: "plain", groups: "point", digits: 1 }, "1.234.567,9"],
    [1234.5, { style: "plain", groups: "none", digits: 2 }, "1234.50"],
    [0.1, { style: "plain", groups: "comma" }, "0.1"],
    [0.07, { style: "percent", groups: "comma" }, "7%"],
    [-1234.5, { style: "currency", groups: "comma" }, "-$1,234.50"],
    [1234.5, { style: "currency", groups: "point", currency: "EUR" }, "1.234,50\u00A0€"],
    [1234567, { style: "scientific", groups: "comma", digits: 2 }, "1.23E6"],
    [1234567, { style: "short", groups: "comma" }, "1.23M"],
  ] as const)("%d in %j is %s", (value, format, expected) => {
    expect(number(value, format)).toBe(expected);
  });

  test.each([
    [{ style: "day" }, "2024-05-17"],
    [{ style: "minute" }, "2024-05-17 09:05"],
    [{ style: "us" }, "5/17/2024"],
    [{ style: "european" }, "17.05.2024"],
    [{ style: "long" }, "17 May 2024"],
    [{ style: "month" }, "May 2024"],
    [{ style: "full", zone: "Europe/Berlin" }, "2024-05-17 11:05:30.250"],
    [{ style: "second", zone: "America/Los_Angeles" }, "2024-05-17 02:05:30"],
    [{ style: "long", zone: "Pacific/Auckland" }, "17 May 2024"],
    [{ style: "time", zone: "Asia/Kolkata" }, "14:35:30"],
  ] as const)("of a time: %j is %s", (format, expected) => {
    expect(shownAt({ ...days, format: { kind: "date", ...format } }, 0)).toBe(expected);
  });

  test("keeps every digit of exact numbers, and missing values missing", () => {
    const format: ColumnFormat = { kind: "number", style: "plain", groups: "comma" };
    const exact = { ...columnOfDecimals("e", ["12345678901234567890.01", null]), format };
    expect([shownAt(exact, 0), shownAt(exact, 1)]).toEqual(["12,345,678,901,234,567,890.01", ""]);
    expect(shownAt({ ...columnOf("g", ["-90071992547409931"], "bigint"), format }, 0)).toBe("-90,071,992,547,409,931");
    expect(textAt(exact, 0)).toBe("12345678901234567890.01");
  });
});
