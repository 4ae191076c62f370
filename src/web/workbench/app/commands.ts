import { useTell } from "../../ui/toasts.tsx";
import { download } from "../../ui/download.ts";
import { Bits } from "../data/bits.ts";
import { toCsv } from "../data/csv.ts";
import { dockIds, tile } from "../model/dock.ts";
import type { View } from "../model/workbench.ts";
import type { ViewerType } from "../viewers/viewer.ts";
import { useBench, useCurrent } from "./context.tsx";
import { useDownloads } from "./surface.ts";

type RowsToSave = "all" | "filtered" | "selected";

/** What menus, buttons and keys do; with nothing open most of it does nothing. */
export interface WorkbenchCommands {
  readonly view: View | undefined;
  readonly addViewer: (type: ViewerType) => void;
  readonly toggleFilters: () => void;
  readonly select: (what: "all" | "none" | "invert" | "filtered") => void;
  readonly clearFilters: () => void;
  readonly save: (rows: RowsToSave) => void;
  readonly removeColumn: (name: string) => void;
  readonly tileAll: () => void;
  readonly closeAll: () => void;
  readonly closeView: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Does something that may be refused, and says so. */
  readonly attempt: (work: () => void) => void;
}

export function useCommands(): WorkbenchCommands {
  const { workbench } = useBench();
  const view = useCurrent();
  const tell = useTell();
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      tell.bad(error instanceof Error ? error.message : String(error));
    }
  };
  const withView = (work: (open: View) => void): void => {
    if (view !== undefined) attempt(() => work(view));
  };
  return {
    view,
    attempt,
    addViewer: (type) => withView(({ id }) => workbench.addViewer(id, type, {}, "person")),
    toggleFilters: () =>
      withView(({ id, viewers }) => {
        const open = viewers.find(({ type }) => type === "Filters");
        if (open !== undefined) workbench.removeViewer(id, open.id, "person");
        else workbench.addViewer(id, "Filters", {}, "person");
      }),
    select: (what) => withView(({ id, table }) => workbench.select(id, rowsFor(what, table), "person")),
    clearFilters: () => withView(({ table }) => table.setFilters(new Map())),
    save: (rows) => withView(({ table }) => saveCsv(table, rows)),
    removeColumn: (name) => withView(({ id }) => workbench.removeColumn(id, name, "person")),
    tileAll: () => withView(({ id, dock }) => workbench.setDock(id, tile(dockIds(dock)))),
    closeAll: () =>
      withView(({ id, viewers }) => viewers.forEach((viewer) => workbench.removeViewer(id, viewer.id, "person"))),
    closeView: () => withView(({ id }) => workbench.closeView(id, "person")),
    undo: () =>
      attempt(() => {
        const { undo } = workbench.next;
        if (undo !== undefined) workbench.undo(undo.id);
      }),
    redo: () =>
      attempt(() => {
        const { redo } = workbench.next;
        if (redo !== undefined) workbench.redo(redo.id);
      }),
  };
}

function rowsFor(what: "all" | "none" | "invert" | "filtered", table: View["table"]): Bits {
  switch (what) {
    case "all":
      return Bits.all(table.rowCount);
    case "none":
      return new Bits(table.rowCount);
    case "invert":
      return table.selected.not();
    case "filtered":
      return table.filtered;
  }
}

function saveCsv(table: View["table"], which: RowsToSave): void {
  const rows = which === "all" ? undefined : which === "filtered" ? table.filtered : table.selected;
  if (rows?.isEmpty === true)
    throw new Error(which === "selected" ? "No rows are selected: select some first." : "No rows pass the filters.");
  const { safeForSpreadsheets } = useDownloads.getState();
  const text = toCsv(table, { rows, safeForSpreadsheets });
  download(`${table.name}.csv`, text, "text/csv");
}
