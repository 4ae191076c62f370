import {
  ArrowDown,
  ArrowUp,
  ChartNoAxesColumn,
  EyeOff,
  Eye,
  Funnel,
  Pin,
  PinOff,
  MoveHorizontal,
  X,
} from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useRef, type ReactNode } from "react";
import { MENU, MENU_ITEM, MENU_LINE } from "../../ui/menu.ts";
import type { GridModel } from "./model.ts";

export type ColumnWindowKind = "filter" | "statistics";

interface ColumnMenuProps {
  readonly model: GridModel;
  /** Of the column. */
  readonly name: string;
  readonly anchor: ReactNode;
  readonly isFiltered: boolean;
  readonly clearFilter: () => void;
  /** A window that stands in for the menu. */
  readonly open: (kind: ColumnWindowKind) => void;
  /** Nothing stands in for it: the focus goes back to the head. */
  readonly close: () => void;
}

/** All that can be done with a column. */
export function ColumnMenu({ model, name, anchor, isFiltered, clearFilter, open, close }: ColumnMenuProps): ReactNode {
  const next = useRef<ColumnWindowKind | undefined>(undefined);
  const { look } = model;
  const isPinned = look.pinned.includes(name);
  const item = (icon: ReactNode, words: string, act: () => void): ReactNode => (
    <DropdownMenu.Item className={MENU_ITEM} onSelect={act}>
      {icon} {words}
    </DropdownMenu.Item>
  );
  const hide = (): void =>
    model.setLook({ hidden: [...look.hidden, name], pinned: look.pinned.filter((other) => other !== name) });
  const pinned = isPinned ? look.pinned.filter((other) => other !== name) : [...look.pinned, name];
  return (
    <DropdownMenu.Root defaultOpen>
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
          {item(<ArrowUp aria-hidden className="size-4" />, "Sort ascending", () =>
            model.setSort([{ column: name, descending: false }]),
          )}
          {item(<ArrowDown aria-hidden className="size-4" />, "Sort descending", () =>
            model.setSort([{ column: name, descending: true }]),
          )}
          {look.sort.length > 0 &&
            item(<X aria-hidden className="size-4" />, "As the table came", () => model.setSort([]))}
          <DropdownMenu.Separator className={MENU_LINE} />
          {item(<Funnel aria-hidden className="size-4" />, "Filter…", () => void (next.current = "filter"))}
          {isFiltered && item(<X aria-hidden className="size-4" />, "Clear this filter", clearFilter)}
          {item(
            <ChartNoAxesColumn aria-hidden className="size-4" />,
            "Statistics",
            () => void (next.current = "statistics"),
          )}
          <DropdownMenu.Separator className={MENU_LINE} />
          {item(<MoveHorizontal aria-hidden className="size-4" />, "Fit the width", () =>
            model.setWidth(name, undefined),
          )}
          {item(
            isPinned ? <PinOff aria-hidden className="size-4" /> : <Pin aria-hidden className="size-4" />,
            isPinned ? "Let it scroll" : "Keep at the left",
            () => model.setLook({ pinned }),
          )}
          {model.plan.all.length > 1 && item(<EyeOff aria-hidden className="size-4" />, "Hide", hide)}
          {look.hidden.length > 0 &&
            item(<Eye aria-hidden className="size-4" />, `Show all (${look.hidden.length} hidden)`, () =>
              model.setLook({ hidden: [] }),
            )}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
