import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tableFromIPC } from "apache-arrow";
import { describe, expect, it, test, vi } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { groupRows } from "../../../../src/web/workbench/data/aggregate.ts";
import { toCsv } from "../../../../src/web/workbench/data/csv.ts";
import { figure, shortNumber, textAt } from "../../../../src/web/workbench/data/format.ts";
import { newTable } from "../../../../src/web/workbench/data/make.ts";
import { parseFile } from "../../../../src/web/workbench/data/read/parse.ts";
import { sortedRows } from "../../../../src/web/workbench/data/sort.ts";
import { statsOf } from "../../../../src/web/workbench/data/stats.ts";
import type { Column } from "../../../../src/web/workbench/data/column.ts";
import { columnOfSent } from "../../../../src/web/workbench/sql/database-types.ts";
import { tableFrom } from "../../../../src/web/workbench/sql/from-arrow.ts";
import { arrowStreams } from "../../../../src/web/workbench/sql/to-arrow.ts";
import { readColumns } from "./reading.ts";

const texts = (column: Column): readonly string[] => {
  const length = "codes" in column ? column.codes.length : column.numbers.length;
  return Array.from({ length }, (_, row) => textAt(column, row));
};

describe("what a database sends", () => {
  test.each([
    // PostgreSQL
    ["integer", [1, null, -3], "int", ["1", "", "-3"]],
    ["int8", ["9007199254740993", 2], "bigint", ["9007199254740993", "2"]],
    ["integer[]", [[1, 2, 3], null], "string", ["[1,2,3]", ""]],
    ["_int4", [[1, null]], "string", ["[1,null]"]],
    ["text[]", [["a", 'b"c']], "string", ['["a","b\\"c"]']],
    ["numeric(10,2)[]", [[1.5, "12345678901234567890.5"]], "string", ['[1.5,"12345678901234567890.5"]']],
    ["interval", ["P1DT2H", null], "string", ["P1DT2H", ""]],
    ["interval day to second(3)", ["P1D"], "string", ["P1D"]],
    ["int4range", ["[1,10)", "empty"], "string", ["[1,10)", "empty"]],
    ["int8multirange", ["{[1,3)}"], "string", ["{[1,3)}"]],
    ["datemultirange", ["{}"], "string", ["{}"]],
    ["daterange", ["[2024-01-01,2024-02-01)"], "string", ["[2024-01-01,2024-02-01)"]],
    ["numeric(30,10)", ["12345678901234567890.0123456789"], "double", ["12345678901234567890.0123456789"]],
    ["numeric", [1.5, "NaN", null, "Infinity"], "double", ["1.5", "NaN", "", "Infinity"]],
    ["numeric(5,2)", [1.1, 0.25], "double", ["1.1", "0.25"]],
    ["double precision", [0.1, "Infinity", "-Infinity", "NaN"], "double", ["0.1", "Infinity", "-Infinity", "NaN"]],
    ["money", ["$1,234.50"], "string", ["$1,234.50"]],
    ["point", ["(1,2)"], "string", ["(1,2)"]],
    ["pg_lsn", ["16/B374D848"], "string", ["16/B374D848"]],
    ["uuid", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"], "string", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]],
    ["inet", ["10.0.0.1"], "string", ["10.0.0.1"]],
    ["bit varying(8)", ["0101"], "string", ["0101"]],
    ["time without time zone", ["10:11:12.5"], "string", ["10:11:12.5"]],
    ["timestamp(3) without time zone", ["2024-05-31T10:00:00.25"], "datetime", ["2024-05-31 10:00:00.250"]],
    ["timestamp with time zone", ["2024-05-31T10:00:00.123456+02"], "datetime", ["2024-05-31 08:00:00.123456"]],
    ["timestamp", ["infinity", "2024-05-31T10:00:00"], "string", ["infinity", "2024-05-31T10:00:00"]],
    ["date", ["0044-03-15 BC", "2024-01-01"], "string", ["0044-03-15 BC", "2024-01-01"]],
    ["boolean", [true, false, null], "bool", ["true", "false", ""]],
    ["jsonb", [{ a: [1] }, "x", 3, null], "string", ['{"a":[1]}', '"x"', "3", ""]],
    ["mood", ["happy"], "string", ["happy"]],
    ["unknown_type", [{ a: 1 }, null], "string", ['{"a":1}', ""]],
    // SQLite: any value in any column
    ["INTEGER", [1, "x"], "string", ["1", "x"]],
    ["INTEGER", [1, 2.5], "double", ["1", "2.5"]],
    ["VARCHAR(20)", ["007"], "string", ["007"]],
    ["DECIMAL(10,5)", [1.5, "n/a"], "string", ["1.5", "n/a"]],
    ["", [1, 2.5], "double", ["1", "2.5"]],
    ["BOOLEAN", [1, 0], "bool", ["true", "false"]],
    ["BOOLEAN", [2, 0], "int", ["2", "0"]],
    ["DATETIME", [1_700_000_000, null], "int", ["1700000000", ""]],
    ["REAL", [1e300, "Inf"], "double", ["1e+300", "Infinity"]],
    // DuckDB
    ["HUGEINT", ["170141183460469231731687303715884105727"], "bigint", ["170141183460469231731687303715884105727"]],
    ["STRUCT(a INTEGER, b INTEGER[])", [{ a: 1 }], "string", ['{"a":1}']],
    ["INTEGER[3]", [[1, 2, 3]], "string", ["[1,2,3]"]],
  ])("%s %j", (type, values, expected, shown) => {
    const column = columnOfSent("c", type, values);
    expect([column.type, texts(column)]).toEqual([expected, shown]);
  });
});

describe("a Parquet file of DuckDB with exact, fine and nested values", () => {
  const bytes = new Uint8Array(readFileSync(join(import.meta.dirname, "parquet", "duck-types.parquet")));
  // What `SELECT column::VARCHAR FROM 'duck-types.parquet'` answers; decimals of few digits are plain numbers here.
  const EXPECTED: Readonly<Record<string, readonly [string, readonly string[]]>> = {
    id: ["int", ["0", "1", "2", "3", "4"]],
    dec18: ["double", ["1.005", "2.005", "3.005", "4.005", "5.005"]],
    dec38: ["double", [34, 35, 36, 37, 38].map((end) => `3703703670370370${end}.00`)],
    dec4: ["double", ["12.5", "12.5", "12.5", "12.5", "12.5"]],
    inf: ["double", ["0", "Infinity", "-Infinity", "", "2"]],
    us: ["datetime", ["456", "457", "458", "459", "46"].map((end) => `2024-01-02 03:04:05.123${end}`)],
    ns: ["datetime", Array.from({ length: 5 }, () => "2024-01-02 03:04:05.123456")],
    iv: ["string", ["", "1 day ", "2 days ", "3 days ", "4 days "].map((days) => `1 year 2 months ${days}02:00:00`)],
    st: ["string", [0, 1, 2, 3, 4].map((at) => `{"a":${at},"b":"x${at}","d":${at + 0.25}}`)],
    li: ["string", [0, 1, 2, 3, 4].map((at) => `[${at},${at + 1}]`)],
    mp: ["string", [0, 1, 2, 3, 4].map((at) => `{"k":${at}}`)],
  };
  it("shows what DuckDB shows, and says what it cut", async () => {
    const columns = await readColumns("t.parquet", bytes);
    const found = Object.fromEntries(columns.map((column) => [column.name, [column.type, texts(column)]]));
    expect({ ...found, d0: undefined }).toEqual({ ...EXPECTED, d0: undefined });
    const { notes } = await parseFile(new Blob([bytes]), { name: "t.parquet" });
    expect(notes).toEqual(['The times of "ns" are finer than a microsecond: they are cut to microseconds.']);
  });
  it("finds a decimal by its value", async () => {
    const table = newTable("t", await readColumns("t.parquet", bytes));
    table.setFilter("agent", { kind: "formula", expression: "[dec18] = 1.005" });
    expect(table.filtered.count).toBe(1);
  });
  it("goes to the SQL engine without functions made from texts, which the page forbids", async () => {
    const table = newTable("t", await readColumns("t.parquet", bytes));
    const made = vi.spyOn(globalThis, "Function");
    const nested = columnOfSent("n", "jsonb", [{ a: [1, null], b: { c: "x" } }, null, { a: [], b: null, d: true }]);
    for (const one of [table, newTable("n", [nested])])
      for await (const stream of arrowStreams(one)) {
        const read = tableFromIPC(stream);
        const back = await tableFrom(read.schema, read.batches, { name: "t", rows: one.rowCount });
        if (one !== table)
          expect(back.columns.map(texts)).toEqual([
            ['{"a":[1,null],"b":{"c":"x"},"d":null}', "", '{"a":[],"b":null,"d":true}'],
          ]);
      }
    expect(made).not.toHaveBeenCalled();
    made.mockRestore();
  });
  it("goes to the SQL engine and back without a changed digit", async () => {
    const table = newTable("t", await readColumns("t.parquet", bytes));
    for await (const stream of arrowStreams(table)) {
      const read = tableFromIPC(stream);
      const back = await tableFrom(read.schema, read.batches, { name: "t", rows: 5 });
      expect(Object.fromEntries(back.columns.map((column) => [column.name, texts(column)]))).toEqual(
        Object.fromEntries(table.columns.map((column) => [column.name, texts(column)])),
      );
      expect(read.schema.fields.map(({ name, type }) => `${name} ${type.toString()}`)).toEqual(
        expect.arrayContaining([
          "dec18 Decimal[18e+4]",
          "dec38 Decimal[38e+2]",
          "us Timestamp<MICROSECOND>",
          "li List<Int64>",
        ]),
      );
    }
  });
});

describe("exact decimal numbers", () => {
  const column = columnOfSent("d", "numeric", [
    "12345678901234567890.2",
    "12345678901234567890.1",
    null,
    "-3",
    "NaN",
    "12345678901234567890.1",
  ]);
  const table = newTable("t", [column]);
  const all = Bits.all(6);
  it("are ordered, grouped, counted, found and written by what they are", () => {
    expect([...sortedRows(table, [{ column: "d", descending: false }], all)]).toEqual([3, 1, 5, 0, 4, 2]);
    expect([...sortedRows(table, [{ column: "d", descending: true }], all)]).toEqual([4, 0, 1, 5, 3, 2]);
    expect(groupRows(column, all).map(({ key, rows }) => [key, [...rows]])).toEqual([
      ["-3", [3]],
      ["12345678901234567890.1", [1, 5]],
      ["12345678901234567890.2", [0]],
      ["NaN", [4]],
      [null, [2]],
    ]);
    const { count, missing, unique } = statsOf(column);
    expect({ count, missing, unique }).toEqual({ count: 5, missing: 1, unique: 4 });
    table.setFilter("agent", { kind: "categories", column: "d", values: ["12345678901234567890.1"] });
    expect([...table.filtered.toArray()]).toEqual([1, 5]);
    expect(toCsv(table)).toBe(
      'd\r\n12345678901234567890.2\r\n12345678901234567890.1\r\n""\r\n-3\r\nNaN\r\n12345678901234567890.1\r\n',
    );
  });
});

describe("numbers on the screen", () => {
  test.each([
    [140_542_660_013, "140,542,660,013", "141B"],
    [22_019_465.5, "22,019,465.5", "22M"],
    [44_002_085.163_649_78, "≈44,002,085.16", "44M"],
    [1 / 3, "≈0.3333333333", "0.3333"],
    [0.1 + 0.2, "0.3", "0.3"],
    [999_811, "999,811", "1M"],
    [9_999.7, "9999.7", "10k"],
    [999.96, "999.96", "1000"],
    [9_007_199_254_740_991, "9,007,199,254,740,991", "9.01e15"],
    [18_888_888_718_888_890_000, "≈1.888888872e19", "1.89e19"],
    [123_456_789_012_345.67, "123,456,789,012,345.67", "123T"],
    [1_970, "1970", "1970"],
    [0, "0", "0"],
    [-0.000_012_5, "-1.25e-5", "-1.25e-5"],
    [Number.NaN, "", ""],
    [Number.NEGATIVE_INFINITY, "-∞", "-∞"],
  ])("%d", (value, full, short) => {
    expect([figure(value), shortNumber(value)]).toEqual([full, short]);
  });
  test.each([
    ["double", [123_456_789_012_345.67, 9_007_199_254_740_991, 0.1], ["123456789012345.67", "9007199254740991", "0.1"]],
  ])("cells of a %s column have no invented digits", (_type, values, shown) => {
    expect(texts(columnOfSent("c", "double precision", values))).toEqual(shown);
  });
});

describe("infinite numbers", () => {
  it("do not make a column of a CSV file text", async () => {
    const [column] = await readColumns("x.csv", "a\n1.5\nInfinity\n-inf\n2\n");
    expect([column?.type, column && texts(column)]).toEqual(["double", ["1.5", "Infinity", "-Infinity", "2"]]);
    expect((await readColumns("x.csv", "a\ninfinite\ninf\n"))[0]?.type).toBe("string");
  });
});
