import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aggregate, AGGREGATES, groupRows } from "../../../../src/web/workbench/data/aggregate.ts";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { valueAt } from "../../../../src/web/workbench/data/column.ts";
import type { CellValue, ColumnType } from "../../../../src/web/workbench/data/column.ts";
import { dateText, shortNumber, textAt } from "../../../../src/web/workbench/data/format.ts";
import { readColumns } from "./reading.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import type { AnyValue } from "../../../../src/web/workbench/data/make.ts";
import { sortedRows } from "../../../../src/web/workbench/data/sort.ts";
import { statsOf } from "../../../../src/web/workbench/data/stats.ts";

const NONE = Number.NaN;
const day = (text: string): Date => new Date(`${text}T00:00:00Z`);

describe("columns from values", () => {
  test.each<[readonly AnyValue[], ColumnType | undefined, ColumnType, readonly CellValue[]]>([
    [[1, null, 3], undefined, "int", [1, null, 3]],
    [[1, 2.5, NONE], undefined, "double", [1, 2.5, null]],
    [[1, 5n], undefined, "int", [1, 5]],
    [[1, 2n ** 60n], undefined, "bigint", ["1", "1152921504606846976"]],
    [[true, undefined], undefined, "bool", [true, null]],
    [[day("2024-05-17"), new Date(NONE)], undefined, "datetime", [day("2024-05-17"), null]],
    [["a", "", "a"], undefined, "string", ["a", "", "a"]],
    [["a", 1, true, day("2024-05-17")], undefined, "string", ["a", "1", "true", "2024-05-17"]],
    [[], undefined, "string", []],
    [[null, null], undefined, "string", [null, null]],
    [["1", "x", " 2 "], "int", "int", [1, null, 2]],
    [["1.5", "1e3"], "double", "double", [1.5, 1000]],
    [["true", "0", "no"], "bool", "bool", [true, false, null]],
    [["2024-05-17", "soon", 0], "datetime", "datetime", [day("2024-05-17"), null, new Date(0)]],
    [[1, 2.5], "bigint", "bigint", ["1", null]],
  ])("case %#", (values, type, expectedType, expected) => {
    const column = columnOf("c", values, type);
    expect([column.type, values.map((_, row) => valueAt(column, row))]).toEqual([expectedType, expected]);
  });

  test.each<[readonly string[], ColumnType, readonly CellValue[]]>([
    [["1", " 2", ""], "int", [1, 2, null]],
    [["1", "x", " "], "string", ["1", "x", null]],
    [["12345678901234567890", "1"], "bigint", ["12345678901234567890", "1"]],
    [["2024-05-17", ""], "datetime", [day("2024-05-17"), null]],
    [["", ""], "string", [null, null]],
  ])("texts %j", async (texts, type, expected) => {
    const [column] = await readColumns("x.csv", ["c,other", ...texts.map((text) => `${text},x`)].join("\n"));
    if (column === undefined) throw new Error("no column");
    expect([column.type, texts.map((_, row) => valueAt(column, row))]).toEqual([type, expected]);
  });
});

describe("what is shown", () => {
  test.each<[AnyValue, string]>([
    [null, ""],
    ["text", "text"],
    [true, "true"],
    [1234567, "1234567"],
    [0.1 + 0.2, "0.30000000000000004"],
    [1e21, "1e+21"],
    [2n ** 70n, "1180591620717411303424"],
    [day("2024-05-17"), "2024-05-17"],
  ])("%s", (value, expected) => {
    expect(textAt(columnOf("c", [value]), 0)).toBe(expected);
  });

  test.each([
    [0, "0"],
    [1234.5678, "1235"],
    [0.25, "0.25"],
    [9_999, "9999"],
    [12_345, "12.3k"],
    [-1_234_567, "-1.23M"],
    [2e9, "2B"],
    [1.5e12, "1.5T"],
    [1e15, "1e15"],
    [0.0000123, "1.23e-5"],
    [NONE, ""],
    [Number.POSITIVE_INFINITY, "∞"],
  ])("short %d", (value, expected) => {
    expect(shortNumber(value)).toBe(expected);
  });

  test.each([
    [Date.UTC(2024, 4, 17), "2024-05-17"],
    [Date.UTC(2024, 4, 17, 9, 5), "2024-05-17 09:05"],
    [Date.UTC(2024, 4, 17, 9, 5, 7), "2024-05-17 09:05:07"],
    [Date.UTC(2024, 4, 17, 9, 5, 7, 80), "2024-05-17 09:05:07.080"],
    [NONE, ""],
  ])("date %d", (time, expected) => {
    expect(dateText(time)).toBe(expected);
  });
});

