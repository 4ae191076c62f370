import type { Table } from "../../data/table.ts";
import type { View } from "../../model/workbench.ts";

/** What a new table can be made by. */
export type ReshapeKind = "join" | "append" | "group" | "deduplicate" | "unpivot";

export const RESHAPE_WORDS: Readonly<Record<ReshapeKind, { readonly menu: string; readonly about: string }>> = {
  join: { menu: "Join with another table…", about: "Adds the columns of another table, where rows match." },
  append: { menu: "Append another table…", about: "Puts the rows of another table below these." },
  group: { menu: "Group rows…", about: "Makes one row for each group, with figures of its rows." },
  deduplicate: {
    menu: "Remove duplicates…",
    about: "Keeps the first of rows that are alike in the columns you choose.",
  },
  unpivot: { menu: "Unpivot columns…", about: "Turns columns into rows: one with the name, one with the value." },
};

/** What a form shows, and the table that it makes. */
export interface ReshapeFormProps {
  readonly view: View;
  /** The table is made when the form is sent. Absent: not enough is chosen. */
  readonly ready: (make: (() => Table) | undefined) => void;
}
