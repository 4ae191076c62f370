import { download } from "../../ui/download.ts";
import { toCsv } from "../data/csv.ts";
import { toJson } from "../data/json.ts";
import { toParquet } from "../data/parquet.ts";
import { WORKBENCH_LIMITS } from "../limits.ts";
import { layoutFileText, layoutText, parseLayout } from "../model/layout.ts";
import { linkHash } from "../model/permalink.ts";
import type { View } from "../model/workbench.ts";
import { fileName } from "./file-name.ts";
import type { TableOpener } from "./opening.ts";
import { copyPicture, savePicture } from "./picture/save.ts";
import { useDownloads } from "./surface.ts";
import { isLongXlsx, saveXlsx } from "./xlsx/save.ts";

type RowsToSave = "all" | "filtered" | "selected";
export type SavedFileKind = "csv" | "xlsx" | "json" | "parquet";

/** Commands that read and write files. */
export interface FileCommands {
  /** Absent kind: CSV. */
  readonly save: (rows: RowsToSave, kind?: SavedFileKind) => void;
  readonly saveLayoutFile: () => void;
  /** Copies a link that opens this table with this layout. */
  readonly copyLink: () => void;
  readonly openLayoutFile: (file: File) => void;
  readonly savePicture: (viewerId: string, kind: "png" | "svg") => void;
  /** As PNG, to the clipboard. */
  readonly copyPicture: (viewerId: string) => void;
}

export function fileCommands(options: {
  readonly opening: TableOpener;
  readonly withView: (work: (open: View) => void) => void;
  /** Does something, and tells the person if it is refused later. */
  readonly attemptLater: (work: () => Promise<void> | void) => void;
  /** Says that something was done. */
  readonly told: (words: string) => void;
  /** Warns the person about what was done. */
  readonly warned: (words: string) => void;
}): FileCommands {
  const { opening, withView, attemptLater, told, warned } = options;
  const withPicture = (viewerId: string, work: (picture: ShownPicture) => Promise<void>): void =>
    withView((view) => attemptLater(() => work(shownPicture(view, viewerId))));
  return {
    save: (rows, kind = "csv") =>
      withView(({ table }) => attemptLater(() => saveTable(table, { rows, kind, told, warned }))),
    saveLayoutFile: () =>
      withView((open) => {
        const layout = layoutText(opening.layoutOf(open));
        download(`${fileName(open.table.name)}.layout.json`, layout, "application/json");
      }),
    copyLink: () =>
      withView((open) =>
        attemptLater(async () => {
          const source = opening.sourceOf(open.id);
          if (source === undefined)
            throw new Error("Only samples and files of this server have a link. Send the file and its layout instead.");
          const link = new URL(globalThis.location.href);
          link.hash = await linkHash({ source, layout: opening.layoutOf(open) });
          await navigator.clipboard.writeText(link.href);
          told("Copied a link to this table with its viewers, filters and formats.");
        }),
      ),
    openLayoutFile: (file) =>
      withView(({ id }) => attemptLater(async () => opening.apply(id, parseLayout(await layoutFileText(file))))),
    savePicture: (viewerId, kind) => withPicture(viewerId, (picture) => savePicture({ ...picture, kind })),
    copyPicture: (viewerId) =>
      withPicture(viewerId, async (picture) => {
        await copyPicture(picture);
        told(`Copied a picture of ${picture.title}.`);
      }),
  };
}

interface ShownPicture {
  /** The element in which the viewer is drawn. */
  readonly place: Element;
  readonly title: string;
}

function shownPicture({ viewers }: View, viewerId: string): ShownPicture {
  const place = document.querySelector(`[data-viewer-id="${CSS.escape(viewerId)}"] [data-picture]`);
  if (place === null) throw new Error("This viewer is not shown now: bring it to the front first.");
  return { place, title: viewers.find(({ id }) => id === viewerId)?.title ?? "Viewer" };
}

interface SaveOptions {
  readonly rows: RowsToSave;
  readonly kind: SavedFileKind;
  readonly told: (words: string) => void;
  readonly warned: (words: string) => void;
}

async function saveTable(table: View["table"], { rows: which, kind, told, warned }: SaveOptions): Promise<void> {
  const rows = which === "all" ? undefined : which === "filtered" ? table.filtered : table.selected;
  if (rows?.isEmpty === true)
    throw new Error(which === "selected" ? "No rows are selected: select some first." : "No rows pass the filters.");
  const count = rows?.count ?? table.rowCount;
  if ((kind === "json" || kind === "parquet") && count > WORKBENCH_LIMITS.savedRows)
    throw new Error(
      `${count.toLocaleString("en-US")} rows are too many for this kind of file in a browser, which can save ${WORKBENCH_LIMITS.savedRows.toLocaleString("en-US")}: filter them, or save as CSV.`,
    );
  const name = fileName(table.name);
  switch (kind) {
    case "csv": {
      const { safeForSpreadsheets } = useDownloads.getState();
      return download(`${name}.csv`, toCsv(table, { rows, safeForSpreadsheets }), "text/csv");
    }
    case "xlsx": {
      if (isLongXlsx(count, table.columns.length)) told("Making the Excel file takes a while. The page stays usable.");
      const { file, notes } = await saveXlsx(table, rows);
      download(`${name}.xlsx`, file, file.type);
      if (notes.length > 0) warned(`Saved ${name}.xlsx. ${notes.join(" ")}`);
      return;
    }
    case "json":
      return download(`${name}.json`, toJson(table, rows), "application/json");
    case "parquet":
      return download(`${name}.parquet`, await toParquet(table, rows), "application/vnd.apache.parquet");
  }
}
