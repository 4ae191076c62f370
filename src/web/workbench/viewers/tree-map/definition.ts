import { AGGREGATES } from "../../data/aggregate.ts";
import { categoricalColumns, choice, column, columnList, flag, TITLE, whole } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

const margin = (side: string): ReturnType<typeof whole> =>
  whole(`outerMargin${side}`, `Space at this side, pixels.`, { min: 0, max: 200, default: 0 });

export const treeMap: ViewerDefinition = {
  type: "Tree map",
  about: "Nested rectangles, as large as the share of the rows or of a sum, by one column inside the other.",
  properties: [
    columnList("splitByColumnNames", "Columns that rows are split by, the outermost first."),
    column("sizeColumnName", "What the area stands for. Without it: the number of rows.", "numeric"),
    choice("sizeAggrType", AGGREGATES, "How the sizes of many rows become one.", "sum"),
    column("colorColumnName", "What the colour stands for. Without it: the outermost column.", "numeric"),
    choice("colorAggrType", AGGREGATES, "How the colours of many rows become one.", "avg"),
    whole("defaultColor", "One colour for all without a colour column, as a number 0xRRGGBB.", {
      min: 0,
      max: 0xffffffff,
    }),
    flag("showSelectedRows", true, "Shows how many rows of each rectangle are selected."),
    flag("showColumnSelectionPanel", true, "Shows the selectors above the picture."),
    margin("Left"),
    margin("Top"),
    margin("Right"),
    margin("Bottom"),
    ...TITLE,
  ],
  defaults: (table) => {
    const split = categoricalColumns(table).slice(0, 2);
    const other = table.columns.find(({ type }) => type === "string" || type === "bool");
    return { splitByColumnNames: split.length > 0 || other === undefined ? split : [other.name] };
  },
  load: async () => (await import("./tree-map.tsx")).TreeMap,
};
