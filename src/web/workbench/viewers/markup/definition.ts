import { choice, flag, text, TITLE } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";
import { FACTS, MARKUP_MODES } from "./model.ts";

const CONTENT = [
  "# #{t.name}",
  "",
  "**#{t.rowCount}** rows and **#{t.columnCount}** columns; **#{t.filter.trueCount}** rows are shown, **#{t.selection.trueCount}** selected.",
].join("\n");

export const markup: ViewerDefinition = {
  type: "Markup",
  about: "Words, lists and tables beside the data, written in markdown, with facts of the table in them.",
  properties: [
    {
      ...text(
        "content",
        `The text. ${FACTS.map((fact) => `#{${fact}}`).join(", ")} stand for facts of the table, \${Column name} for the value in the current row.`,
      ),
      default: CONTENT,
    },
    choice(
      "mode",
      MARKUP_MODES,
      "Markup: markdown. None: the text as it is. Auto: markdown where there are signs of it.",
    ),
    flag("markupEnabled", true, "Puts facts and values into the text."),
    flag("stretch", false, "The text takes the whole width."),
    ...TITLE,
  ],
  defaults: () => ({}),
  load: async () => (await import("./markup.tsx")).Markup,
};
