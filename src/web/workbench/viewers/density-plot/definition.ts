import { AXIS_TYPES, choice, column, flag, numericColumns, PLANE, TITLE_AND_ROWS, whole } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const densityPlot: ViewerDefinition = {
  type: "Density plot",
  about: "How many rows lie where, by two columns: cells that are coloured by their count.",
  properties: [
    column("xColumnName", "Values of the horizontal axis.", "numeric"),
    column("yColumnName", "Values of the vertical axis.", "numeric"),
    choice("binShape", ["hexagon", "rectangle"], "Shape of the cells."),
    whole("bins", "How many cells lie side by side.", { default: 40, min: 2, max: 200 }),
    ...PLANE,
    flag("invertXAxis", false, "Turns the horizontal axis round."),
    flag("invertYAxis", false, "Turns the vertical axis round."),
    flag("showXAxis", true, "Shows the horizontal axis."),
    flag("showYAxis", true, "Shows the vertical axis."),
    flag("showXSelector", true, "Shows the selector of the x column."),
    flag("showYSelector", true, "Shows the selector of the y column."),
    flag("showBinSelector", true, "Shows the slider of the number of cells."),
    flag("showColorScale", true, "Shows which colour is which count."),
    flag("invertColorScheme", false, "Turns the scale of colours round."),
    choice("colorTransformType", AXIS_TYPES, "Scale of the colours."),
    flag("allowZoom", true, "The wheel zooms; a double click shows all."),
    ...TITLE_AND_ROWS,
  ],
  defaults: (table) => {
    const [x, y = x] = numericColumns(table);
    return { xColumnName: x, yColumnName: y };
  },
  unfit: (table) => (numericColumns(table).length === 0 ? "A density plot needs columns of numbers." : undefined),
  load: async () => (await import("./density-plot.tsx")).DensityPlot,
};
