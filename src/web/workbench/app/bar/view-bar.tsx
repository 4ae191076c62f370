import {
  Database,
  Download,
  FolderOpen,
  Funnel,
  LayoutTemplate,
  Link,
  PanelsLeftBottom,
  Plus,
  Server,
  Trash2,
  X,
} from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useState, type ReactNode } from "react";
import { classes } from "../../../ui/classes.ts";
import { MENU_ITEM, MENU_LINE } from "../../../ui/menu.ts";
import { useTable } from "../../data/use-table.ts";
import { count } from "../../model/words.ts";
import type { View } from "../../model/workbench.ts";
import { useCommands, type WorkbenchCommands } from "../commands.ts";
import { useBench, useViews } from "../context.tsx";
import type { SavedFileKind } from "../file-commands.ts";
import { ask, useDownloads, useSurface } from "../surface.ts";
import { TabStrip } from "../tab-strip.tsx";
import { AddViewerMenu } from "./add-viewer-menu.tsx";
import { pickLayout } from "../start/pick-layout.ts";
import { IconButton } from "./icon-button.tsx";
import { SimpleMenu } from "./simple-menu.tsx";

/** The open tables as tabs, and what can be done with the one that is shown. */
export function ViewBar({ view }: { readonly view: View }): ReactNode {
  const commands = useCommands();
  return (
    <section aria-label="Tables and tools" className="flex shrink-0 items-center gap-2 border-b bg-panel px-2">
      <ViewTabs view={view} />
      <div
        role="toolbar"
        aria-label="Table"
        className="ml-auto flex h-10 shrink-0 items-center gap-0.5 overflow-x-auto [scrollbar-width:none]"
      >
        <AddViewerMenu commands={commands} />
        <FiltersButton view={view} commands={commands} />
        <IconButton
          icon={Plus}
          label="Add new column"
          labelled="xl"
          data-element-id="Add new column button"
          data-element-description="Opens a window in which a column is made from a formula"
          onClick={() => ask({ kind: "column" })}
        />
        <DownloadMenu view={view} commands={commands} />
        <LayoutsMenu view={view} commands={commands} />
        <SqlButton />
      </div>
    </section>
  );
}

function ViewTabs({ view }: { readonly view: View }): ReactNode {
  const views = useViews();
  const { workbench } = useBench();
  const choose = (id: string): void => {
    workbench.show(id);
    useSurface.getState().set({ maximised: undefined, sheet: undefined, front: undefined });
  };
  return (
    <TabStrip
      label="Open tables"
      tabs={views.map(({ id, table }) => ({ id, title: table.name }))}
      current={view.id}
      choose={choose}
      className="-mb-px pt-1.5"
    >
      {views.map((one) => {
        const isShown = one.id === view.id;
        return (
          <span
            key={one.id}
            className={classes(
              "flex h-8 shrink-0 items-center rounded-t-md border border-b-0 text-sm",
              isShown ? "bg-paper font-medium" : "border-transparent text-soft hover:bg-sunken",
            )}
          >
            <button
              type="button"
              aria-current={isShown ? "page" : undefined}
              onClick={() => choose(one.id)}
              className="h-full max-w-48 truncate pr-1 pl-3 max-md:max-w-24"
            >
              {one.table.name}
            </button>
            <button
              type="button"
              aria-label={`Close ${one.table.name}`}
              onClick={() => workbench.closeView(one.id, "person")}
              className="mr-1 grid size-6 place-items-center rounded text-faint hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden className="size-3.5" />
            </button>
          </span>
        );
      })}
    </TabStrip>
  );
}

function FiltersButton({ view, commands }: { readonly view: View; readonly commands: WorkbenchCommands }): ReactNode {
  return (
    <IconButton
      icon={Funnel}
      label="Toggle filters"
      labelled="xl"
      isPressed={view.viewers.some(({ type }) => type === "Filters")}
      data-element-id="Toggle filters button"
      data-element-description="Shows or hides the filters of the table's columns"
      onClick={commands.toggleFilters}
    />
  );
}

const FILE_KINDS = [
  ["csv", "CSV"],
  ["xlsx", "Excel"],
  ["json", "JSON"],
  ["parquet", "Parquet"],
] as const satisfies readonly (readonly [SavedFileKind, string])[];

