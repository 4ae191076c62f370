import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import { barModel } from "../../../../src/web/workbench/viewers/bar-chart/model.ts";
import { categoriesOf } from "../../../../src/web/workbench/viewers/drawing/categories.ts";
import { clampedTo, valueScale } from "../../../../src/web/workbench/viewers/drawing/scale.ts";
import { histogramModel } from "../../../../src/web/workbench/viewers/histogram/model.ts";
import { MOST_EDGES, networkSteps } from "../../../../src/web/workbench/viewers/network-diagram/model.ts";
import { definitionOf, wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look, ViewerDefinition } from "../../../../src/web/workbench/viewers/viewer.ts";
import { finish } from "../../../../src/web/workbench/viewers/groups/steps.ts";

function viewer(type: string): ViewerDefinition {
  const found = definitionOf(type);
  if (found === undefined) throw new Error(`no ${type}`);
  return found;
}

const look = (type: string, table: Table, set: Look): Look => wholeLook(viewer(type), table, set);

async function drawn(type: string, table: Table, set: Look): Promise<string> {
  const Component = await viewer(type).load();
  const props = { id: "v", table, look: look(type, table, set), width: 720, height: 460, change: () => undefined };
  return renderToStaticMarkup(createElement(Component, props));
}

async function sentence(type: string, table: Table, set: Look): Promise<string> {
  return /<figcaption[^>]*>(.*?)<\/figcaption>/.exec(await drawn(type, table, set))?.[1] ?? "";
}

const list = <Value>(length: number, of: (row: number) => Value): Value[] =>
  Array.from({ length }, (_, row) => of(row));
/** 6 zeros, then powers of ten. */
const grossed = newTable("movies", [
  columnOf("gross", [0, 0, 0, 0, 0, 0, 10, 100, 1_000, 10_000, 100_000, 1_000_000], "double"),
  columnOf(
    "rating",
    list(12, () => "PG"),
  ),
  columnOf(
    "place",
    list(12, (row) => row),
    "int",
  ),
]);
const below = newTable("below", [columnOf("v", [-1, -2, -5, -5, -9], "double"), columnOf("x", [1, 2, 3, 4, 5], "int")]);
const LOG = "logarithmic";

describe("logarithmic axes", () => {
  test.each([
    ["Box plot", { valueColumnName: "gross", category1ColumnName: "rating", axisType: LOG }],
    ["Histogram", { valueColumnName: "gross", xAxisType: LOG }],
    ["Scatter plot", { xColumnName: "place", yColumnName: "gross", yAxisType: LOG }],
    ["Density plot", { xColumnName: "place", yColumnName: "gross", yAxisType: LOG }],
    ["PC Plot", { columnNames: ["place", "gross"], logColumnsColumnNames: ["gross"] }],
  ])("%s says how many values have no place", async (type, set) => {
    expect(await sentence(type, grossed, set)).toContain("gross: 6 values ≤ 0 are not shown on a log axis.");
  });
  test.each([
    ["Box plot", { valueColumnName: "v", axisType: LOG }, "v"],
    ["Histogram", { valueColumnName: "v", xAxisType: LOG }, "v"],
    ["Scatter plot", { xColumnName: "x", yColumnName: "v", yAxisType: LOG }, "v"],
    ["Density plot", { xColumnName: "x", yColumnName: "v", yAxisType: LOG }, "v"],
    ["Line chart", { xColumnName: "x", yColumnNames: ["v"], yAxisType: LOG }, "avg(v)"],
    ["Bar chart", { splitColumnName: "x", valueColumnName: "v", valueAggrType: "avg", axisType: LOG }, "avg(v)"],
    ["PC Plot", { columnNames: ["x", "v"], logColumnsColumnNames: ["v"] }, "v"],
  ])("%s is linear where no value is above zero", async (type, set, name) => {
    expect(await sentence(type, below, set)).toContain(`${name} has no values above 0, so its axis is linear.`);
  });
  it("a line chart says between which values it runs, and how many points are left out", async () => {
    const said = await sentence("Line chart", grossed, {
      xColumnName: "place",
      yColumnNames: ["gross"],
      yAxisType: LOG,
    });
    expect(said).toBe(
      "Line chart of avg(gross) over place, 6 of 12 rows, 1 line, from 6 to 11, between 10 and 1,000,000. avg(gross): 6 points ≤ 0 are not shown on a log axis.",
    );
  });
  it("values below the axis end at its lower edge", () => {
    const scale = valueScale({ extent: { min: 1, max: 100 }, range: [300, 0], type: LOG });
    const place = clampedTo(scale);
    expect([0, -5, 1, 10, 100, 1e9, Number.POSITIVE_INFINITY].map(place)).toEqual([300, 300, 300, 150, 0, 0, 0]);
  });
  it("has no labels over each other", () => {
    const scale = valueScale({ extent: { min: 0.5, max: 1e9 }, range: [0, 200], type: LOG });
    const spots = scale.ticks.map(({ value, text }) => [scale.of(value), text.length * 6.16] as const);
    for (const [at, [x, width]] of spots.entries()) {
      const next = spots[at + 1];
      if (next !== undefined) expect(next[0] - next[1] / 2).toBeGreaterThanOrEqual(x + width / 2);
    }
  });
});

