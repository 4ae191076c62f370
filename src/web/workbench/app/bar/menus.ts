import { useShortcutHelp } from "../../../ui/app/shortcuts.tsx";
import { useSettings, type Theme } from "../../../ui/app/settings.ts";
import { useTable } from "../../data/use-table.ts";
import type { Table } from "../../data/table.ts";
import { WORKBENCH_LIMITS } from "../../limits.ts";
import { VIEWERS } from "../../viewers/registry.ts";
import { NOT_AVAILABLE } from "../../viewers/viewer.ts";
import { useCommands, type WorkbenchCommands } from "../commands.ts";
import { useBench, useNextRedo, useNextUndo } from "../context.tsx";
import { RESHAPE_WORDS, type ReshapeKind } from "../reshape/kinds.ts";
import { useFilePicker, useImportPicker } from "../start/file-picker.tsx";
import { ask, askToFind, useDownloads, useSurface } from "../surface.ts";

export type MenuEntry = "line" | MenuItem;

interface MenuItem {
  readonly label: string;
  readonly run?: () => void;
  readonly disabled?: boolean;
  readonly keys?: string;
  readonly hint?: string;
  /** Present: it is something that is on or off. */
  readonly checked?: boolean;
  /** Present: a menu of its own. */
  readonly entries?: readonly MenuEntry[];
}

interface TopMenu {
  readonly name: "Select" | "Edit" | "View" | "Data";
  readonly entries: readonly MenuEntry[];
}

const THEMES: readonly (readonly [Theme, string])[] = [
  ["system", "System"],
  ["light", "Light"],
  ["dark", "Dark"],
];

export function useMenus(): readonly TopMenu[] {
  const commands = useCommands();
  return [
    { name: "Select", entries: selectEntries(commands) },
    { name: "Edit", entries: useEditEntries(commands) },
    { name: "View", entries: useViewEntries(commands) },
    { name: "Data", entries: useDataEntries(commands) },
  ];
}

function selectEntries({ view, select }: WorkbenchCommands): readonly MenuEntry[] {
  const disabled = view === undefined;
  return [
    { label: "All rows", run: () => select("all"), disabled },
    { label: "No rows", run: () => select("none"), disabled },
    { label: "Invert the selection", run: () => select("invert"), disabled },
    { label: "Rows that pass the filters", run: () => select("filtered"), disabled },
  ];
}

function useEditEntries(commands: WorkbenchCommands): readonly MenuEntry[] {
  const undo = useNextUndo();
  const redo = useNextRedo();
  const { view } = commands;
  const columns = view?.table.columns.slice(0, WORKBENCH_LIMITS.pickerColumns) ?? [];
  return [
    {
      label: undo === undefined ? "Undo" : `Undo: ${undo.words}`,
      run: commands.undo,
      disabled: undo === undefined,
      keys: "Ctrl+Z",
    },
    {
      label: redo === undefined ? "Redo" : `Redo: ${redo.words}`,
      run: commands.redo,
      disabled: redo === undefined,
      keys: "Ctrl+Y",
    },
    "line",
    { label: "Find in the table…", run: askToFind, disabled: view === undefined, keys: "Ctrl+F" },
    {
      label: "Add new column…",
      run: () => ask({ kind: "column" }),
      disabled: view === undefined,
      keys: "N",
    },
    {
      label: "Remove column",
      disabled: columns.length < 2,
      entries: columns.map(({ name }) => ({ label: name, run: () => commands.removeColumn(name) })),
    },
    { label: "Clear all filters", run: commands.clearFilters, disabled: view === undefined },
  ];
}

function useViewEntries(commands: WorkbenchCommands): readonly MenuEntry[] {
  const { theme, set: setSetting } = useSettings();
  const { layouts, opening } = useBench();
  const showHelp = useShortcutHelp();
  const { view } = commands;
  const disabled = view === undefined;
  const named = layouts.list();
  return [
    {
      label: "Add viewer",
      disabled,
      entries: [
        ...VIEWERS.map(({ type }) => ({ label: type, run: () => commands.addViewer(type) })),
        "line" as const,
        ...Object.entries(NOT_AVAILABLE).map(([type, hint]) => ({ label: type, hint, disabled: true })),
      ],
    },
    { label: "Toggle filters", run: commands.toggleFilters, disabled, keys: "F" },
    "line",
    { label: "Tile all", run: commands.tileAll, disabled },
    { label: "Close all viewers", run: commands.closeAll, disabled: view === undefined || view.viewers.length === 0 },
    {
      label: "Layouts",
      disabled,
      entries: [
        { label: "Save as…", run: () => ask({ kind: "save-layout" }) },
        "line",
        ...named.map(({ name }) => ({
          label: name,
          run: () => view !== undefined && commands.attempt(() => opening.apply(view.id, layouts.open(name))),
        })),
        ...(named.length === 0 ? [{ label: "None is saved yet", disabled: true }] : []),
      ],
    },
    "line",
    {
      label: "Look",
      entries: THEMES.map(([value, label]) => ({
        label,
        checked: theme === value,
        run: () => setSetting({ theme: value }),
      })),
    },
    { label: "Keyboard shortcuts", run: showHelp, keys: "?" },
  ];
}

const RESHAPES = Object.keys(RESHAPE_WORDS) as ReshapeKind[];

/** Of a table that is not there nothing changes. */
const NO_TABLE: Pick<Table, "subscribe" | "version"> = { subscribe: () => () => undefined, version: () => 0 };

const OTHER_FILES = [
  ["xlsx", "Excel"],
  ["json", "JSON"],
  ["parquet", "Parquet"],
] as const;

function useDataEntries(commands: WorkbenchCommands): readonly MenuEntry[] {
  const pick = useFilePicker();
  const importText = useImportPicker();
  const { isSqlOpen, set } = useSurface();
  const { safeForSpreadsheets, set: setDownloads } = useDownloads();
  const { view } = commands;
  const disabled = view === undefined;
  useTable((view?.table ?? NO_TABLE) as Table, "filter", "selection");
  return [
    { label: "Open a file…", run: pick, keys: "Ctrl+O" },
    { label: "Import a text file…", run: importText },
    { label: "Open an address…", run: () => ask({ kind: "url" }) },
    { label: "Projects on the server…", run: () => ask({ kind: "projects" }) },
    "line",
    ...RESHAPES.map((by) => ({ label: RESHAPE_WORDS[by].menu, run: () => ask({ kind: "reshape", by }), disabled })),
    "line",
    { label: "SQL", checked: isSqlOpen, run: () => set({ isSqlOpen: !isSqlOpen }) },
    { label: "Statistics", run: () => commands.addViewer("Statistics"), disabled },
    "line",
    { label: "Download all rows as CSV", run: () => commands.save("all"), disabled },
    { label: "Download filtered rows as CSV", run: () => commands.save("filtered"), disabled },
    {
      label: "Download selected rows as CSV",
      run: () => commands.save("selected"),
      disabled: view === undefined || view.table.selected.isEmpty,
    },
    ...OTHER_FILES.map(([kind, name]) => ({
      label: `Download filtered rows as ${name}`,
      run: () => commands.save("filtered", kind),
      disabled,
    })),
    {
      label: "Safe for spreadsheets",
      checked: safeForSpreadsheets,
      run: () => setDownloads({ safeForSpreadsheets: !safeForSpreadsheets }),
    },
    "line",
    { label: "Close this table", run: commands.closeView, disabled },
  ];
}