describe("statistics", () => {
  const numbers = columnOf("n", [2, 4, 4, 4, 5, 5, 7, 9, null]);

  test("of all rows", () => {
    const squares = 32;
    const expected = { count: 8, missing: 1, unique: 5, min: 2, max: 9, sum: 40, avg: 5, median: 4.5, q1: 4, q3: 5.5 };
    expect(statsOf(numbers)).toEqual({ ...expected, stdev: Math.sqrt(squares / 7) });
    expect(statsOf(numbers)).toBe(statsOf(numbers));
  });

  test("of some rows", () => {
    expect(statsOf(numbers, Bits.of(9, [0, 7, 8]))).toEqual({
      count: 2,
      missing: 1,
      unique: 2,
      min: 2,
      max: 9,
      sum: 11,
      avg: 5.5,
      median: 5.5,
      stdev: Math.sqrt(24.5),
      q1: 3.75,
      q3: 7.25,
    });
  });

  test.each<[string, readonly AnyValue[], object]>([
    ["texts", ["a", "b", "a", null], { count: 3, missing: 1, unique: 2, min: NONE, avg: NONE }],
    [
      "nothing",
      [],
      { count: 0, missing: 0, unique: 0, min: NONE, max: NONE, sum: NONE, avg: NONE, median: NONE, stdev: NONE },
    ],
    ["one value", [5], { count: 1, unique: 1, min: 5, max: 5, median: 5, q1: 5, stdev: NONE }],
    ["truth", [true, false, true, true], { count: 4, unique: 2, sum: 3, avg: 0.75 }],
    ["large, close together", [1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16], { stdev: Math.sqrt(30), avg: 1e9 + 10 }],
    ["whole numbers past 2^53", [2n ** 60n, 2n ** 61n], { unique: 2, min: 2 ** 60, max: 2 ** 61 }],
  ])("%s", (_, values, expected) => {
    expect(statsOf(columnOf("c", values))).toMatchObject(expected);
  });

  test("aggregates", () => {
    const rows = [8, 0, 1, 2, 3, 4, 5, 6, 7];
    const got = Object.fromEntries(AGGREGATES.map((kind) => [kind, aggregate(kind, numbers, rows)]));
    expect(got).toEqual({
      avg: 5,
      min: 2,
      max: 9,
      sum: 40,
      med: 4.5,
      stdev: Math.sqrt(32 / 7),
      variance: 32 / 7,
      q1: 4,
      q3: 5.5,
      count: 9,
      values: 8,
      unique: 5,
      nulls: 1,
      first: 2,
    });
    const texts = columnOf("t", ["x", "12", null, "x"]);
    expect(AGGREGATES.map((kind) => aggregate(kind, texts, Int32Array.of(0, 1, 2, 3)))).toEqual([
      12,
      12,
      12,
      12,
      12,
      NONE,
      NONE,
      12,
      12,
      4,
      3,
      2,
      1,
      12,
    ]);
    expect(AGGREGATES.map((kind) => aggregate(kind, numbers, []))).toEqual([
      ...Array.from({ length: 9 }, () => NONE),
      0,
      0,
      0,
      0,
      NONE,
    ]);
  });

  test.each<[string, readonly AnyValue[], readonly (readonly [string | null, readonly number[]])[]]>([
    [
      "texts",
      ["b", null, "a", "B", "b"],
      [
        ["a", [2]],
        ["b", [0, 4]],
        ["B", [3]],
        [null, [1]],
      ],
    ],
    [
      "numbers",
      [10, 2, null, 10],
      [
        ["2", [1]],
        ["10", [0, 3]],
        [null, [2]],
      ],
    ],
    [
      "truth",
      [true, false, true],
      [
        ["false", [1]],
        ["true", [0, 2]],
      ],
    ],
    [
      "days",
      [day("2024-05-17"), day("1999-01-01")],
      [
        ["1999-01-01", [1]],
        ["2024-05-17", [0]],
      ],
    ],
  ])("groups of %s", (_, values, expected) => {
    const groups = groupRows(columnOf("c", values), Bits.all(values.length));
    expect(groups.map(({ key, rows }) => [key, [...rows]])).toEqual(expected);
  });

  test("groups only of the rows asked for", () => {
    const groups = groupRows(columnOf("c", ["a", "b", "a"]), Bits.of(3, [1, 2]));
    expect(groups.map(({ key, rows }) => [key, [...rows]])).toEqual([
      ["a", [2]],
      ["b", [1]],
    ]);
  });
});

