import { columnList, flag, TITLE } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";
import { startingColumns } from "./model.ts";

export const filters: ViewerDefinition = {
  type: "Filters",
  about:
    "A card for each column to filter the rows that all viewers show: ranges of numbers and dates, values of texts.",
  properties: [
    columnList("columnNames", "Columns that have a card."),
    flag("active", true, "Whether the filters hold. Switched off they are kept, but let all rows through."),
    flag("showHeader", true, "Shows how many rows are left, and the buttons for all filters."),
    flag("showHistogram", true, "Shows how the numbers are spread."),
    flag("showMinMax", true, "Shows the fields to write the ends of a range."),
    flag("showSearchBox", true, "Shows the field to look for a value."),
    flag("showFilterCountsIndication", true, "Shows how many rows have each value."),
    flag("showFilterIndication", true, "Marks cards that filter."),
    flag("showSelectionIndication", true, "Shows how many of the rows are selected."),
    flag("showCurrentRow", true, "Marks the value of the current row."),
    flag("showMouseOverRow", true, "Marks the value of the row under the mouse."),
    flag("showBoolCombinedFilter", false, "One card for all columns of yes and no."),
    ...TITLE,
  ],
  defaults: (table) => ({ columnNames: startingColumns(table) }),
  load: async () => (await import("./filters.tsx")).Filters,
};
