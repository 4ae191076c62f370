import { AGGREGATES } from "../../data/aggregate.ts";
import { categoricalColumns, columnList, flag, numericColumns, texts, TITLE } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const pivotTable: ViewerDefinition = {
  type: "Pivot table",
  about: "Rows grouped by some columns, a column for each value of others, and figures in the cells.",
  properties: [
    columnList("groupByColumnNames", "Columns whose values make the rows."),
    columnList("pivotColumnNames", "Columns whose values make the columns."),
    columnList("aggregateColumnNames", "Columns whose figures stand in the cells. Without any: how many rows."),
    texts("aggregateAggTypes", "How the values of many rows become one, for each aggregated column.", AGGREGATES),
    flag("showHeader", true, "Shows what is chosen, above the table."),
    flag("showCommandBar", true, "Shows how large the table is, below it."),
    flag("filteringEnabled", false, "A click on a row filters by it instead of selecting."),
    ...TITLE,
  ],
  defaults: (table) => {
    const [group, pivot] = categoricalColumns(table);
    const measure = numericColumns(table)[0];
    return {
      groupByColumnNames: group === undefined ? [] : [group],
      pivotColumnNames: pivot === undefined ? [] : [pivot],
      aggregateColumnNames: measure === undefined ? [] : [measure],
      aggregateAggTypes: measure === undefined ? [] : ["avg"],
    };
  },
  load: async () => (await import("./pivot-table.tsx")).PivotTable,
};
