import { describe, expect, it } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { barModel } from "../../../../src/web/workbench/viewers/bar-chart/model.ts";
import { boxModel } from "../../../../src/web/workbench/viewers/box-plot/model.ts";
import {
  anovaP,
  boxStatistics,
  densityCurve,
  incompleteBeta,
} from "../../../../src/web/workbench/viewers/box-plot/statistics.ts";
import { binCodes, binEdges, histogramModel, stacked } from "../../../../src/web/workbench/viewers/histogram/model.ts";
import { lineModel, MOST_PLACES, placesOf } from "../../../../src/web/workbench/viewers/line-chart/model.ts";
import { pieModel } from "../../../../src/web/workbench/viewers/pie-chart/model.ts";
import { definitionOf, wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = newTable("t", [
  columnOf("kind", ["a", "b", "a", null, "b", "a"]),
  columnOf("part", ["x", "x", "y", "y", "y", "x"]),
  columnOf("size", [1, 2, 3, 4, 5, 6]),
  columnOf("cost", [10, 20, null, 40, 50, 100]),
]);
const rows = Bits.all(6);
const plot = { rows, scaleRows: rows, everything: rows };

function look(type: string, set: Look): Look {
  const definition = definitionOf(type);
  if (definition === undefined) throw new Error(`no ${type}`);
  return wholeLook(definition, table, set);
}

describe("histogram", () => {
  it.each([
    [
      { min: 0, max: 10, bins: 5, logarithmic: false },
      [0, 1.9, 2, 9.99, 10, 10.1, -1, Number.NaN],
      [0, 0, 1, 4, 4, -1, -1, -1],
    ],
    [{ min: 1, max: 1000, bins: 3, logarithmic: true }, [1, 9.9, 10.1, 101, 1000, 0], [0, 0, 1, 2, 2, -1]],
    [{ min: 5, max: 5, bins: 4, logarithmic: false }, [5, 4], [0, -1]],
  ])("bins of %j", (span, values, expected) => {
    expect([...binCodes(Float64Array.from(values), span)]).toEqual(expected);
  });

  it("edges", () => {
    expect(binEdges({ min: 0, max: 10, bins: 4, logarithmic: false })).toEqual([0, 2.5, 5, 7.5, 10]);
    const logarithmic = binEdges({ min: 1, max: 100, bins: 2, logarithmic: true });
    expect(logarithmic[1]).toBeCloseTo(10, 12);
  });

  it("counts, and shares of each part", () => {
    const set = { valueColumnName: "size", bins: 2 };
    const whole = histogramModel(table, look("Histogram", set), plot);
    expect([...(whole?.counts ?? [])]).toEqual([3, 3]);
    const split = histogramModel(table, look("Histogram", { ...set, splitColumnName: "kind" }), plot);
    expect(split?.parts.map(({ name, index, heights }) => [name, index, ...heights])).toEqual([
      ["a", 0, 2, 1],
      ["b", 1, 1, 1],
      ["(no value)", -1, 0, 1],
    ]);
    expect(stacked(split?.parts ?? [], 2).map((part) => part[1])).toEqual([
      [0, 1],
      [1, 2],
      [2, 3],
    ]);
    const shares = histogramModel(table, look("Histogram", { ...set, normalizeValues: true }), plot);
    expect([...(shares?.parts[0]?.heights ?? [])]).toEqual([0.5, 0.5]);
    const colored = histogramModel(
      table,
      look("Histogram", { ...set, colorColumnName: "cost", colorAggrType: "max" }),
      plot,
    );
    expect([...(colored?.colors ?? [])]).toEqual([20, 100]);
  });

  it("what the filter took out is counted apart", () => {
    const some = Bits.of(6, [0, 1]);
    const model = histogramModel(table, look("Histogram", { valueColumnName: "size", bins: 2 }), {
      ...plot,
      rows: some,
    });
    expect([[...(model?.counts ?? [])], [...(model?.whole ?? [])]]).toEqual([
      [2, 0],
      [3, 3],
    ]);
  });
});

describe("bar chart", () => {
  const bars = (set: Look): unknown =>
    barModel(table, look("Bar chart", { splitColumnName: "kind", ...set }), rows)?.bars.map(({ name, value }) => [
      name,
      value,
    ]);

  it.each([
    [
      {},
      [
        ["a", 3],
        ["b", 2],
        ["(no value)", 1],
      ],
    ],
    [
      { barSortOrder: "asc" },
      [
        ["(no value)", 1],
        ["b", 2],
        ["a", 3],
      ],
    ],
    [
      { barSortType: "by category", barSortOrder: "asc" },
      [
        ["a", 3],
        ["b", 2],
        ["(no value)", 1],
      ],
    ],
    [
      { barSortType: "by category", barSortOrder: "desc" },
      [
        ["b", 2],
        ["a", 3],
        ["(no value)", 1],
      ],
    ],
    [
      { includeNulls: false },
      [
        ["a", 3],
        ["b", 2],
      ],
    ],
    [
      { valueColumnName: "cost", valueAggrType: "avg" },
      [
        ["a", 55],
        ["(no value)", 40],
        ["b", 35],
      ],
    ],
    [
      { valueColumnName: "cost", valueAggrType: "sum" },
      [
        ["a", 110],
        ["b", 70],
        ["(no value)", 40],
      ],
    ],
    [
      { valueColumnName: "cost", valueAggrType: "nulls" },
      [
        ["a", 1],
        ["b", 0],
        ["(no value)", 0],
      ],
    ],
  ])("%j", (set, expected) => {
    expect(bars(set)).toEqual(expected);
  });

  it("stacks add up; shares add up to one", () => {
    const parts = (set: Look): unknown =>
      barModel(
        table,
        look("Bar chart", { splitColumnName: "kind", stackColumnName: "part", ...set }),
        rows,
      )?.bars[0]?.parts.map(({ name, from, to, rows: list }) => [name, from, to, [...list]]);
    expect(parts({})).toEqual([
      ["x", 0, 2, [0, 5]],
      ["y", 2, 3, [2]],
    ]);
    expect(parts({ relativeValues: true })).toEqual([
      ["x", 0, 2 / 3, [0, 5]],
      ["y", 2 / 3, 1, [2]],
    ]);
    // Means do not add up, so there is no stack.
    expect(parts({ valueColumnName: "cost", valueAggrType: "avg" })).toEqual([["", 0, 55, [0, 2, 5]]]);
  });

  it("empty bars only if asked for", () => {
    const some = Bits.of(6, [0]);
    const names = (set: Look): unknown =>
      barModel(table, look("Bar chart", { splitColumnName: "kind", ...set }), some)?.bars.map(({ name }) => name);
    expect([names({}), names({ showEmptyBars: true })]).toEqual([["a"], ["a", "b"]]);
  });
});

describe("pie chart", () => {
  it("slices from the start angle, as large as their shares", () => {
    const model = pieModel(table, look("Pie chart", { categoryColumnName: "kind", startAngle: 90 }), rows);
    const degrees = (angle: number): number => Math.round((angle * 180) / Math.PI);
    expect(model?.slices.map(({ name, share, start, end }) => [name, share, degrees(start), degrees(end)])).toEqual([
      ["a", 0.5, 90, 270],
      ["b", 1 / 3, 270, 390],
      ["(no value)", 1 / 6, 390, 450],
    ]);
  });

  it("angles and lengths by columns", () => {
    const set = {
      categoryColumnName: "kind",
      segmentAngleColumnName: "cost",
      segmentLengthColumnName: "size",
      segmentLengthAggrType: "max",
      includeNulls: false,
    };
    const model = pieModel(table, look("Pie chart", set), rows);
    expect(model?.slices.map(({ name, value, length }) => [name, value, length])).toEqual([
      ["a", 110, 1],
      ["b", 70, 0.25 + 0.75 * (5 / 6)],
    ]);
  });

  it("very many slices are gathered", () => {
    const many = newTable("m", [
      columnOf(
        "c",
        Array.from({ length: 200 }, (_, row) => `c${row % 100}`),
      ),
    ]);
    const definition = definitionOf("Pie chart");
    const model = definition && pieModel(many, wholeLook(definition, many, { categoryColumnName: "c" }), Bits.all(200));
    expect([model?.slices.length, model?.gathered, model?.slices.at(-1)?.value]).toEqual([60, 41, 82]);
  });
});

describe("box statistics", () => {
  it("quartiles, and whiskers to the last values within reach", () => {
    expect(boxStatistics(Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 100))).toMatchObject({
      count: 9,
      min: 1,
      max: 100,
      q1: 3,
      median: 5,
      q3: 7,
      lower: 1,
      upper: 8,
      mean: 136 / 9,
    });
    expect(boxStatistics(new Float64Array(0))).toMatchObject({ count: 0, median: Number.NaN, lower: Number.NaN });
  });

  it.each([
    // I_x(1, b) = 1 - (1 - x)^b, I_x(a, 1) = x^a, and by symmetry.
    [0.3, 1, 4, 1 - 0.7 ** 4],
    [0.3, 4, 1, 0.3 ** 4],
    [0.5, 7, 7, 0.5],
    [0, 2, 2, 0],
    [1, 2, 2, 1],
    [0.25, 0.5, 0.5, (2 / Math.PI) * Math.asin(Math.sqrt(0.25))],
  ])("incomplete beta at %d of %d, %d", (x, a, b, expected) => {
    expect(incompleteBeta(x, a, b)).toBeCloseTo(expected, 12);
  });

  it("p of groups", () => {
    // Means 2 and 5, squares within 2 + 2, between 13.5: F = 13.5 with 1 and 4 degrees; p = P(|t4| > 3.6742).
    expect(anovaP([Float64Array.of(1, 2, 3), Float64Array.of(4, 5, 6)])).toBeCloseTo(0.0213, 4);
    expect(anovaP([Float64Array.of(1, 2, 3), Float64Array.of(1, 2, 3)])).toBeCloseTo(1, 12);
    expect(anovaP([Float64Array.of(1, 2, 3)])).toBeNaN();
  });

  it("the density is highest in the middle", () => {
    const curve = densityCurve(Float64Array.of(0, 4, 5, 5, 5, 6, 10), 11);
    expect(curve.reduce((best, spot) => (spot.density > best.density ? spot : best)).at).toBe(5);
    expect(Math.max(...curve.map(({ density }) => density))).toBe(1);
  });

  it("groups by two categories", () => {
    const model = boxModel(
      table,
      look("Box plot", { valueColumnName: "size", category1ColumnName: "kind", category2ColumnName: "part" }),
      plot,
    );
    expect(model?.groups.map(({ name, statistics }) => [name, statistics.count, statistics.median])).toEqual([
      ["a / x", 2, 3.5],
      ["a / y", 1, 3],
      ["b / x", 1, 2],
      ["b / y", 1, 5],
      ["(no value) / y", 1, 4],
    ]);
  });
});

