import { choice, columnList, flag, real, TEXT_ORIENTATIONS, TITLE_AND_ROWS, whole } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const heatMap: ViewerDefinition = {
  type: "Heat map",
  about: "The whole table at a glance: each cell is a colour, rows down, columns across.",
  properties: [
    columnList("columns", "The columns that are shown; absent: the first ones."),
    whole("maxHeatmapColumns", "How many columns are shown at most.", { default: 100, min: 1, max: 1000 }),
    columnList("sortByColumnNames", "Rows are sorted by these."),
    flag("allowSorting", true, "A click on a head sorts by its column."),
    flag("globalColorScaling", false, "One scale of colours for all columns instead of one for each."),
    flag("drawEveryRow", false, "Where rows are thinner than a line, it shows their mean; else the first of them."),
    real("rowHeight", "Height of a row, pixels; absent: all rows fit in.", { min: 0.01, max: 200 }),
    flag("showColumnLabels", true, "Shows the names of the columns."),
    real("colHeaderHeight", "Height of the names, pixels; absent: as needed.", { min: 14, max: 200 }),
    choice("colLabelsOrientation", TEXT_ORIENTATIONS, "Which way the names are written."),
    flag("showRowHeader", true, "Shows the numbers of the rows."),
    flag("showRowGridlines", false, "Shows lines between rows, where they are high enough."),
    flag("showColumnGridlines", true, "Shows lines between columns."),
    flag("showCurrentRowIndicator", true, "Marks the current row."),
    flag("showMouseOverRowIndicator", true, "Marks the row under the mouse."),
    flag("showCellTooltip", true, "Shows the value under the mouse."),
    flag("allowRowSelection", true, "A click or a drag selects rows."),
    ...TITLE_AND_ROWS,
  ],
  defaults: () => ({}),
  unfit: (table) => (table.columns.length === 0 ? "A heat map needs columns." : undefined),
  load: async () => (await import("./heat-map.tsx")).HeatMap,
};
