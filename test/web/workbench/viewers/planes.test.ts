import { describe, expect, it } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { correlationModel, correlations } from "../../../../src/web/workbench/viewers/correlation-plot/model.ts";
import { cellsOf, countShare } from "../../../../src/web/workbench/viewers/density-plot/cells.ts";
import { heatModel, shareOfRows } from "../../../../src/web/workbench/viewers/heat-map/model.ts";
import { MOST_POINTS, matrixModel } from "../../../../src/web/workbench/viewers/matrix-plot/model.ts";
import { pcModel, strandsOf } from "../../../../src/web/workbench/viewers/pc-plot/model.ts";
import { definitionOf, wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import { equation, scatterModel } from "../../../../src/web/workbench/viewers/scatter-plot/model.ts";
import { trellisModel } from "../../../../src/web/workbench/viewers/trellis-plot/model.ts";
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

describe("density cells", () => {
  const box = { left: 0, top: 0, right: 100, bottom: 100 };
  const spots = [
    [5, 5],
    [6, 6],
    [95, 95],
    [100, 100],
    [101, 5],
    [Number.NaN, 5],
  ] as const;
  const count = (shape: string) =>
    cellsOf({
      rows: Bits.all(spots.length),
      rowCount: spots.length,
      shape,
      bins: 10,
      box,
      xOf: (row) => spots[row]?.[0] ?? 0,
      yOf: (row) => spots[row]?.[1] ?? 0,
    });

  it("rectangles", () => {
    const { cells, codes, most } = count("rectangle");
    expect(cells.map(({ x, y, count: rowsIn }) => [x, y, rowsIn])).toEqual([
      [5, 5, 2],
      [95, 95, 2],
    ]);
    expect([most, codes[4], codes[5]]).toEqual([2, -1, -1]);
  });

  it("hexagons: each point is in the nearest", () => {
    const { cells, codes, halfWidth, halfHeight } = count("hexagon");
    expect([halfWidth, halfHeight.toFixed(4)]).toEqual([5, (10 / Math.sqrt(3)).toFixed(4)]);
    for (const [row, [x, y]] of spots.slice(0, 4).entries()) {
      const own = cells.find(({ code }) => code === codes[row]);
      const distance = Math.hypot((own?.x ?? 1e9) - x, (own?.y ?? 1e9) - y);
      expect(distance).toBeLessThanOrEqual(halfHeight + 1e-9);
    }
    expect(cells.reduce((sum, cell) => sum + cell.count, 0)).toBe(4);
  });

  it.each([
    [1, 100, "linear", 0],
    [100, 100, "linear", 1],
    [10, 100, "logarithmic", 0.5],
    [1, 1, "linear", 0.5],
  ])("%d of %d, %s", (own, most, type, share) => {
    expect(countShare(own, most, type)).toBeCloseTo(share, 12);
  });
});

it("correlations: each pair once", () => {
  const model = correlationModel(table, look("Correlation plot", {}));
  expect(model.pairs.map(([x, y]) => [x.name, y.name])).toEqual([["size", "cost"]]);
  // Over the five rows with both: Σdxdy = 268, Σdx² = 17.2, Σdy² = 4920.
  expect([...correlations(model, rows)][0]?.[1]).toBeCloseTo(268 / Math.sqrt(17.2 * 4920), 12);
});

describe("scatter plot", () => {
  it("lines for each category, written out", () => {
    const set = {
      xColumnName: "size",
      yColumnName: "cost",
      showRegressionLine: true,
      colorColumnName: "part",
      showPearsonCorrelation: true,
    };
    const model = scatterModel(table, look("Scatter plot", set), plot);
    expect(model?.lines.map(({ category, line }) => [category, line.slope, line.count])).toEqual([
      [0, 260 / 14, 3],
      [1, 10, 2],
    ]);
    expect(model?.notes[1]).toBe("y: y = 10x + 0, R² = 1.000");
    expect(model?.notes).toHaveLength(3);
  });

  it("sizes by area, shapes by category", () => {
    const set = {
      xColumnName: "size",
      yColumnName: "cost",
      sizeColumnName: "size",
      markerMinSize: 2,
      markerMaxSize: 10,
      markersColumnName: "part",
    };
    const model = scatterModel(table, look("Scatter plot", set), plot);
    expect([model?.sizeOf(0), model?.sizeOf(5), model?.sizeOf(1), model?.largest]).toEqual([
      2,
      10,
      2 + 8 * Math.sqrt(0.2),
      10,
    ]);
    expect([model?.shapeOf(0), model?.shapeOf(2)]).toEqual(["circle", "square"]);
  });

  it.each([
    [{ slope: 2, intercept: -3, r: 1, count: 2 }, "y = 2x − 3"],
    [{ slope: -0.12345, intercept: 1_000_000, r: 1, count: 2 }, "y = -0.1235x + 1M"],
  ])("equation %#", (line, expected) => {
    expect(equation(line)).toBe(expected);
  });
});

describe("heat map", () => {
  it("sorted, with a scale for each column or one for all", () => {
    const own = heatModel(table, look("Heat map", { columns: ["size", "cost"], sortByColumnNames: ["cost"] }), rows);
    expect([...own.rows]).toEqual([0, 1, 3, 4, 5, 2]);
    expect(own.columns.map((column) => column.shareOf(5))).toEqual([1, 1]);
    const common = heatModel(table, look("Heat map", { columns: ["size", "cost"], globalColorScaling: true }), rows);
    expect(common.columns.map((column) => column.shareOf(5))).toEqual([5 / 99, 1]);
    expect(heatModel(table, look("Heat map", { maxHeatmapColumns: 1 }), rows)).toMatchObject({ left: 3 });
  });

  it("a line shows the mean of its rows, or the first", () => {
    const column = heatModel(table, look("Heat map", { columns: ["size"] }), rows).columns[0];
    if (column === undefined) throw new Error("no column");
    expect(shareOfRows(column, Int32Array.of(0, 5), 0, 2, true)).toBe(0.5);
    expect(shareOfRows(column, Int32Array.of(0, 5), 0, 2, false)).toBe(0);
  });
});

describe("parallel coordinates", () => {
  it("axes from bottom to top, gaps where there is no value", () => {
    const model = pcModel(
      table,
      look("PC Plot", { columnNames: ["size", "cost", "kind"], logColumnsColumnNames: ["cost"] }),
      plot,
    );
    const shares = model.axes.map(({ axis, shareOf }) => shareOf(axis.positions[1] ?? Number.NaN));
    expect(shares[0]).toBeCloseTo(0.2, 12);
    expect(shares[1]).toBeCloseTo(Math.log(2) / Math.log(10), 12);
    expect(shares[2]).toBe(1);
    expect(model.axes[1]?.shareOf(Number.NaN)).toBeNaN();
    expect(model.axes[1]?.valueAt(0.5)).toBeCloseTo(Math.sqrt(1000), 9);
  });

  it("one scale for all numbers", () => {
    const model = pcModel(table, look("PC Plot", { columnNames: ["size", "cost"], normalizeEachColumn: false }), plot);
    expect(model.axes.map(({ extent }) => extent)).toEqual([
      { min: 1, max: 100 },
      { min: 1, max: 100 },
    ]);
  });

  it("strands count the rows between two axes", () => {
    const model = pcModel(table, look("PC Plot", { columnNames: ["part", "kind"] }), plot);
    const [left, right] = model.axes;
    if (left === undefined || right === undefined) throw new Error("no axes");
    expect(strandsOf(left, right, model.rows, undefined)).toEqual([
      { from: 0, to: 0, color: 0, count: 2 },
      { from: 0, to: 1, color: 0, count: 1 },
      { from: 1, to: 0, color: 0, count: 1 },
      { from: 1, to: 1, color: 0, count: 1 },
    ]);
  });
});

describe("pictures in pictures", () => {
  it("a trellis has a cell for each pair of values", () => {
    const cells = (set: Look): readonly unknown[] => {
      const model = trellisModel(
        table,
        look("Trellis plot", { xColumnNames: ["kind"], yColumnNames: ["part"], ...set }),
        Bits.of(6, [0, 1, 2, 4, 5]),
      );
      return [
        model.columns,
        model.lines,
        model.cells.map(({ column, line, name, rows: own }) => [column, line, name, [...own.rows()].join()]),
      ];
    };
    const four = [
      [0, 0, "a / x", "0,5"],
      [1, 0, "b / x", "1"],
      [0, 1, "a / y", "2"],
      [1, 1, "b / y", "4"],
    ];
    expect(cells({})).toEqual([2, 2, four]);
    expect(cells({ packCategories: false }).slice(0, 2)).toEqual([3, 2]);
    expect(cells({ useTiledView: true, tilesPerRow: 3 })).toEqual([
      3,
      2,
      [
        [0, 0, "a / x", "0,5"],
        [1, 0, "b / x", "1"],
        [2, 0, "a / y", "2"],
        [0, 1, "b / y", "4"],
      ],
    ]);
    expect(cells({ xColumnNames: [], yColumnNames: [] })).toEqual([1, 1, [[0, 0, "", "0,1,2,4,5"]]]);
  });

  it("a matrix has histograms on its diagonal, and densities where there are too many rows", () => {
    const set = look("Matrix plot", {
      xColumnNames: ["size", "cost"],
      yColumnNames: ["size", "cost"],
      cellPlotType: "Scatter plot",
      innerViewerLook: '{"markerDefaultSize": 9, "nonsense": 1}',
    });
    const small = matrixModel(table, set, 6);
    expect(small.cells.map(({ plot: type }) => type)).toEqual([
      "Histogram",
      "Scatter plot",
      "Scatter plot",
      "Histogram",
    ]);
    expect(small.cells[1]?.look).toMatchObject({
      xColumnName: "cost",
      yColumnName: "size",
      markerDefaultSize: 9,
      showXSelector: false,
    });
    expect(matrixModel(table, set, MOST_POINTS + 1).cells[1]?.plot).toBe("Density plot");
  });
});
