import {
  categoricalColumns,
  choice,
  columnList,
  flag,
  innerLookProperty,
  ROW_GROUP_ACTIONS,
  TITLE_AND_ROWS,
  VISIBILITY_MODES,
  whole,
} from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";
import { INNER_TYPES } from "./inner-types.ts";

export const trellisPlot: ViewerDefinition = {
  type: "Trellis plot",
  about: "The same picture for each value of one or two categories, side by side.",
  properties: [
    columnList("xColumnNames", "A column of pictures for each of their values."),
    columnList("yColumnNames", "A row of pictures for each of their values."),
    choice("viewerType", INNER_TYPES, "What is drawn in each cell."),
    innerLookProperty('{"valueColumnName": "AGE"}'),
    flag(
      "globalScale",
      true,
      "Scatter plots, densities, histograms and box plots have the same ends of their axes everywhere.",
    ),
    choice("showXAxes", VISIBILITY_MODES, "Whether pictures have horizontal axes; Auto: where there is room."),
    choice("showYAxes", VISIBILITY_MODES, "Whether pictures have vertical axes; Auto: where there is room."),
    flag("showXLabels", true, "Writes the values across."),
    flag("showYLabels", true, "Writes the values down."),
    flag("showXSelectors", true, "Shows the selector of the category across."),
    flag("showYSelectors", true, "Shows the selector of the category down."),
    flag("showControlPanel", true, "Shows the selector of what is drawn."),
    choice(
      "showGridlines",
      ["auto", "always", "never"],
      "Whether there are lines between the pictures; auto: where there is room.",
    ),
    flag("packCategories", true, "Leaves out values that no shown row has."),
    flag("useTiledView", false, "Lays all pictures out one after the other."),
    whole("tilesPerRow", "How many of them lie side by side then.", { default: 4, min: 1, max: 20 }),
    choice("onClick", ROW_GROUP_ACTIONS, "What a click on the name of a picture does."),
    ...TITLE_AND_ROWS,
  ],
  defaults: (table) => {
    const [x, y] = categoricalColumns(table);
    return { xColumnNames: x === undefined ? [] : [x], yColumnNames: y === undefined ? [] : [y] };
  },
  unfit: (table) => (table.columns.length === 0 ? "A trellis plot needs columns." : undefined),
  load: async () => (await import("./trellis-plot.tsx")).TrellisPlot,
};
