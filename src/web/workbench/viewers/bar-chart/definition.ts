import { AGGREGATES } from "../../data/aggregate.ts";
import { TIME_MAPS } from "../drawing/categories.ts";
import {
  AXIS_TYPES,
  categoricalColumns,
  choice,
  column,
  flag,
  LEGEND_TITLE_AND_ROWS,
  real,
  ROW_GROUP_ACTIONS,
} from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const barChart: ViewerDefinition = {
  type: "Bar chart",
  about: "One bar for each value of a column: how many rows, or an aggregated number.",
  properties: [
    column("splitColumnName", "Each of its values becomes a bar."),
    choice("splitMap", TIME_MAPS, "Unit that times of the split are grouped by."),
    column("valueColumnName", "The numbers that are aggregated; absent: rows are counted."),
    choice("valueAggrType", AGGREGATES, "How they are aggregated.", "count"),
    column("stackColumnName", "Each bar is made of a part for each of its values; sums and counts only."),
    flag("relativeValues", false, "All stacks are equally long: parts are shares."),
    column("colorColumnName", "Bars are coloured by these numbers, aggregated.", "numeric"),
    choice("colorAggrType", AGGREGATES, "How the numbers of a bar's colour are aggregated.", "avg"),
    flag("invertColorScheme", false, "Turns the scale of colours round."),
    flag("includeNulls", true, "Shows a bar for rows without a value."),
    flag("showEmptyBars", false, "Shows bars of values that no shown row has."),
    choice("barSortType", ["by category", "by value"], "What bars are sorted by.", "by value"),
    choice("barSortOrder", ["asc", "desc"], "The order of bars.", "desc"),
    choice("axisType", AXIS_TYPES, "Scale of the values."),
    real("valueMin", "Where the value axis starts; absent: at zero or below."),
    real("valueMax", "Where the value axis ends; absent: at the greatest."),
    choice("orientation", ["auto", "horizontal", "vertical"], "Which way bars lie; auto: along the longer side."),
    choice("onClick", ROW_GROUP_ACTIONS, "What a click on a bar does."),
    flag("showValueAxis", true, "Shows the axis of the values."),
    flag("showCategoryValues", true, "Shows the names beside the bars."),
    choice("showLabels", ["auto", "inside", "outside", "never"], "Where the numbers of bars are written."),
    flag("showSelectedRows", true, "Marks the selected part of each bar."),
    flag("showValueSelector", true, "Shows the selectors of value and aggregation."),
    flag("showCategorySelector", true, "Shows the selector of the split column."),
    flag("showStackSelector", true, "Shows the selector of the stack column."),
    real("maxBarHeight", "How broad a bar can be, pixels.", { default: 50, min: 2, max: 400 }),
    real("barCornerRadius", "Roundness of the bars' corners, pixels.", { default: 0, min: 0, max: 30 }),
    ...LEGEND_TITLE_AND_ROWS,
  ],
  defaults: (table) => ({
    splitColumnName: categoricalColumns(table)[0] ?? table.columns[0]?.name,
  }),
  unfit: (table) => (table.columns.length === 0 ? "A bar chart needs a column to split by." : undefined),
  load: async () => (await import("./bar-chart.tsx")).BarChart,
};
