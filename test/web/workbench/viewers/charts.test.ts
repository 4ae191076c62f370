import { readdirSync, readFileSync } from "node:fs";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeAll, describe, expect, it } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { isMissing } from "../../../../src/web/workbench/data/column.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import { bigTable } from "../../../../src/web/workbench/samples/big.ts";
import { demog } from "../../../../src/web/workbench/samples/demog.ts";
import { SAMPLES } from "../../../../src/web/workbench/samples/index.ts";
import { checkLook, definitionOf, wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Look, PropertyDefinition, ViewerDefinition } from "../../../../src/web/workbench/viewers/viewer.ts";

const CHARTS = [
  "Scatter plot",
  "Histogram",
  "Bar chart",
  "Line chart",
  "Box plot",
  "Pie chart",
  "Heat map",
  "Density plot",
  "Correlation plot",
  "Matrix plot",
  "Trellis plot",
  "PC Plot",
] as const;

/** What else must be set for a property to matter. */
const NEEDS: Readonly<Record<string, Readonly<Record<string, Look>>>> = {
  "Scatter plot": {
    regressionPerCategory: { colorColumnName: "SEX", showRegressionLine: true },
    showRegressionLineEquation: { showRegressionLine: true },
    colorMin: { colorColumnName: "WEIGHT" },
    colorMax: { colorColumnName: "WEIGHT" },
    invertColorScheme: { colorColumnName: "WEIGHT" },
    legendVisibility: { colorColumnName: "SEX" },
    legendPosition: { colorColumnName: "SEX" },
    showLabelsFor: { labelColumnNames: ["SEX"] },
  },
  Histogram: {
    splitStack: { splitColumnName: "SEX" },
    colorAggrType: { colorColumnName: "WEIGHT" },
    invertColorScheme: { colorColumnName: "WEIGHT" },
    fillSpline: { spline: true },
    legendVisibility: { splitColumnName: "SEX" },
    legendPosition: { splitColumnName: "SEX" },
  },
  "Bar chart": {
    splitMap: { splitColumnName: "STARTED" },
    valueAggrType: { valueColumnName: "AGE" },
    relativeValues: { stackColumnName: "SEX" },
    colorAggrType: { colorColumnName: "WEIGHT" },
    invertColorScheme: { colorColumnName: "WEIGHT" },
    includeNulls: { splitColumnName: "HEIGHT" },
    showEmptyBars: { splitColumnName: "USUBJID" },
    legendVisibility: { stackColumnName: "SEX" },
    legendPosition: { stackColumnName: "SEX" },
  },
  "Line chart": {
    multiAxis: { yColumnNames: ["AGE", "WEIGHT"] },
    xAxisType: { xColumnName: "AGE" },
    xMin: { xColumnName: "AGE" },
    xMax: { xColumnName: "AGE" },
    interpolation: { xColumnName: "SEVERITY" },
    markerType: { showMarkers: "Always" },
    markerSize: { showMarkers: "Always" },
    legendVisibility: { splitColumnName: "SEX" },
    legendPosition: { splitColumnName: "SEX" },
  },
  "Heat map": { colLabelsOrientation: { colLabelsOrientation: "Horz" } },
  "Box plot": {
    category1Map: { category1ColumnName: "STARTED" },
    bins: { plotStyle: "violin" },
    binColorAggrType: { binColorColumnName: "WEIGHT" },
    showEmptyCategories: { category1ColumnName: "USUBJID" },
    ...Object.fromEntries(
      ["showTotalCount", "showAvg", "showMed", "showStdev", "showMin", "showMax"].map((name) => [
        name,
        { showStatistics: true },
      ]),
    ),
    legendVisibility: { markerColorColumnName: "SEX" },
    legendPosition: { markerColorColumnName: "SEX" },
  },
  "Pie chart": {
    categoryMap: { categoryColumnName: "STARTED" },
    segmentAngleAggrType: { segmentAngleColumnName: "AGE" },
    segmentLengthAggrType: { segmentLengthColumnName: "WEIGHT" },
    includeNulls: { categoryColumnName: "HEIGHT" },
  },
  "Trellis plot": {
    packCategories: { xColumnNames: ["USUBJID"], yColumnNames: [] },
    tilesPerRow: { useTiledView: true },
  },
  "PC Plot": {
    colorMin: { colorColumnName: "WEIGHT" },
    colorMax: { colorColumnName: "WEIGHT" },
    invertColorScheme: { colorColumnName: "WEIGHT" },
    legendVisibility: { colorColumnName: "SEX" },
    legendPosition: { colorColumnName: "SEX" },
    maxCategories: { columnNames: ["AGE", "SEVERITY", "USUBJID"] },
  },
};

/** Properties that act when a person does something, or that are painted on a canvas: not to be seen in the markup. */
const NOT_IN_MARKUP: Readonly<Record<string, readonly string[]>> = {
  "Scatter plot": [
    "mouseDrag",
    "allowZoom",
    "resetSelectionOnBackgroundClick",
    "colorAxisType",
    "markersColumnName",
    "markerMinSize",
    "markerMaxSize",
    "markerType",
    "markerOpacity",
    "showFilteredOutPoints",
    "showSelectedRows",
  ],
  // The people have no outliers: see right-results.test.ts.
  Histogram: ["cutOutliers", "filteringEnabled"],
  "Bar chart": ["onClick"],
  "Line chart": [],
  "Box plot": ["markerType", "markerSize", "markerOpacity", "showInsideValues", "showOutsideValues"],
  "Pie chart": ["onClick"],
  "Heat map": ["drawEveryRow", "showRowGridlines", "showColumnGridlines", "showCellTooltip", "allowRowSelection"],
  "Density plot": ["allowZoom", "colorTransformType"],
  "Correlation plot": [],
  "Matrix plot": [],
  "Trellis plot": ["onClick"],
  "PC Plot": ["colorAxisType", "showAllLines", "showSelectedRows", "lineWidth", "showFilters"],
};

