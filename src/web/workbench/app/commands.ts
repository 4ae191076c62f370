import { useTell } from "../../ui/toasts.tsx";
import { Bits } from "../data/bits.ts";
import { dockIds, tile } from "../model/dock.ts";
import type { View } from "../model/workbench.ts";
import { pivotAsTable } from "../viewers/pivot-table/as-table.ts";
import { definitionOf, wholeLook } from "../viewers/registry.ts";
import type { ViewerType } from "../viewers/viewer.ts";
import { useBench, useCurrent } from "./context.tsx";
import { fileCommands, type FileCommands } from "./file-commands.ts";

/** What menus, buttons and keys do; with nothing open most of it does nothing. */
export interface WorkbenchCommands extends FileCommands {
  readonly view: View | undefined;
  readonly addViewer: (type: ViewerType) => void;
  readonly toggleFilters: () => void;
  readonly select: (what: "all" | "none" | "invert" | "filtered") => void;
  readonly clearFilters: () => void;
  readonly removeColumn: (name: string) => void;
  /** Opens what a pivot table shows as a table. */
  readonly openPivot: (viewerId: string) => void;
  readonly tileAll: () => void;
  readonly closeAll: () => void;
  readonly closeView: () => void;
  readonly undo: () => void;
  readonly redo: () => void;
  /** Does something, and tells the person if it is refused. */
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
    ...fileCommands({ opening, withView, attemptLater, told: tell.ok, warned: tell.warn }),
    removeColumn: (name) => withView(({ id }) => workbench.removeColumn(id, name, "person")),
    openPivot: (viewerId) =>
      withView(({ table, viewers }) => {
        const viewer = viewers.find(({ id }) => id === viewerId);
        const definition = viewer === undefined ? undefined : definitionOf(viewer.type);
        if (viewer === undefined || definition === undefined) return;
        opening.add(pivotAsTable(table, wholeLook(definition, table, viewer.look)), "person");
      }),
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
