import { AGGREGATES } from "../../data/aggregate.ts";
import { isText } from "../../data/column.ts";
import { choice, column, flag, numericColumns, TITLE, whole } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";
import { MOST_WORDS } from "./model.ts";

export const wordCloud: ViewerDefinition = {
  type: "Word cloud",
  about: `The ${String(MOST_WORDS)} most frequent values of a column as words, the more rows they have the larger.`,
  properties: [
    column("columnColumnName", "Whose values are shown."),
    column("sizeColumnName", "What the size stands for. Without it: how many rows have the value.", "numeric"),
    choice("sizeAggrType", AGGREGATES, "How the sizes of many rows become one.", "sum"),
    whole("minTextSize", "Height of the rarest word, pixels.", { min: 8, max: 100, default: 12 }),
    whole("maxTextSize", "Height of the most frequent word, pixels. All become smaller where there is no room.", {
      min: 8,
      max: 200,
      default: 56,
    }),
    whole("minRotationDegree", "The least turn of a word, degrees.", { min: -90, max: 90, default: 0 }),
    whole("maxRotationDegree", "The most turn of a word, degrees.", { min: -90, max: 90, default: 0 }),
    whole("rotationStep", "Words turn in steps of this many degrees.", { min: 1, max: 180, default: 5 }),
    choice("fontFamily", ["sans-serif", "serif", "monospace"], "The kind of letters."),
    flag("bold", true, "Bold letters."),
    ...TITLE,
  ],
  defaults: (table) => {
    const texts = table.columns.filter(isText);
    // Few values make a poor cloud, and too many cannot be shown.
    const best = texts
      .filter(({ categories }) => categories.length >= 5 && categories.length <= MOST_WORDS)
      .toSorted((left, right) => right.categories.length - left.categories.length)[0];
    const words = best ?? texts[0];
    // Where each value stands in one row only, counts say nothing.
    const size = words?.categories.length === table.rowCount ? numericColumns(table)[0] : undefined;
    return { columnColumnName: (words ?? table.columns[0])?.name, sizeColumnName: size };
  },
  unfit: (table) => (table.columns.length === 0 ? "The table has no column." : undefined),
  load: async () => (await import("./word-cloud.tsx")).WordCloud,
};
