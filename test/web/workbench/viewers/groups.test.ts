import { describe, expect, test } from "vitest";
import { NO_VALUE } from "../../../../src/web/workbench/viewers/drawing/categories.ts";
import { columnOf } from "../../../../src/web/workbench/data/make.ts";
import { codesOf, labelOf } from "../../../../src/web/workbench/viewers/groups/codes.ts";
import { groupBy, rowsOf } from "../../../../src/web/workbench/viewers/groups/groups.ts";

describe("codes", () => {
  test.each([
    [
      "texts in the order of the alphabet, numbers in them by size",
      columnOf("a", ["x10", "x2", null, "x2"]),
      [0, 1, -1, 1],
      ["x10", "x2"],
      [1, 0],
    ],
    ["numbers by size", columnOf("a", [3, 1, Number.NaN, 3]), [0, 1, -1, 0], ["3", "1"], [1, 0]],
    ["yes and no", columnOf("a", [true, null, false]), [1, -1, 0], ["false", "true"], [0, 1]],
  ])("%s", (_, column, codes, labels, order) => {
    const coded = codesOf(column);
    expect(coded && { codes: [...coded.codes], labels: [...coded.labels], order: [...coded.order] }).toEqual({
      codes,
      labels,
      order,
    });
    expect(coded && labelOf(coded, -1)).toBe(NO_VALUE);
  });

  test("a column of measurements is no column of groups", () => {
    expect(
      codesOf(
        columnOf(
          "a",
          Array.from({ length: 50_001 }, (_, at) => at + 0.5),
        ),
      ),
    ).toBeUndefined();
  });
});

describe("groups", () => {
  const one = columnOf("one", ["a", "b", "a", null, "b", "a"]);
  const two = columnOf("two", [1, 1, 2, 1, 1, 1]);
  const coded = [one, two].flatMap((column) => codesOf(column) ?? []);
  const grouped = (columns: typeof coded, rows: readonly number[], most = 10) => {
    const groups = groupBy(columns, Int32Array.from(rows), most);
    return groups?.keys.map((key, at) => [key, [...rowsOf(groups, at)]]);
  };

  test.each([
    [
      "by one column",
      1,
      [0, 1, 2, 3, 4, 5],
      [
        [[0], [0, 2, 5]],
        [[1], [1, 4]],
        [[-1], [3]],
      ],
    ],
    [
      "by two",
      2,
      [0, 1, 2, 3, 4, 5],
      [
        [
          [0, 0],
          [0, 5],
        ],
        [
          [1, 0],
          [1, 4],
        ],
        [[0, 1], [2]],
        [[-1, 0], [3]],
      ],
    ],
    [
      "some rows only",
      2,
      [2, 4],
      [
        [[0, 1], [2]],
        [[1, 0], [4]],
      ],
    ],
    ["by none: all together", 0, [1, 2], [[[], [1, 2]]]],
    ["no rows", 1, [], []],
  ])("%s", (_, columns, rows, expected) => {
    expect(grouped(coded.slice(0, columns), rows)).toEqual(expected);
  });

  test("more groups than wanted are none", () => {
    expect(grouped(coded, [0, 1, 2, 3], 3)).toBeUndefined();
  });

  test("sparse combinations are the same as dense ones", () => {
    const many = (factor: number) =>
      columnOf(
        "m",
        Array.from({ length: 6_000 }, (_, at) => `v${String((at * factor) % 3_000)}`),
      );
    const columns = [many(1), many(7)].flatMap((column) => codesOf(column) ?? []);
    const rows = Int32Array.from({ length: 6_000 }, (_, at) => at);
    const groups = groupBy(columns, rows, 10_000);
    const keys = new Map<string, number[]>();
    for (const row of rows) {
      const key = columns.map(({ codes }) => codes[row]).join();
      keys.set(key, [...(keys.get(key) ?? []), row]);
    }
    expect(groups?.keys.map((key, at) => [key.join(), [...rowsOf(groups, at)]])).toEqual([...keys]);
  });
});
