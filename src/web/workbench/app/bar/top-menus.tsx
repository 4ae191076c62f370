import { ChevronRight } from "lucide-react";
import * as Menubar from "@radix-ui/react-menubar";
import type { ReactNode } from "react";
import { MENU, MENU_ITEM, MENU_LINE } from "../../../ui/menu.ts";
import { useMenus, type MenuEntry } from "./menus.ts";

const CONTENT = `${MENU} max-h-[80dvh] max-w-[min(20rem,calc(100vw-1rem))] overflow-y-auto`;
const ITEM = `${MENU_ITEM} py-1.5`;

/** Select, Edit, View, Data: a menu bar as programs have it, with all of its keys. */
export function TopMenus(): ReactNode {
  const menus = useMenus();
  return (
    <Menubar.Root aria-label="Menus" className="flex items-center">
      {menus.map(({ name, entries }) => (
        <Menubar.Menu key={name}>
          <Menubar.Trigger
            data-element-id={`${name} top menu`}
            data-element-description={`Top menu item: "${name}" containing relevant functions `}
            className="h-8 rounded-md px-2 text-sm text-soft outline-offset-0 hover:bg-sunken hover:text-ink data-[state=open]:bg-sunken data-[state=open]:text-ink max-sm:px-1.5"
          >
            {name}
          </Menubar.Trigger>
          <Menubar.Portal>
            <Menubar.Content align="start" sideOffset={5} collisionPadding={8} className={CONTENT}>
              {entries.map((entry, at) => (
                <Entry key={entry === "line" ? `line${String(at)}` : entry.label} entry={entry} />
              ))}
            </Menubar.Content>
          </Menubar.Portal>
        </Menubar.Menu>
      ))}
    </Menubar.Root>
  );
}

function Entry({ entry }: { readonly entry: MenuEntry }): ReactNode {
  if (entry === "line") return <Menubar.Separator className={MENU_LINE} />;
  if (entry.entries !== undefined) {
    return (
      <Menubar.Sub>
        <Menubar.SubTrigger disabled={entry.disabled === true} className={`${ITEM} data-[state=open]:bg-sunken`}>
          {entry.label} <ChevronRight aria-hidden className="ml-auto size-4 text-faint" />
        </Menubar.SubTrigger>
        <Menubar.Portal>
          <Menubar.SubContent sideOffset={4} collisionPadding={8} className={CONTENT}>
            {entry.entries.map((inner, at) => (
              <Entry key={inner === "line" ? `line${String(at)}` : inner.label} entry={inner} />
            ))}
          </Menubar.SubContent>
        </Menubar.Portal>
      </Menubar.Sub>
    );
  }
  const inside = (
    <>
      <span className="min-w-0">
        <span className="block truncate">{entry.label}</span>
        {entry.hint !== undefined && <span className="block text-xs">{entry.hint}</span>}
      </span>
      {entry.keys !== undefined && <kbd className="ml-auto pl-6 text-xs text-faint">{entry.keys}</kbd>}
      {entry.checked === true && <span className="ml-auto text-accent">✓</span>}
    </>
  );
  if (entry.checked !== undefined) {
    return (
      <Menubar.CheckboxItem className={ITEM} checked={entry.checked} onCheckedChange={() => entry.run?.()}>
        {inside}
      </Menubar.CheckboxItem>
    );
  }
  return (
    <Menubar.Item
      className={`${ITEM} ${entry.hint === undefined ? "" : "data-[disabled]:opacity-100!"}`}
      disabled={entry.disabled === true}
      onSelect={() => entry.run?.()}
    >
      {inside}
    </Menubar.Item>
  );
}
