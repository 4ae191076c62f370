import { COLOR_SCALE, column, columnList, flag, LEGEND_TITLE_AND_ROWS, numericColumns, real, whole } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

const FIRST = 8;

export const pcPlot: ViewerDefinition = {
  type: "PC Plot",
  about: "Parallel coordinates: an upright axis for each column, a line across them for each row.",
  properties: [
    columnList("columnNames", "The columns, from left to right."),
    columnList("logColumnsColumnNames", "Those of them with a logarithmic scale.", "numeric"),
    flag("normalizeEachColumn", true, "Each axis has its own ends; else all numbers share one scale."),
    column("colorColumnName", "Values that colour the lines: numbers by a scale, others by category."),
    ...COLOR_SCALE,
    flag("showColorSelector", true, "Shows the selector of the colour column."),
    flag("showAllLines", true, "Shows all lines; else only those of selected, current and hovered rows."),
    flag("showFilteredOutLines", false, "Shows rows that the filter took out, faint."),
    flag("showSelectedRows", true, "Marks the lines of selected rows."),
    flag("showCurrentLine", true, "Marks the line of the current row."),
    flag("showMouseOverLine", true, "Marks the line of the row under the mouse."),
    real("lineWidth", "Breadth of the lines, pixels.", { default: 1, min: 0.2, max: 10 }),
    real("currentLineWidth", "Breadth of the current row's line, pixels.", { default: 3, min: 0.2, max: 20 }),
    real("mouseOverLineWidth", "Breadth of the line of the row under the mouse, pixels.", {
      default: 3,
      min: 0.2,
      max: 20,
    }),
    flag("showFilters", true, "Dragging along an axis filters by that range."),
    flag("showInterquartileRange", false, "Marks the middle half of the values on each axis."),
    flag("showMedian", false, "Marks the median on each axis."),
    flag("showMeanCross", false, "Marks the mean on each axis."),
    flag("showMinMax", true, "Writes the ends of each axis."),
    flag("showLabels", true, "Writes the names of the columns."),
    whole("maxCategories", "Columns with more categories are left out.", { default: 100, min: 2, max: 1000 }),
    real("horzMargin", "Room left and right, pixels.", { default: 40, min: 0, max: 300 }),
    ...LEGEND_TITLE_AND_ROWS,
  ],
  defaults: (table) => ({ columnNames: numericColumns(table).slice(0, FIRST) }),
  unfit: (table) => (table.columns.length < 2 ? "A PC plot needs two columns." : undefined),
  load: async () => (await import("./pc-plot.tsx")).PcPlot,
};
