import { choice, columnList, flag, numericColumns, TITLE_AND_ROWS } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

const FIRST = 10;

export const correlationPlot: ViewerDefinition = {
  type: "Correlation plot",
  about: "How strongly each two numeric columns go together, from -1 to 1.",
  properties: [
    columnList("xColumnNames", "The columns across.", "numeric"),
    columnList("yColumnNames", "The columns down.", "numeric"),
    choice("correlationType", ["Pearson", "Spearman"], "Of the numbers (Pearson) or of their ranks (Spearman)."),
    flag("showPearsonR", true, "Writes the number in each cell."),
    flag("showTooltip", true, "Shows the number of rows and the number in full under the mouse."),
    ...TITLE_AND_ROWS,
  ],
  defaults: (table) => {
    const names = numericColumns(table).slice(0, FIRST);
    return { xColumnNames: names, yColumnNames: names };
  },
  unfit: (table) => (numericColumns(table).length < 2 ? "A correlation plot needs two columns of numbers." : undefined),
  load: async () => (await import("./correlation-plot.tsx")).CorrelationPlot,
};
