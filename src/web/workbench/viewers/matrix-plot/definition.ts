import { choice, columnList, flag, innerLookProperty, numericColumns, TITLE_AND_ROWS } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

const FIRST = 4;

export const matrixPlot: ViewerDefinition = {
  type: "Matrix plot",
  about: "Each two columns against each other in a small picture; on the diagonal the spread of each.",
  properties: [
    columnList("xColumnNames", "The columns across.", "numeric"),
    columnList("yColumnNames", "The columns down.", "numeric"),
    choice(
      "cellPlotType",
      ["Density plot", "Scatter plot"],
      "What is drawn in a cell; of very many rows always the density.",
    ),
    flag("showXAxes", true, "Shows axes below the lowest cells."),
    flag("showYAxes", true, "Shows axes beside the first cells."),
    innerLookProperty('{"colorColumnName": "SEX"}'),
    ...TITLE_AND_ROWS,
  ],
  defaults: (table) => {
    const names = numericColumns(table).slice(0, FIRST);
    return { xColumnNames: names, yColumnNames: names };
  },
  unfit: (table) => (numericColumns(table).length === 0 ? "A matrix plot needs columns of numbers." : undefined),
  load: async () => (await import("./matrix-plot.tsx")).MatrixPlot,
};