function DownloadMenu({ view, commands }: { readonly view: View; readonly commands: WorkbenchCommands }): ReactNode {
  const { table } = view;
  useTable(table, "filter", "selection");
  const items = [
    ["all", `All ${count(table.rowCount, "row")}`, table.rowCount],
    ["filtered", count(table.filtered.count, "filtered row"), table.filtered.count],
    ["selected", count(table.selected.count, "selected row"), table.selected.count],
  ] as const;
  return (
    <SimpleMenu
      align="end"
      trigger={
        <IconButton
          icon={Download}
          label="Download"
          labelled="xl"
          data-element-id="Download button"
          data-element-description="Saves the table as a CSV, Excel, JSON or Parquet file: all rows, the filtered or the selected ones"
        />
      }
    >
      {FILE_KINDS.map(([kind, name]) => (
        <DropdownMenu.Group key={kind}>
          <DropdownMenu.Label className="px-2.5 py-1 text-xs text-faint">As {name}</DropdownMenu.Label>
          {items.map(([which, label, rows]) => (
            <DropdownMenu.Item
              key={which}
              disabled={rows === 0}
              className={MENU_ITEM}
              aria-label={`${label} as ${name}`}
              onSelect={() => commands.save(which, kind)}
            >
              {label}
            </DropdownMenu.Item>
          ))}
          <DropdownMenu.Separator className={MENU_LINE} />
        </DropdownMenu.Group>
      ))}
      <SpreadsheetChoice />
    </SimpleMenu>
  );
}

/** The menu stays open: what is saved is chosen next. */
function SpreadsheetChoice(): ReactNode {
  const { safeForSpreadsheets, set } = useDownloads();
  return (
    <DropdownMenu.CheckboxItem
      className={`${MENU_ITEM} max-w-72`}
      checked={safeForSpreadsheets}
      onCheckedChange={(checked) => set({ safeForSpreadsheets: checked })}
      onSelect={(event) => event.preventDefault()}
    >
      <span className="min-w-0">
        <span className="block">Safe for spreadsheets</span>
        <span className="block text-xs text-faint">CSV: a &apos; before texts that would be run as formulas</span>
      </span>
      <span aria-hidden className="ml-auto w-4 text-accent">
        {safeForSpreadsheets && "✓"}
      </span>
    </DropdownMenu.CheckboxItem>
  );
}

function LayoutsMenu({ view, commands }: { readonly view: View; readonly commands: WorkbenchCommands }): ReactNode {
  const { layouts, opening } = useBench();
  const [, again] = useState(0);
  const list = layouts.list();
  return (
    <SimpleMenu align="end" trigger={<IconButton icon={LayoutTemplate} label="Layouts" labelled="xl" />}>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask({ kind: "save-layout" })}>
        <Plus aria-hidden className="size-4 text-faint" /> Save this layout as…
      </DropdownMenu.Item>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={commands.tileAll}>
        <PanelsLeftBottom aria-hidden className="size-4 text-faint" /> Tile all
      </DropdownMenu.Item>
      <DropdownMenu.Separator className={MENU_LINE} />
      <DropdownMenu.Item className={MENU_ITEM} onSelect={commands.saveLayoutFile}>
        <Download aria-hidden className="size-4 text-faint" /> Save to a file
      </DropdownMenu.Item>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={() => pickLayout(commands)}>
        <FolderOpen aria-hidden className="size-4 text-faint" /> Open from a file…
      </DropdownMenu.Item>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={commands.copyLink}>
        <Link aria-hidden className="size-4 text-faint" /> Copy a link
      </DropdownMenu.Item>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask({ kind: "projects" })}>
        <Server aria-hidden className="size-4 text-faint" /> Projects on the server…
      </DropdownMenu.Item>
      <DropdownMenu.Separator className={MENU_LINE} />
      {list.length === 0 && <p className="px-2.5 py-1.5 text-sm text-faint">No layout is saved yet.</p>}
      {list.map(({ name, table }) => (
        <div key={name} className="flex items-center">
          <DropdownMenu.Item
            className={`${MENU_ITEM} min-w-0 flex-1`}
            onSelect={() => commands.attempt(() => opening.apply(view.id, layouts.open(name)))}
          >
            <span className="truncate">{name}</span>
            <span className="ml-auto text-xs text-faint">{table ?? "damaged"}</span>
          </DropdownMenu.Item>
          <DropdownMenu.Item
            aria-label={`Delete the layout ${name}`}
            className="grid size-8 place-items-center rounded text-faint outline-none data-[highlighted]:bg-sunken data-[highlighted]:text-bad"
            onSelect={(event) => {
              event.preventDefault();
              layouts.delete(name);
              again((times) => times + 1);
            }}
          >
            <Trash2 aria-hidden className="size-4" />
          </DropdownMenu.Item>
        </div>
      ))}
    </SimpleMenu>
  );
}

function SqlButton(): ReactNode {
  const { isSqlOpen, set } = useSurface();
  return (
    <IconButton
      icon={Database}
      label="SQL"
      labelled="lg"
      isPressed={isSqlOpen}
      data-element-id="SQL button"
      data-element-description="Shows or hides the pane for SQL over the open tables and the server's connections"
      onClick={() => set({ isSqlOpen: !isSqlOpen })}
    />
  );
}
