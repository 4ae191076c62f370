import { ChevronDown } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { useEffect, useRef, type ReactNode } from "react";
import { classes } from "../../ui/classes.ts";
import { MENU_ITEM } from "../../ui/menu.ts";
import { SimpleMenu } from "./bar/simple-menu.tsx";

/** Above this number, tabs may be out of sight: a menu lists them. */
const FEW_TABS = 3;

interface TabStripProps {
  /** Of the strip and of its menu. */
  readonly label: string;
  readonly tabs: readonly { readonly id: string; readonly title: string }[];
  readonly current: string;
  readonly choose: (id: string) => void;
  readonly className?: string;
  readonly children: ReactNode;
}

/** Tabs that scroll without a scroll bar: by wheel, by touch, and so that the current one is in sight. */
export function TabStrip({ label, tabs, current, choose, className, children }: TabStripProps): ReactNode {
  const strip = useRef<HTMLElement>(null);
  useEffect(() => {
    strip.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [current, tabs.length]);
  return (
    <div className="flex min-w-0 items-end self-end">
      <nav
        ref={strip}
        aria-label={label}
        onWheel={(event) => {
          if (event.deltaX === 0) event.currentTarget.scrollLeft += event.deltaY;
        }}
        className={classes("flex min-w-0 items-end gap-0.5 overflow-x-auto [scrollbar-width:none]", className)}
      >
        {children}
      </nav>
      {tabs.length > FEW_TABS && (
        <SimpleMenu
          align="end"
          trigger={
            <button
              type="button"
              data-still
              aria-label={`${label}: all ${tabs.length}`}
              title={`All ${tabs.length}`}
              className="grid size-7 shrink-0 place-items-center rounded text-faint hover:bg-sunken hover:text-ink"
            >
              <ChevronDown aria-hidden className="size-4" />
            </button>
          }
        >
          {tabs.map(({ id, title }) => (
            <DropdownMenu.Item key={id} className={MENU_ITEM} onSelect={() => choose(id)}>
              <span className={classes("max-w-72 truncate", id === current && "font-semibold")}>{title}</span>
            </DropdownMenu.Item>
          ))}
        </SimpleMenu>
      )}
    </div>
  );
}