function chart(type: string): ViewerDefinition {
  const found = definitionOf(type);
  if (found === undefined) throw new Error(`no ${type}`);
  return found;
}

/** Another value than the one that a property has. */
function other(property: PropertyDefinition, now: unknown): unknown {
  const numeric = property.columns === "numeric";
  switch (property.type) {
    case "bool":
      return now !== true;
    case "int":
      return Math.max(property.min ?? 0, Math.round(Number(now ?? 10) / 20));
    case "double":
      return Math.min(property.max ?? 1e9, Math.max(property.min ?? 0, Number(now ?? 0) / 2 || 60));
    case "column":
      return (numeric ? ["WEIGHT", "HEIGHT"] : ["SEVERITY", "RACE"]).find((name) => name !== now);
    case "column_list":
      return numeric || property.name !== "xColumnNames" ? ["WEIGHT", "HEIGHT"] : ["SEVERITY"];
    default:
      if (property.json === true) return '{"bins": 9, "showXAxis": true, "jitterSize": 30}';
      if (property.name === "legendVisibility") return "Never";
      if (property.name === "orientation") return "horizontal";
      if (property.name === "showXAxes" || property.name === "showYAxes") return "Always";
      return property.choices?.findLast((choice) => choice !== now) ?? "Some words";
  }
}

const tables = new Map<string, Table>();

beforeAll(() => {
  const table = demog(60);
  table.setFilter("f", { kind: "range", column: "AGE", max: 70 });
  const rows = [...table.filtered.rows()];
  table.select(Bits.of(60, rows.slice(0, 20)));
  const height = table.column("HEIGHT");
  const measured = rows.filter((row) => height !== undefined && !isMissing(height, row)).slice(-2);
  table.setCurrentRow(measured[0] ?? 0);
  table.setHoverRow(measured[1] ?? 0);
  tables.set("people", table);
});

describe.each(CHARTS)("%s", (type) => {
  it("starts with values that pass its own check, on every sample", () => {
    const definition = chart(type);
    const samples = SAMPLES.filter(({ id }) => id !== "million").map(({ make }) => make());
    for (const table of [...samples, bigTable(100)]) {
      if (definition.unfit?.(table, {}) !== undefined) continue;
      const look = wholeLook(definition, table, {});
      expect(checkLook(definition, look, table)).toEqual(look);
    }
  });

  it("reads every property that it lists", () => {
    const folder = new URL(
      `../../../../src/web/workbench/viewers/${type.toLowerCase().replaceAll(" ", "-")}/`,
      import.meta.url,
    );
    const kit = new URL("../../../../src/web/workbench/viewers/drawing/", import.meta.url);
    const own = readdirSync(folder)
      .filter((name) => name !== "definition.ts")
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
      .join("\n");
    const shared = ["chart-legend.ts", "coloring.ts", "plot.ts", "xy-axes.ts"].filter((name) =>
      own.includes(`"../drawing/${name}"`),
    );
    const source = [
      own,
      ...["rows.ts", "figure.tsx", "legend.tsx", ...shared].map((name) => readFileSync(new URL(name, kit), "utf8")),
    ]
      .join("\n")
      // `${axis}Min` stands for both axes.
      .replaceAll(/\$\{axis\}(\w+)/g, 'x$1" "y$1');
    const unread = chart(type).properties.filter(
      ({ name }) => !source.includes(`"${name}"`) && !new RegExp(`\\b${name}\\b`).test(source),
    );
    expect(unread.map(({ name }) => name)).toEqual([]);
  });

  it("looks different with each property", async () => {
    const definition = chart(type);
    const table = tables.get("people");
    if (table === undefined) throw new Error("no table");
    const Component = await definition.load();
    const markup = (look: Look): string =>
      renderToStaticMarkup(
        createElement(Component, {
          id: "v",
          table,
          look: wholeLook(definition, table, look),
          width: 640,
          height: 460,
          change: () => undefined,
        }),
      );
    const unchanged = definition.properties.filter((property) => {
      const needs = NEEDS[type]?.[property.name] ?? {};
      const now = wholeLook(definition, table, needs)[property.name];
      return markup(needs) === markup({ ...needs, [property.name]: other(property, now) });
    });
    expect(unchanged.map(({ name }) => name).toSorted()).toEqual([...(NOT_IN_MARKUP[type] ?? [])].toSorted());
  });

  it("describes what it shows in a sentence", async () => {
    const definition = chart(type);
    const table = tables.get("people");
    if (table === undefined) throw new Error("no table");
    const Component = await definition.load();
    const look = wholeLook(definition, table, {});
    const markup = renderToStaticMarkup(
      createElement(Component, { id: "v", table, look, width: 640, height: 460, change: () => undefined }),
    );
    expect(markup).toMatch(/<figcaption[^>]*>[A-Z][^<]{20,}\.<\/figcaption>/);
  });
});
