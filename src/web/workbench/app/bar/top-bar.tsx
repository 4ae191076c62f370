import { Bot, FolderOpen, Redo2, Undo2 } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import { Mark } from "../../../ui/mark.tsx";
import { MENU_ITEM, MENU_LINE } from "../../../ui/menu.ts";
import { SAMPLES } from "../../samples/index.ts";
import { useCommands } from "../commands.ts";
import { useBench, useNextRedo, useNextUndo } from "../context.tsx";
import { useFilePicker, useImportPicker } from "../start/file-picker.tsx";
import { ask, useSurface } from "../surface.ts";
import { HistoryMenu } from "./history-menu.tsx";
import { IconButton } from "./icon-button.tsx";
import { TopMenus } from "./top-menus.tsx";
import { SimpleMenu } from "./simple-menu.tsx";

/** The name of the page, its menus, undo, and the way to Claude. */
export function TopBar(): ReactNode {
  const { isChatOpen, set } = useSurface();
  return (
    <header className="flex h-11 shrink-0 items-center gap-1 border-b bg-panel px-2">
      <a
        href="/"
        aria-label="Workbench: to the console"
        title="To the console"
        className="flex items-center gap-2 rounded-md px-1.5 py-1 font-semibold hover:bg-sunken"
      >
        <Mark className="size-5 text-accent" />
        <span className="hidden md:inline">Workbench</span>
      </a>
      <TopMenus />
      <div className="ml-auto flex items-center gap-0.5">
        <OpenMenu />
        <UndoButtons />
        <HistoryMenu />
        <a
          href="/"
          className="inline-flex h-8 items-center rounded-md px-2 text-sm text-soft hover:bg-sunken hover:text-ink max-lg:hidden"
        >
          Console
        </a>
        <button
          type="button"
          aria-pressed={isChatOpen}
          aria-keyshortcuts="Control+I"
          title="Ask Claude (Ctrl+I)"
          onClick={() => set({ isChatOpen: !isChatOpen })}
          className="ml-1 inline-flex h-8 items-center gap-1.5 rounded-md bg-accent px-2.5 text-sm font-medium whitespace-nowrap text-accent-ink hover:brightness-110 aria-pressed:bg-accent-soft aria-pressed:text-accent aria-pressed:hover:brightness-100"
        >
          <Bot aria-hidden className="size-4" />
          <span className="max-sm:sr-only">Ask Claude</span>
        </button>
      </div>
    </header>
  );
}

function OpenMenu(): ReactNode {
  const { opening } = useBench();
  const pick = useFilePicker();
  const importText = useImportPicker();
  return (
    <SimpleMenu
      align="end"
      trigger={
        <IconButton
          icon={FolderOpen}
          label="Open…"
          labelled="lg"
          className="max-sm:hidden"
          data-element-id="Open button"
          data-element-description="Opens a table: a file, an address of this server, or a sample"
        />
      }
    >
      <DropdownMenu.Item className={MENU_ITEM} onSelect={pick}>
        A file… <kbd className="ml-auto text-xs text-faint">Ctrl+O</kbd>
      </DropdownMenu.Item>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={importText}>
        A text file, with options…
      </DropdownMenu.Item>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask({ kind: "url" })}>
        An address of this server…
      </DropdownMenu.Item>
      <DropdownMenu.Separator className={MENU_LINE} />
      <DropdownMenu.Label className="px-2.5 py-1 text-xs text-faint">Samples</DropdownMenu.Label>
      {SAMPLES.map((sample) => (
        <DropdownMenu.Item
          key={sample.id}
          className={MENU_ITEM}
          title={sample.about}
          onSelect={() => void opening.sample(sample)}
        >
          {sample.title}
        </DropdownMenu.Item>
      ))}
    </SimpleMenu>
  );
}

function UndoButtons(): ReactNode {
  const commands = useCommands();
  const undo = useNextUndo();
  const redo = useNextRedo();
  return (
    <>
      <IconButton
        icon={Undo2}
        label={undo === undefined ? "Undo" : `Undo: ${undo.words}`}
        disabled={undo === undefined}
        aria-keyshortcuts="Control+Z"
        onClick={commands.undo}
      />
      <IconButton
        icon={Redo2}
        label={redo === undefined ? "Redo" : `Redo: ${redo.words}`}
        className="max-sm:hidden"
        disabled={redo === undefined}
        aria-keyshortcuts="Control+Y"
        onClick={commands.redo}
      />
    </>
  );
}
