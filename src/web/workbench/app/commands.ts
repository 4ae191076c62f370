import { useTell } from "../../ui/toasts.tsx";
import { download } from "../../ui/download.ts";
import { Bits } from "../data/bits.ts";
import { toCsv } from "../data/csv.ts";
import { toJson } from "../data/json.ts";
import { toParquet } from "../data/parquet.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { layoutFileText, layoutText, parseLayout } from "../model/layout.ts";
import { dockIds, tile } from "../model/dock.ts";
import type { View } from "../model/workbench.ts";
import type { ViewerType } from "../viewers/viewer.ts";
import { useBench, useCurrent } from "./context.tsx";
import { fileName } from "./file-name.ts";
import { savePicture } from "./picture/save.ts";
import { useDownloads } from "./surface.ts";

type RowsToSave = "all" | "filtered" | "selected";
export type SavedFileKind = "csv" | "json" | "parquet";

/** What menus, buttons and keys do; with nothing open most of it does nothing. */
export interface WorkbenchCommands {
  readonly view: View | undefined;
  readonly addViewer: (type: ViewerType) => void;
  readonly toggleFilters: () => void;
  readonly select: (what: "all" | "none" | "invert" | "filtered") => void;
  readonly clearFilters: () => void;
  /** Absent kind: CSV. */
  readonly save: (rows: RowsToSave, kind?: SavedFileKind) => void;
  readonly saveLayoutFile: () => void;
  readonly openLayoutFile: (file: File) => void;
  readonly savePicture: (viewerId: string, kind: "png" | "svg") => void;
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
  const { workbench, opening } = useBench();
  const view = useCurrent();
  const tell = useTell();
  const attempt = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      tell.bad(error instanceof Error ? error.message : String(error));
    }
  };
  const attemptLater = (work: () => Promise<void> | void): void => {
    const refused = (error: unknown): void => tell.bad(error instanceof Error ? error.message : String(error));
    Promise.resolve().then(work).catch(refused);
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
    save: (rows, kind = "csv") => withView(({ table }) => attemptLater(() => saveTable(table, rows, kind))),
    saveLayoutFile: () =>
      withView((open) => {
        const layout = layoutText(opening.layoutOf(open));
        download(`${fileName(open.table.name)}.layout.json`, layout, "application/json");
      }),
    openLayoutFile: (file) =>
      withView(({ id }) => attemptLater(async () => opening.apply(id, parseLayout(await layoutFileText(file))))),
    savePicture: (viewerId, kind) =>
      withView(({ viewers }) =>
        attemptLater(() => {
          const place = document.querySelector(`[data-viewer-id="${CSS.escape(viewerId)}"] [data-picture]`);
          const title = viewers.find(({ id }) => id === viewerId)?.title ?? "Viewer";
          if (place === null) throw new Error("This viewer is not shown now: bring it to the front first.");
          return savePicture({ place, title, kind });
        }),
      ),
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

async function saveTable(table: View["table"], which: RowsToSave, kind: SavedFileKind): Promise<void> {
  const rows = which === "all" ? undefined : which === "filtered" ? table.filtered : table.selected;
  if (rows?.isEmpty === true)
    throw new Error(which === "selected" ? "No rows are selected: select some first." : "No rows pass the filters.");
  const count = rows?.count ?? table.rowCount;
  if (kind !== "csv" && count > WORKBENCH_LIMITS.savedRows)
    throw new Error(
      `${count.toLocaleString("en-US")} rows are too many for this kind of file in a browser, which can save ${WORKBENCH_LIMITS.savedRows.toLocaleString("en-US")}: filter them, or save as CSV.`,
    );
  const name = fileName(table.name);
  switch (kind) {
    case "csv": {
      const { safeForSpreadsheets } = useDownloads.getState();
      return download(`${name}.csv`, toCsv(table, { rows, safeForSpreadsheets }), "text/csv");
    }
    case "json":
      return download(`${name}.json`, toJson(table, rows), "application/json");
    case "parquet":
      return download(`${name}.parquet`, await toParquet(table, rows), "application/vnd.apache.parquet");
  }
}
