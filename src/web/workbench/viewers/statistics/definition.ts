import { columnList, texts, TITLE } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";
import { STATS } from "./model.ts";

export const statistics: ViewerDefinition = {
  type: "Statistics",
  about: "Figures of each column over the rows that are shown: how many values, least, most, mean and others.",
  properties: [
    columnList("columnNames", "Columns that are described."),
    texts("stats", "Which figures, in this order.", STATS),
    ...TITLE,
  ],
  defaults: (table) => ({
    columnNames: table.columns.map(({ name }) => name),
    stats: ["values", "nulls", "unique", "min", "max", "avg", "med", "stdev"],
  }),
  load: async () => (await import("./statistics.tsx")).Statistics,
};