describe("line chart", () => {
  it("aggregates where rows share a place", () => {
    const model = lineModel(
      table,
      look("Line chart", { xColumnName: "part", yColumnNames: ["size", "cost"], aggrType: "sum" }),
      { rows, scaleRows: rows },
    );
    expect(model?.series.map(({ name, index, points }) => [name, index, points.map(({ x, y }) => [x, y])])).toEqual([
      [
        "size",
        0,
        [
          [0, 9],
          [1, 12],
        ],
      ],
      [
        "cost",
        1,
        [
          [0, 130],
          [1, 90],
        ],
      ],
    ]);
  });

  it("a line for each value of the split, with bounds", () => {
    const set = {
      xColumnName: "part",
      yColumnNames: ["size"],
      splitColumnName: "kind",
      whiskersType: "Avg | Min, Max",
    };
    const model = lineModel(table, look("Line chart", set), { rows, scaleRows: rows });
    expect(
      model?.series.map(({ name, points }) => [name, points.map(({ x, y, low, high }) => [x, y, low, high])]),
    ).toEqual([
      [
        "a",
        [
          [0, 3.5, 1, 6],
          [1, 3, 3, 3],
        ],
      ],
      [
        "b",
        [
          [0, 2, 2, 2],
          [1, 5, 5, 5],
        ],
      ],
      ["(no value)", [[1, 4, 4, 4]]],
    ]);
  });

  it("too many places become ranges", () => {
    const positions = Float64Array.from({ length: 10_001 }, (_, row) => row);
    const places = placesOf(positions, positions.length === 0 ? new Int32Array(0) : Int32Array.from(positions));
    expect([places.values.length, places.codes[0], places.codes[10_000]]).toEqual([MOST_PLACES, 0, MOST_PLACES - 1]);
    expect(placesOf(Float64Array.of(3, 1, Number.NaN, 3), Int32Array.of(0, 1, 2, 3))).toEqual({
      codes: Int32Array.of(1, 0, -1, 1),
      values: [1, 3],
    });
  });
});
