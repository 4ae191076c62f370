import { choice, columnList, flag, TITLE } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";
import { SYNC_MODES } from "./model.ts";

export const form: ViewerDefinition = {
  type: "Form",
  about: "One row as a form, a field for each column. It follows the current row.",
  properties: [
    columnList("columnNames", "Columns that have a field."),
    choice("syncMode", SYNC_MODES, "Which row is shown: the current one, the one under the mouse, or one of its own."),
    flag("showNavigation", true, "Shows the bar to go from row to row."),
    flag("showPrevRowArrow", true, "Shows the arrow to the row before."),
    flag("showNextRowArrow", true, "Shows the arrow to the next row."),
    flag("showRowSelector", true, "Shows the box that selects the row."),
    flag("showColumnSelector", true, "Shows the button to choose columns."),
    ...TITLE,
  ],
  defaults: (table) => ({ columnNames: table.columns.map(({ name }) => name) }),
  load: async () => (await import("./form.tsx")).Form,
};