describe("order", () => {
  const table = newTable("t", [
    columnOf("n", [3, -1, null, -2.5, 0, 3, -0]),
    columnOf("t", ["x", "b", null, "B", "a", "ä", "x"]),
    columnOf("i", [10n, 2n ** 70n, null, -(2n ** 70n), 9n, 1n, 2n]),
  ]);

  test.each<[string, boolean, readonly number[]]>([
    ["n", false, [3, 1, 4, 6, 0, 5, 2]],
    ["n", true, [0, 5, 4, 6, 1, 3, 2]],
    ["t", false, [4, 5, 1, 3, 0, 6, 2]],
    ["t", true, [0, 6, 3, 1, 5, 4, 2]],
    ["i", false, [3, 5, 6, 4, 0, 1, 2]],
  ])("by %s, descending %s", (column, descending, expected) => {
    expect([...sortedRows(table, [{ column, descending }], table.filtered)]).toEqual(expected);
  });

  test("by two, and only some rows", () => {
    const keys = [
      { column: "N", descending: true },
      { column: "t", descending: false },
    ];
    expect([...sortedRows(table, keys, table.filtered)]).toEqual([5, 0, 4, 6, 1, 3, 2]);
    expect([...sortedRows(table, keys, Bits.of(7, [2, 3, 0]))]).toEqual([0, 3, 2]);
    expect([...sortedRows(table, [], table.filtered)]).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(() => sortedRows(table, [{ column: "q", descending: false }], table.filtered)).toThrow(
      'There is no column "q"',
    );
  });

  test("very many texts are in the order of their plain letters", () => {
    const texts = Array.from({ length: 60_000 }, (_, row) => `Item ${(row * 7_919) % 60_000}`);
    const odd = ["item 5", "ITEM 5", "Ítem 5 b", "item", "Item 59999x", "item 日"];
    const values = [...texts, ...odd];
    const sorted = sortedRows(
      newTable("t", [columnOf("t", values)]),
      [{ column: "t", descending: false }],
      Bits.all(values.length),
    );
    const plain = (text: string): string => text.normalize("NFD").replaceAll(/\p{M}/gu, "").toLowerCase();
    const keyed = values.map((text) => `${plain(text)}\u0000${text}`).toSorted();
    const got = Array.from(sorted, (row) => values[row]).join("|");
    expect(got === keyed.map((key) => key.split("\u0000")[1]).join("|")).toBe(true);
  });

  test("numbers are in the order that a plain sort gives", () => {
    const number = fc.oneof(fc.double({ noNaN: true }), fc.integer(), fc.constant(null));
    fc.assert(
      fc.property(fc.array(number, { maxLength: 60 }), fc.boolean(), (values, descending) => {
        const sorted = sortedRows(
          newTable("t", [columnOf("n", values, "double")]),
          [{ column: "n", descending }],
          Bits.all(values.length),
        );
        const plain = values
          .map((_, row) => row)
          .toSorted((left, right) => {
            const [one, other] = [values[left] ?? null, values[right] ?? null];
            if (one === null || other === null) return Number(one === null) - Number(other === null);
            if (one === other) return 0;
            return one < other === descending ? 1 : -1;
          });
        expect([...sorted]).toEqual(plain);
      }),
      { seed: 6, numRuns: 500 },
    );
  });
});
