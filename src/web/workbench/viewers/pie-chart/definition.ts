import { AGGREGATES } from "../../data/aggregate.ts";
import { TIME_MAPS } from "../drawing/categories.ts";
import { categoricalColumns, choice, column, flag, LEGEND_TITLE_AND_ROWS, real, ROW_GROUP_ACTIONS } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const pieChart: ViewerDefinition = {
  type: "Pie chart",
  about: "The shares of a column's values in the whole, as slices.",
  properties: [
    column("categoryColumnName", "Each of its values becomes a slice."),
    choice("categoryMap", TIME_MAPS, "Unit that times of the category are grouped by."),
    column("segmentAngleColumnName", "The numbers that make the angle of a slice; absent: rows are counted."),
    choice("segmentAngleAggrType", AGGREGATES, "How they are aggregated.", "sum"),
    column(
      "segmentLengthColumnName",
      "The numbers that make the length of a slice; absent: all are equally long.",
      "numeric",
    ),
    choice("segmentLengthAggrType", AGGREGATES, "How they are aggregated.", "avg"),
    choice("pieSortType", ["by value", "by category"], "What slices are sorted by."),
    choice("pieSortOrder", ["asc", "desc"], "The order of slices.", "desc"),
    flag("includeNulls", true, "Shows a slice for rows without a value."),
    choice(
      "labelPosition",
      ["Auto", "Inside", "Outside"],
      "Where labels are written; Auto: inside where there is room.",
    ),
    flag("showLabel", true, "Writes the name of each slice."),
    flag("showPercentage", true, "Writes the share of each slice."),
    flag("showValue", false, "Writes the number of each slice."),
    real("startAngle", "Where the first slice starts, degrees clockwise from the top.", {
      default: 0,
      min: -360,
      max: 360,
    }),
    real("maxRadius", "The largest radius, pixels.", { default: 250, min: 20, max: 2000 }),
    real("shift", "How far slices lie from the middle, pixels.", { default: 0, min: 0, max: 100 }),
    real("outlineLineWidth", "Breadth of the line around slices, pixels.", { default: 1, min: 0, max: 10 }),
    choice("onClick", ROW_GROUP_ACTIONS, "What a click on a slice does."),
    flag("showSelectedRows", true, "Marks the selected part of each slice."),
    flag("showColumnSelector", true, "Shows the selector of the category."),
    ...LEGEND_TITLE_AND_ROWS,
  ],
  defaults: (table) => ({ categoryColumnName: categoricalColumns(table)[0] ?? table.columns[0]?.name }),
  unfit: (table) => (table.columns.length === 0 ? "A pie chart needs a column." : undefined),
  load: async () => (await import("./pie-chart.tsx")).PieChart,
};
