import { choice, column, flag, ROW_GROUP_ACTIONS, TITLE } from "../look.ts";
import type { ViewerDefinition } from "../viewer.ts";

export const calendar: ViewerDefinition = {
  type: "Calendar",
  about: "Days as squares, week by week; the more rows a day has, the stronger its colour.",
  properties: [
    column("dateColumnName", "The column of dates.", "datetime"),
    flag("showHeader", true, "Shows the days of the week above."),
    flag("redWeekends", true, "Writes Saturdays and Sundays in red."),
    choice("onClick", ROW_GROUP_ACTIONS, "What a click on a day, a month or a weekday does with its rows."),
    flag("showFilteredOnly", true, "Counts only rows that are shown."),
    ...TITLE,
  ],
  defaults: (table) => ({ dateColumnName: table.columns.find(({ type }) => type === "datetime")?.name }),
  unfit: (table) =>
    table.columns.some(({ type }) => type === "datetime") ? undefined : "The table has no column of dates.",
  load: async () => (await import("./calendar.tsx")).Calendar,
};
