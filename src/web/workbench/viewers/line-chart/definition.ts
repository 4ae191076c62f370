import { AGGREGATES } from "../../data/aggregate.ts";
import { MARKER_TYPES } from "../drawing/raster.ts";
import {
  choice,
  column,
  columnList,
  flag,
  LEGEND_TITLE_AND_ROWS,
  numericColumns,
  PLANE,
  real,
  VISIBILITY_MODES,
} from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const lineChart: ViewerDefinition = {
  type: "Line chart",
  about: "Numbers along a column, aggregated where rows share a place, as lines.",
  properties: [
    column("xColumnName", "Values of the horizontal axis."),
    columnList("yColumnNames", "A line for each of these columns.", "numeric"),
    column("splitColumnName", "A line for each of its values."),
    choice("aggrType", AGGREGATES, "How rows at the same place are aggregated.", "avg"),
    ...PLANE,
    flag("invertXAxis", false, "Turns the horizontal axis round."),
    flag("multiAxis", false, "Each column has its own picture and its own axis."),
    flag("showXAxis", true, "Shows the horizontal axis."),
    flag("showYAxis", true, "Shows the vertical axis."),
    flag("showVerticalGridLines", true, "Shows lines from the horizontal axis."),
    flag("showHorizontalGridLines", true, "Shows lines from the vertical axis."),
    flag("showXSelector", true, "Shows the selector of the x column."),
    flag("showYSelectors", true, "Shows the selector of the first y column."),
    flag("showAggrTypeSelector", true, "Shows the selector of the aggregation."),
    flag("showSplitSelector", true, "Shows the selector of the split column."),
    choice("interpolation", ["None", "Spline"], "Straight from point to point, or a curve."),
    choice("showMarkers", VISIBILITY_MODES, "Whether points are marked; Auto: where there are few."),
    choice("markerType", MARKER_TYPES, "Shape of the points."),
    real("markerSize", "Size of the points, pixels.", { default: 6, min: 1, max: 40 }),
    real("lineWidth", "Breadth of the lines, pixels.", { default: 2, min: 0.5, max: 20 }),
    real("lineTransparency", "How much shows through the lines, percent.", { default: 0, min: 0, max: 95 }),
    choice(
      "whiskersType",
      ["None", "Med | Q1, Q3", "Avg | Min, Max", "Avg | +/-StDev"],
      "Bounds that are drawn around each point.",
    ),
    flag("showCurrentRowLine", true, "Marks the place of the current row."),
    flag("showMouseOverRowLine", true, "Marks the place of the row under the mouse."),
    flag("showSelectedRows", true, "Marks places with selected rows."),
    ...LEGEND_TITLE_AND_ROWS,
  ],
  defaults: (table) => {
    const time = table.columns.find(({ type }) => type === "datetime")?.name;
    const numeric = numericColumns(table);
    const x = time ?? numeric[0] ?? table.columns[0]?.name;
    const y = numeric.find((name) => name !== x) ?? numeric[0];
    return { xColumnName: x, yColumnNames: y === undefined ? [] : [y] };
  },
  unfit: (table) => (numericColumns(table).length === 0 ? "A line chart needs a column of numbers." : undefined),
  load: async () => (await import("./line-chart.tsx")).LineChart,
};
