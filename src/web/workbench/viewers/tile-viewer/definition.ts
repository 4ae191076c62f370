import { column, flag, text, texts, TITLE } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const tileViewer: ViewerDefinition = {
  type: "Tile Viewer",
  about: "A card for each row, in lanes by the values of a column where one is chosen.",
  properties: [
    column("lanesColumnName", "The column whose values are the lanes. Without it all cards lie together."),
    texts("lanes", "Values that have a lane, in this order. Without it: all."),
    flag("showEmptyLanes", false, "Shows lanes without a row too."),
    {
      ...text(
        "columnsJson",
        'Names of the columns on each card, the first as its heading: a list such as ["Name", "Age"].',
      ),
      json: true,
    },
    text("cardMarkup", "The text of each card instead of the columns, with ${Column name} for values."),
    flag("showSelectedRows", true, "Marks cards of selected rows."),
    ...TITLE,
  ],
  defaults: () => ({}),
  unfit: (table) => (table.columns.length === 0 ? "The table has no column." : undefined),
  load: async () => (await import("./tile-viewer.tsx")).TileViewer,
};
