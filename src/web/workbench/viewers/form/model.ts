import { isMissing, type ColumnType } from "../../data/column.ts";
import { shownAt } from "../../data/display.ts";
import type { Table } from "../../data/table.ts";
import { rowBeside } from "../drawing/stage.tsx";
import { chosenList, flagOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

export const SYNC_MODES = ["Current", "Mouse over", "None"] as const;
/** Fields of one form; more are named in words. */
const MOST_FIELDS = 500;

interface FormField {
  readonly name: string;
  readonly type: ColumnType;
  readonly units: string | undefined;
  readonly text: string;
  /** There is no value. */
  readonly missing: boolean;
}

export interface FormModel {
  /** From 0; -1: there is none. */
  readonly row: number;
  readonly fields: readonly FormField[];
  readonly hidden: number;
  /** Which parts of the bar above the fields are there. */
  readonly bar: {
    readonly previous: boolean;
    readonly next: boolean;
    readonly selector: boolean;
    readonly columns: boolean;
  };
}

/** `own`: the row that the form itself was moved to, for when it follows nothing. */
export function formOf(table: Table, look: Look, own: number): FormModel {
  const row = rowShown(table, textOf(look, "syncMode") ?? "Current", own);
  const columns = chosenList(table, look, "columnNames");
  const navigation = flagOf(look, "showNavigation");
  return {
    row,
    fields: columns.slice(0, MOST_FIELDS).map((column) => ({
      name: column.name,
      type: column.type,
      units: column.units,
      text: row < 0 ? "" : shownAt(column, row),
      missing: row < 0 || isMissing(column, row),
    })),
    hidden: Math.max(0, columns.length - MOST_FIELDS),
    bar: {
      previous: navigation && flagOf(look, "showPrevRowArrow"),
      next: navigation && flagOf(look, "showNextRowArrow"),
      selector: navigation && flagOf(look, "showRowSelector"),
      columns: flagOf(look, "showColumnSelector"),
    },
  };
}

/** Without a current row the first that is shown. */
function rowShown(table: Table, syncMode: string, own: number): number {
  if (table.rowCount === 0) return -1;
  const first = rowBeside(table.filtered, -1, 1);
  if (syncMode === "None") return own >= 0 && own < table.rowCount ? own : first;
  if (syncMode === "Mouse over" && table.hoverRow >= 0) return table.hoverRow;
  return table.currentRow >= 0 ? table.currentRow : first;
}
