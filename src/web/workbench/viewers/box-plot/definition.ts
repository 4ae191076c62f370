import { AGGREGATES } from "../../data/aggregate.ts";
import { TIME_MAPS } from "../drawing/categories.ts";
import { MARKER_TYPES } from "../drawing/raster.ts";
import {
  AXIS_TYPES,
  categoricalColumns,
  choice,
  column,
  flag,
  LEGEND_TITLE_AND_ROWS,
  numericColumns,
  real,
  TEXT_ORIENTATIONS,
  whole,
} from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const boxPlot: ViewerDefinition = {
  type: "Box plot",
  about: "The spread of a numeric column for each value of a category: quartiles, whiskers, points outside.",
  lists: { categoryColumnNames: ["category1ColumnName", "category2ColumnName"] },
  properties: [
    column("valueColumnName", "The numbers whose spread is shown.", "numeric"),
    column("category1ColumnName", "A box for each of its values; absent: one box."),
    choice("category1Map", TIME_MAPS, "Unit that times of the category are grouped by."),
    column("category2ColumnName", "Divides each category once more."),
    choice("plotStyle", ["box", "violin"], "A box, or a curve of the density around it."),
    whole("bins", "How fine a violin is.", { default: 40, min: 5, max: 200 }),
    choice("axisType", AXIS_TYPES, "Scale of the values."),
    real("valueMin", "Where the value axis starts; absent: at the least."),
    real("valueMax", "Where the value axis ends; absent: at the greatest."),
    flag("invertYAxis", false, "Turns the value axis round."),
    flag("showValueAxis", true, "Shows the axis of the values."),
    flag("showCategoryAxis", true, "Shows the names of the categories."),
    choice("labelOrientation", TEXT_ORIENTATIONS, "Which way those names are written."),
    flag("showValueSelector", true, "Shows the selector of the values."),
    flag("showCategorySelector", true, "Shows the selectors of the categories."),
    flag("showEmptyCategories", false, "Leaves room for categories without rows."),
    column("binColorColumnName", "Boxes are coloured by these numbers, aggregated.", "numeric"),
    choice("binColorAggrType", AGGREGATES, "How the numbers of a box's colour are aggregated.", "avg"),
    column("markerColorColumnName", "Points are coloured by these values."),
    choice("markerType", MARKER_TYPES, "Shape of the points."),
    real("markerSize", "Size of the points, pixels.", { default: 4, min: 1, max: 40 }),
    real("markerOpacity", "How much the points cover, percent.", { default: 70, min: 1, max: 100 }),
    flag("showInsideValues", false, "Shows the points between the whiskers."),
    flag("showOutsideValues", true, "Shows the points outside the whiskers."),
    flag("showMeanCross", true, "Marks the mean."),
    flag("showMedianDash", true, "Marks the median."),
    flag("showLowerDash", true, "Marks the end of the lower whisker."),
    flag("showUpperDash", true, "Marks the end of the upper whisker."),
    real("whiskerWidthRatio", "Breadth of those marks as a share of the box.", { default: 0.5, min: 0.05, max: 1 }),
    flag("showPValue", true, "Writes how likely such differences of the means are by chance (one-way ANOVA)."),
    flag("showStatistics", false, "Writes numbers below each box."),
    flag("showTotalCount", true, "Of the statistics: the number of values."),
    flag("showAvg", true, "Of the statistics: the mean."),
    flag("showMed", true, "Of the statistics: the median."),
    flag("showStdev", false, "Of the statistics: the standard deviation."),
    flag("showMin", false, "Of the statistics: the least value."),
    flag("showMax", false, "Of the statistics: the greatest value."),
    flag("showSelectedRows", true, "Marks selected points."),
    ...LEGEND_TITLE_AND_ROWS,
  ],
  defaults: (table) => ({
    valueColumnName: numericColumns(table)[0],
    category1ColumnName: categoricalColumns(table)[0],
  }),
  unfit: (table, look) =>
    look["valueColumnName"] === undefined && numericColumns(table).length === 0
      ? "A box plot needs a column of numbers."
      : undefined,
  load: async () => (await import("./box-plot.tsx")).BoxPlot,
};
