import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CellValue } from "../../../../src/web/workbench/data/column.ts";
import { toCsv } from "../../../../src/web/workbench/data/csv.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { readColumns, shown } from "./reading.ts";

type Shown = readonly (readonly [string, string, readonly CellValue[]])[];
const at = (text: string): Date => new Date(text);

const cell = fc.string({ unit: fc.constantFrom("a", ",", '"', "\n", "\r", ";", " ", "é", "1"), maxLength: 6 });
const gap = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> => fc.option(value, { freq: 5 });
const FIRST = Date.UTC(1, 0, 1) - 1;
const row = fc.record({
  text: gap(cell.filter((text) => text.trim() !== "")),
  whole: gap(fc.maxSafeInteger()),
  fraction: gap(fc.double({ noNaN: true, noDefaultInfinity: true })),
  truth: gap(fc.boolean()),
  time: gap(fc.integer({ min: FIRST, max: Date.UTC(9999, 11, 31) }).map((time) => new Date(time))),
  large: gap(fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n })),
});

test("a written CSV is read back with the same values", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 20 }), async (rows) => {
      const types = {
        text: "string",
        whole: "int",
        fraction: "double",
        truth: "bool",
        time: "datetime",
        large: "bigint",
      } as const;
      const columns = Object.entries(types).map(([name, type]) =>
        columnOf(
          name,
          rows.map((each) => each[name as keyof typeof each]),
          type,
        ),
      );
      const table = newTable("t", columns);
      const back = await readColumns("t.csv", toCsv(table), { types, delimiter: "comma", header: true });
      expect(positive(shown(back))).toEqual(positive(shown(columns)));
    }),
    { seed: 6, numRuns: 200 },
  );
});

/** CSV does not tell -0 from 0. */
function positive(columns: Shown): Shown {
  return columns.map(([name, type, values]) => [
    name,
    type,
    values.map((value) => (typeof value === "number" ? value + 0 : value)),
  ]);
}

describe("what is written", () => {
  const table = newTable("t", [
    columnOf("a,b", ["x", 'say "hi"', null, "NA", "=1+1"]),
    columnOf("n", [1, 0.1 + 0.2, null, -3, 1e21]),
    columnOf("d", [at("2024-05-17T00:00Z"), at("2024-05-17T10:20:30.500Z"), null, null, null]),
  ]);

  test("all", () => {
    expect(toCsv(table)).toBe(
      '"a,b",n,d\r\nx,1,2024-05-17\r\n"say ""hi""",0.30000000000000004,2024-05-17 10:20:30.500\r\n,,\r\n"NA",-3,\r\n=1+1,1e+21,\r\n',
    );
  });

  test("some rows and columns, safe for spreadsheets", () => {
    table.setFilter("f", { kind: "formula", expression: "n > 1" });
    expect(toCsv(table, { rows: table.filtered, columns: ["N", "a,b"], safeForSpreadsheets: true })).toBe(
      'n,"a,b"\r\n1e+21,\'=1+1\r\n',
    );
  });

  test("one column keeps its gaps; no such column", () => {
    expect(toCsv(newTable("t", [columnOf("a", [null, 1])]))).toBe('a\r\n""\r\n1\r\n');
    expect(() => toCsv(table, { columns: ["q"] })).toThrow('There is no column "q". Columns: a,b, n, d.');
  });
});
