import { LoaderCircle } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import { MENU, MENU_ITEM } from "../../ui/menu.ts";
import { Bits } from "../data/bits.ts";
import type { Table } from "../data/table.ts";
import { useTable } from "../data/use-table.ts";
import { drawnWords } from "../viewers/drawing/words.ts";

interface FooterProps {
  readonly table: Table;
  readonly shown: number;
  readonly isSorting: boolean;
  /** Hidden while nothing is filtered, selected or reported. */
  readonly isQuiet: boolean;
  /** What was just done, or why it could not be. */
  readonly note: string | undefined;
  /** Absent: no cell is chosen, or none can be changed. */
  readonly edit: (() => void) | undefined;
  readonly find: () => void;
  readonly select: (rows: Bits) => void;
  readonly clearFilters: () => void;
}

/** How many rows are shown, filtered, selected. */
export function GridFooter(props: FooterProps): ReactNode {
  const { table, shown, isSorting, isQuiet, note, edit, find, select, clearFilters } = props;
  useTable(table, "filter", "selection");
  const filters = table.filters.size;
  const selected = table.selected.count;
  if (isQuiet && filters === 0 && selected === 0 && !isSorting && note === undefined) return undefined;
  return (
    <div className="flex h-8 shrink-0 items-center gap-x-3 overflow-hidden border-t bg-panel px-2.5 text-xs whitespace-nowrap text-soft">
      <p role="status" className="min-w-0 truncate">
        {drawnWords(shown, table.rowCount)}
        {filters > 0 && ` · ${filters} ${filters === 1 ? "filter" : "filters"}`}
        {selected > 0 && ` · ${selected.toLocaleString("en")} selected`}
        {note !== undefined && ` · ${note}`}
      </p>
      {isSorting && (
        <span role="status" className="flex items-center gap-1.5">
          <LoaderCircle aria-hidden className="size-3.5 animate-spin" /> Sorting…
        </span>
      )}
      <span className="ml-auto flex items-center gap-1">
        {edit !== undefined && <FooterButton words="Edit cell" press={edit} />}
        {filters > 0 && <FooterButton words="Clear filters" press={clearFilters} />}
        <FooterButton words="Find" press={find} />
        <SelectMenu table={table} select={select} />
      </span>
    </div>
  );
}

function FooterButton({ words, press }: { readonly words: string; readonly press: () => void }): ReactNode {
  return (
    <button type="button" className="rounded px-1.5 py-1 hover:bg-sunken hover:text-ink" onClick={press}>
      {words}
    </button>
  );
}

function SelectMenu({ table, select }: Pick<FooterProps, "table" | "select">): ReactNode {
  const items: readonly (readonly [string, string | undefined, () => Bits])[] = [
    ["All shown rows", "Ctrl+A", () => table.filtered],
    ["The other shown rows", undefined, () => table.filtered.without(table.selected)],
    ["No rows", "Esc", () => new Bits(table.rowCount)],
  ];
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className="rounded px-1.5 py-1 hover:bg-sunken hover:text-ink">Select</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content align="end" sideOffset={4} className={MENU}>
          {items.map(([words, keys, rows]) => (
            <DropdownMenu.Item key={words} className={MENU_ITEM} onSelect={() => select(rows())}>
              <span className="flex-1">{words}</span>
              {keys !== undefined && <kbd className="text-xs text-faint">{keys}</kbd>}
            </DropdownMenu.Item>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
