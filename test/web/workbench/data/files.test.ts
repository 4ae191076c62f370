import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOfUnits } from "../../../../src/web/workbench/data/decimal.ts";
import { textAt } from "../../../../src/web/workbench/data/format.ts";
import { toJson } from "../../../../src/web/workbench/data/json.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { toParquet } from "../../../../src/web/workbench/data/parquet.ts";
import { parseFile } from "../../../../src/web/workbench/data/read/parse.ts";
import { unpackTable } from "../../../../src/web/workbench/data/read/packed.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";

const TIME = Date.parse("2024-05-06T07:08:09.123Z");

const table = newTable("all kinds", [
  columnOf("int", [1, -2, null]),
  columnOf("wide", [2 ** 40, null, 3]),
  columnOf("double", [0.1, null, -1e300]),
  columnOf("text", ['a "b"\n', "ü", null]),
  columnOf("bool", [true, null, false]),
  columnOf("time", [new Date(TIME), null, new Date(0)]),
  columnOf("big", [9_223_372_036_854_775_807n, -9_223_372_036_854_775_808n, null]),
  columnOf("bigger", [10n ** 30n, null, 1n]),
  columnOfUnits("money", [12_345_678_901_234_567_890n, null, -105n], 2),
]);

/** As the page reads a file that somebody opens. */
async function readBack(name: string, content: BlobPart): Promise<Table> {
  const packed = await parseFile(new Blob([content]), { name });
  return newTable(
    name,
    await unpackTable(
      packed,
      () => 0,
      () => Promise.resolve(),
    ),
  );
}

describe("Parquet", () => {
  test("every kind of column is read back as it was", async () => {
    const back = await readBack("a.parquet", await toParquet(table));
    expect(back.columns.map(({ name, type }) => [name, type])).toEqual([
      ["int", "int"],
      ["wide", "int"],
      ["double", "double"],
      ["text", "string"],
      ["bool", "bool"],
      ["time", "datetime"],
      ["big", "bigint"],
      ["bigger", "string"],
      ["money", "double"],
    ]);
    expect(toJson(back)).toBe(toJson(table));
  });

  test("only the rows that were asked for, and microseconds are kept", async () => {
    const fine = newTable("fine", [
      { name: "t", type: "datetime", numbers: Float64Array.of(TIME + 0.456, Number.NaN, 1) },
    ]);
    const file = await toParquet(fine, Bits.of(3, [0, 1]));
    const [column] = (await readBack("a.parquet", file)).columns;
    if (column === undefined) throw new Error("no column");
    expect([0, 1, 2].map((row) => textAt(column, row))).toEqual(["2024-05-06 07:08:09.123456", "", ""]);
  });

  test("a table without rows", async () => {
    const back = await readBack("a.parquet", await toParquet(newTable("none", [columnOf("a", [], "int")])));
    expect([back.rowCount, back.columns.map(({ name }) => name)]).toEqual([0, ["a"]]);
  });
});

describe("JSON", () => {
  test("is a list of objects, exact, with nothing where a value is missing", () => {
    expect(JSON.parse(toJson(table))[0]).toEqual({
      int: 1,
      wide: 2 ** 40,
      double: 0.1,
      text: 'a "b"\n',
      bool: true,
      time: "2024-05-06T07:08:09.123Z",
      big: "9223372036854775807",
      bigger: "1000000000000000000000000000000",
      money: "123456789012345678.90",
    });
    expect(JSON.parse(toJson(table, Bits.of(3, [2])))).toHaveLength(1);
  });

  test("a column called __proto__ is a column", () => {
    const odd = newTable("odd", [columnOf("__proto__", [1]), columnOf("∞", [Number.POSITIVE_INFINITY])]);
    expect(toJson(odd)).toBe('[{"__proto__":1,"∞":"Infinity"}]\n');
  });

  test("no rows are an empty list", () => expect(JSON.parse(toJson(table, new Bits(3)))).toEqual([]));
});
