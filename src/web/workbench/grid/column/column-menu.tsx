import {
  ArrowDown,
  ArrowUp,
  ChartNoAxesColumn,
  EyeOff,
  Paintbrush,
  Eye,
  Funnel,
  Pin,
  PinOff,
  MoveHorizontal,
  PencilLine,
  X,
  type LucideIcon,
} from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useRef, type ReactNode } from "react";
import { MENU, MENU_ITEM, MENU_LINE } from "../../../ui/menu.ts";
import type { GridModel } from "../model.ts";

export type ColumnWindowKind = "filter" | "statistics";

interface ColumnMenuProps {
  readonly model: GridModel;
  /** Of the column. */
  readonly name: string;
  readonly anchor: ReactNode;
  readonly isFiltered: boolean;
  readonly clearFilter: () => void;
  /** The window that replaces the menu. */
  readonly open: (kind: ColumnWindowKind) => void;
  /** Asks for another name or type. Absent: neither can be changed here. */
  readonly change: (() => void) | undefined;
  /** Nothing replaces it: the focus returns to the head. */
  readonly close: () => void;
}

/** Everything that can be done with a column. */
export function ColumnMenu(props: ColumnMenuProps): ReactNode {
  const { model, name, anchor, isFiltered, clearFilter, open, change, close } = props;
  const next = useRef<ColumnWindowKind | undefined>(undefined);
  const { look } = model;
  const isPinned = look.pinned.includes(name);
  const item = (Icon: LucideIcon, words: string, act: () => void): ReactNode => (
    <DropdownMenu.Item className={MENU_ITEM} onSelect={act}>
      <Icon aria-hidden className="size-4" /> {words}
    </DropdownMenu.Item>
  );
  const sortBy = (descending: boolean): void => model.setSort([{ column: name, descending }]);
  const hide = (): void =>
    model.setLook({ hidden: [...look.hidden, name], pinned: look.pinned.filter((other) => other !== name) });
  const coloured = look.coloured ?? [];
  const isColoured = coloured.includes(name);
  const recolour = (): void =>
    model.setLook({ coloured: isColoured ? coloured.filter((other) => other !== name) : [...coloured, name] });
  const pinned = isPinned ? look.pinned.filter((other) => other !== name) : [...look.pinned, name];
  return (
    <DropdownMenu.Root modal={false} defaultOpen>
      <DropdownMenu.Trigger asChild>{anchor}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="start"
          sideOffset={2}
          collisionPadding={8}
          aria-label={`Column ${name}`}
          className={MENU}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            if (next.current === undefined) close();
            else open(next.current);
          }}
        >
          {item(ArrowUp, "Sort ascending", () => sortBy(false))}
          {item(ArrowDown, "Sort descending", () => sortBy(true))}
          {look.sort.length > 0 && item(X, "As the table came", () => model.setSort([]))}
          <DropdownMenu.Separator className={MENU_LINE} />
          {item(Funnel, "Filter…", () => void (next.current = "filter"))}
          {isFiltered && item(X, "Clear this filter", clearFilter)}
          {item(ChartNoAxesColumn, "Statistics", () => void (next.current = "statistics"))}
          {change !== undefined && item(PencilLine, "Name, type and format…", change)}
          {item(Paintbrush, isColoured ? "No colours" : "Colour by value", recolour)}
          <DropdownMenu.Separator className={MENU_LINE} />
          {item(MoveHorizontal, "Fit the width", () => model.setWidth(name, undefined))}
          {item(isPinned ? PinOff : Pin, isPinned ? "Let it scroll" : "Keep at the left", () =>
            model.setLook({ pinned }),
          )}
          {model.plan.all.length > 1 && item(EyeOff, "Hide", hide)}
          {look.hidden.length > 0 &&
            item(Eye, `Show all (${look.hidden.length} hidden)`, () => model.setLook({ hidden: [] }))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
