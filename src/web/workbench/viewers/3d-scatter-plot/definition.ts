import { MARKER_TYPES } from "../drawing/raster.ts";
import { AXIS_TYPES, choice, column, flag, LEGEND, numericColumns, TITLE, whole } from "../look.ts";
import type { PropertyDefinition, ViewerDefinition } from "../viewer.ts";

const axis = (letter: "x" | "y" | "z", where: string): readonly PropertyDefinition[] => [
  column(`${letter}ColumnName`, `What runs ${where}.`),
  choice(`${letter}AxisType`, AXIS_TYPES, "Whether equal steps are equal differences or equal ratios."),
  flag(`show${letter.toUpperCase()}Selector`, true, `Shows the selector of the column that runs ${where}.`),
];

export const scatterPlot3d: ViewerDefinition = {
  type: "3d scatter plot",
  about: "Rows as points in a cube of three columns, to be turned by the mouse or the arrow keys.",
  properties: [
    ...axis("x", "to the right"),
    ...axis("y", "up"),
    ...axis("z", "into the depth"),
    column("colorColumnName", "What the colour stands for."),
    flag("showColorSelector", true, "Shows the selector of the colour column."),
    column("sizeColumnName", "What the size stands for.", "numeric"),
    choice("markerSizeScaling", AXIS_TYPES, "Whether sizes follow the numbers or their logarithms."),
    choice("markerType", MARKER_TYPES, "The shape of the points."),
    whole("markerOpacity", "How much the points cover, percent.", { min: 5, max: 100, default: 80 }),
    column("labelColumnName", "What the point under the mouse is called."),
    flag("showFilteredOutPoints", false, "Shows rows that are filtered out, faint."),
    flag("showSelectedRows", true, "Shows selected rows in their own colour."),
    flag("showAxes", true, "Shows the axes with their numbers."),
    flag("showHorizontalGridLines", true, "Shows lines on the floor."),
    flag("showVerticalGridLines", true, "Shows lines on the walls."),
    flag("dynamicCameraMovement", false, "Turns by itself until it is touched."),
    ...LEGEND,
    ...TITLE,
  ],
  defaults: (table) => {
    const [x, y, z] = [...numericColumns(table), ...table.columns.map(({ name }) => name)].filter(
      (name, at, all) => all.indexOf(name) === at,
    );
    return { xColumnName: x, yColumnName: y, zColumnName: z };
  },
  unfit: (table) => (table.columns.length < 3 ? "It needs three columns." : undefined),
  load: async () => (await import("./scatter-plot-3d.tsx")).ScatterPlot3d,
};