describe("histograms", () => {
  const model = (values: readonly number[], set: Look = {}) => {
    const table = newTable("t", [columnOf("v", values, "double")]);
    const rows = Bits.all(values.length);
    return histogramModel(table, look("Histogram", table, { valueColumnName: "v", ...set }), {
      rows,
      scaleRows: rows,
      everything: rows,
    });
  };
  it("of one value have one broad bar", () => {
    const made = model(list(200, () => 5));
    expect([made?.edges, [...(made?.counts ?? [])]]).toEqual([[4.5, 5.5], [200]]);
  });
  it("end before a few far values, say how many, and show them where that is switched off", async () => {
    const near = list(2_000, (row) => (row % 100) - 20);
    const values = [...near, 90_000, -70_000];
    const cut = model(values);
    expect(cut?.beyond).toBe(2);
    expect(cut?.counts.filter((count) => count > 0).length).toBeGreaterThan(15);
    expect([cut?.span.min, cut?.span.max].map((end) => Math.abs(end ?? 0) < 400)).toEqual([true, true]);
    expect(model(values, { cutOutliers: false })).toMatchObject({ beyond: 0, span: { min: -70_000, max: 90_000 } });
    expect(model(values, { valueMax: 50_000 })).toMatchObject({ beyond: 0, span: { min: -70_000, max: 50_000 } });
    // A long tail is no outlier.
    const tail = list(2_000, (row) => row ** 2);
    expect(model(tail)).toMatchObject({ beyond: 0, span: { min: 0, max: 1_999 ** 2 } });
    const table = newTable("t", [columnOf("v", values, "double")]);
    expect(await sentence("Histogram", table, { valueColumnName: "v" })).toMatch(/2 rows outside .* not shown/);
  });
  it("of rows that a filter left are high enough to be seen", async () => {
    const table = newTable("t", [
      columnOf(
        "v",
        list(1_000, (row) => row % 100),
        "int",
      ),
    ]);
    table.setFilter("f", { kind: "rows", rows: Bits.of(1_000, [0, 1, 2, 3]) });
    const html = await drawn("Histogram", table, { valueColumnName: "v", rowSource: "Filtered" });
    const heights = [
      ...html.matchAll(/<rect x="[^"]*" width="[^"]*" y="[^"]*" height="([^"]*)" fill="#[^"]*"><\/rect>/g),
    ];
    expect(Math.max(...heights.map(([, height]) => Number(height)))).toBeGreaterThan(200);
  });
  it("side by side have the same vertical axis, with whole numbers", async () => {
    const table = newTable("t", [
      columnOf("v", [...list(100, () => 1), ...list(4, () => 2)], "int"),
      columnOf("k", [...list(100, () => "many"), ...list(4, () => "few")]),
    ]);
    const html = await drawn("Trellis plot", table, {
      viewerType: "Histogram",
      xColumnNames: ["k"],
      yColumnNames: [],
      innerViewerLook: '{"valueColumnName":"v"}',
      showYAxes: "Always",
    });
    const axes = html.split('aria-label="Bins of v"').map((part) => part.match(/text-anchor="end">([^<]*)</gi)?.at(-1));
    expect(axes.slice(0, 2)).toEqual(
      ['textAnchor="end">100<', 'textAnchor="end">100<'].map((text) => text.replace("textAnchor", "text-anchor")),
    );
  });
});

describe("sentences count what is drawn", () => {
  const half = newTable("t", [
    columnOf("x", [1, null, 3, 4], "int"),
    columnOf("y", [1, 2, null, 4], "int"),
    columnOf("k", ["a", "b", "c", null]),
    columnOf("t", ["2012-01-01", "2015-12-31", "2013-05-05", null], "datetime"),
  ]);
  test.each([
    ["Scatter plot", { xColumnName: "x", yColumnName: "y" }, "Scatter plot of y over x, 2 of 4 rows."],
    [
      "Density plot",
      { xColumnName: "x", yColumnName: "y" },
      "Density plot of y over x, 2 of 4 rows, 40 cells side by side.",
    ],
    [
      "Line chart",
      { xColumnName: "x", yColumnNames: ["y"] },
      "Line chart of avg(y) over x, 2 of 4 rows, 1 line, from 1 to 4, between 1 and 4.",
    ],
    ["Calendar", { dateColumnName: "t" }, "Calendar of 3 rows from 2012-01-01 to 2015-12-31."],
  ])("%s", async (type, set, said) => {
    expect(await sentence(type, half, set)).toContain(said);
  });
  test.each(["Tree map", "Pivot table"])("%s of an empty table", async (type) => {
    const empty = newTable("t", [columnOf("k", [], "string"), columnOf("v", [], "double")]);
    const html = await drawn(type, empty, {});
    expect(html).toContain("The table has no rows.");
    expect(html).not.toContain("filtered out");
  });
  it("legends name grey points too", async () => {
    const html = await drawn("3d scatter plot", half, {
      xColumnName: "x",
      yColumnName: "y",
      zColumnName: "x",
      colorColumnName: "k",
    });
    expect(html).toContain("(no value)");
  });
});

describe("network diagrams", () => {
  it("keep the heaviest lines by the column of the width", () => {
    const nodes = 80;
    const pairs = list(nodes * nodes, (at) => [at % nodes, Math.floor(at / nodes)] as const);
    const table = newTable("flights", [
      columnOf(
        "from",
        pairs.map(([from]) => `a${from}`),
      ),
      columnOf(
        "to",
        pairs.map(([, to]) => `b${to}`),
      ),
      // The heaviest come last in the file.
      columnOf(
        "count",
        pairs.map((_, at) => at),
        "int",
      ),
    ]);
    const set = {
      node1ColumnName: "from",
      node2ColumnName: "to",
      edgeWidthColumnName: "count",
      edgeWidthAggrType: "sum",
    };
    const model = finish(networkSteps(table, look("Network diagram", table, set)));
    if (typeof model === "string") throw new Error(model);
    const rows = model.edges.flatMap((edge) => [...edge.rows]).sort((left, right) => left - right);
    expect(rows).toEqual(list(MOST_EDGES, (at) => nodes * nodes - MOST_EDGES + at));
    expect(model.cut).toBe("Shows the 3,000 of 6,400 lines with the largest sum(count).");
    // All its lines, not only those that are shown.
    expect(model.nodes[0]?.lines).toBe(nodes);
  });
});

describe("groups", () => {
  it("of numbers that differ have names that differ", () => {
    expect(categoriesOf(columnOf("v", [1.234_56, 1.234_57], "double")).names).toEqual(["1.23456", "1.23457"]);
    const many = columnOf(
      "v",
      list(100, (row) => 1.23 + row / 1e6),
      "double",
    );
    expect(new Set(categoriesOf(many).names).size).toBe(10);
  });
  it("of times stand in the order of time", () => {
    const table = newTable("t", [
      columnOf("t", ["2021-05-01", "2019-05-01", "2019-06-01", "2020-05-01", "2020-05-02", "2020-05-03"], "datetime"),
    ]);
    const made = barModel(table, look("Bar chart", table, { splitColumnName: "t", splitMap: "year" }), Bits.all(6));
    expect(made?.bars.map(({ name, value }) => [name, value])).toEqual([
      ["2019", 2],
      ["2020", 3],
      ["2021", 1],
    ]);
  });
});
