import { AGGREGATES } from "../../data/aggregate.ts";
import { AXIS_TYPES, choice, column, flag, LEGEND_TITLE_AND_ROWS, numericColumns, real, whole } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const histogram: ViewerDefinition = {
  type: "Histogram",
  about: "How often the values of a numeric column occur, in bins.",
  properties: [
    column("valueColumnName", "The numbers whose spread is shown.", "numeric"),
    whole("bins", "How many bins there are.", { default: 20, min: 1, max: 500 }),
    column("splitColumnName", "Draws a curve, or with splitStack a stack, for each of its values."),
    flag("splitStack", false, "Stacks the parts of a split instead of laying curves over each other."),
    flag("normalizeValues", false, "Shows shares of each part instead of counts."),
    column("colorColumnName", "Bins are coloured by these values, aggregated.", "numeric"),
    choice("colorAggrType", AGGREGATES, "How the values of a bin's colour are aggregated.", "avg"),
    flag("invertColorScheme", false, "Turns the scale of colours round."),
    choice("xAxisType", AXIS_TYPES, "Scale of the values."),
    choice("yAxisType", AXIS_TYPES, "Scale of the counts."),
    real("valueMin", "Where the first bin starts; absent: at the least value."),
    real("valueMax", "Where the last bin ends; absent: at the greatest value."),
    flag(
      "cutOutliers",
      true,
      "Ends the axis before a few far values that would squeeze all others, and says how many.",
    ),
    flag("showXAxis", true, "Shows the axis of the values."),
    flag("showYAxis", true, "Shows the axis of the counts."),
    flag("showValues", false, "Writes its count on each bin."),
    flag("spline", false, "Draws a curve instead of bars."),
    flag("fillSpline", true, "Fills the space below a curve."),
    real("binWidthRatio", "Breadth of a bar as a share of its bin.", { default: 0.94, min: 0.1, max: 1 }),
    flag("showFilteredOutRows", true, "Shows rows that the filter took out, faint."),
    flag("filteringEnabled", false, "Dragging a range filters the table instead of selecting rows."),
    flag("showCurrentRow", true, "Marks the value of the current row."),
    flag("showMouseOverRow", true, "Marks the value of the row under the mouse."),
    flag("showColumnSelector", true, "Shows the selector of the value column."),
    flag("showSplitSelector", true, "Shows the selector of the split column."),
    flag("showBinSelector", true, "Shows the slider of the number of bins."),
    ...LEGEND_TITLE_AND_ROWS,
  ],
  defaults: (table) => ({ valueColumnName: numericColumns(table)[0] }),
  unfit: (table, look) =>
    look["valueColumnName"] === undefined && numericColumns(table).length === 0
      ? "A histogram needs a column of numbers or times."
      : undefined,
  load: async () => (await import("./histogram.tsx")).Histogram,
};
