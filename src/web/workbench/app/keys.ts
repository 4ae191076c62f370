import { useEffect } from "react";
import { useShortcuts } from "../../ui/app/shortcuts.tsx";
import { useCommands } from "./commands.ts";
import { useFilePicker } from "./start/file-picker.tsx";
import { ask, askToFind, useSurface } from "./surface.ts";

const TYPING = "input, textarea, select, [contenteditable=''], [contenteditable='true'], [role=textbox]";

/** The keys of the page. Those with Ctrl (or ⌘) work everywhere but in fields, which have their own. */
export function useWorkbenchKeys(): void {
  const commands = useCommands();
  const pick = useFilePicker();
  const { set } = useSurface.getState();
  useShortcuts("Workbench", [
    { keys: ["f"], label: "Show or hide the filters", run: commands.toggleFilters },
    { keys: ["n"], label: "Add a new column", run: () => commands.view !== undefined && ask({ kind: "column" }) },
    { keys: ["s"], label: "Show or hide SQL", run: () => set({ isSqlOpen: !useSurface.getState().isSqlOpen }) },
    { keys: ["m"], label: "Give back a maximised viewer", run: () => set({ maximised: undefined }) },
    { keys: ["Ctrl+O"], label: "Open a file" },
    { keys: ["Ctrl+Z"], label: "Undo" },
    { keys: ["Ctrl+Y"], label: "Redo" },
    { keys: ["Ctrl+F"], label: "Find in the table" },
    { keys: ["Ctrl+I"], label: "Ask Claude" },
    { keys: ["?"], label: "This list" },
  ]);
  useShortcuts("Grid, when it has the focus", [
    { keys: ["↑ ↓ ← →"], label: "To the next cell; with Ctrl to the edge" },
    { keys: ["Space"], label: "Select the row, or not" },
    { keys: ["Shift+↑ ↓"], label: "Select rows from here on" },
    { keys: ["Ctrl+A"], label: "Select all shown rows" },
    { keys: ["Esc"], label: "Select no rows" },
    { keys: ["Ctrl+C"], label: "Copy the selected rows, or the cell" },
    { keys: ["Enter", "F2"], label: "Edit the cell; Enter or Tab takes the value, Esc leaves it" },
    { keys: ["Delete"], label: "Clear the cell" },
    { keys: ["Enter"], label: "In a head: sort; with Shift also by this column" },
    { keys: ["Shift+← →"], label: "In a head: narrower, wider" },
    { keys: ["Alt+↓"], label: "Menu of the column" },
  ]);
  useShortcuts("SQL", [
    { keys: ["Ctrl+Enter"], label: "Run the query" },
    { keys: ["Alt+PageUp", "Alt+PageDown"], label: "The query before, the next one" },
    { keys: ["F2"], label: "On a tab: rename the query" },
    { keys: ["Delete"], label: "On a tab: close the query" },
  ]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isCommand || event.defaultPrevented) return;
      const key = event.key.toLowerCase();
      // Inside the chat's shadow the target is the chat as a whole.
      const [inner] = event.composedPath();
      const isTyping = inner instanceof Element && inner.closest(TYPING) !== null;
      const run = keyed(key, { isShift: event.shiftKey, isTyping });
      if (run === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      run();
    };
    const keyed = (
      key: string,
      { isShift, isTyping }: { readonly isShift: boolean; readonly isTyping: boolean },
    ): (() => void) | undefined => {
      if (key === "i" && !isShift) return () => set({ isChatOpen: !useSurface.getState().isChatOpen });
      if (isTyping) return undefined;
      if (key === "o" && !isShift) return pick;
      if (key === "f" && !isShift && commands.view !== undefined) return askToFind;
      if (key === "z") return isShift ? commands.redo : commands.undo;
      return key === "y" && !isShift ? commands.redo : undefined;
    };
    // Before the parts of the page, so that these keys work wherever the focus is.
    document.addEventListener("keydown", onKey, true);
    return () => document.removeEventListener("keydown", onKey, true);
  });
}
