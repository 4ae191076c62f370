import { useRef, useState } from "react";

/** How every menu looks; its behaviour is Radix's. */
export const MENU = "z-50 min-w-52 rounded-lg border bg-raised p-1.5 shadow-lg";
export const MENU_ITEM =
  "flex cursor-default items-center gap-2.5 rounded px-2.5 py-2 text-sm outline-none data-[disabled]:text-faint data-[disabled]:opacity-60 data-[highlighted]:bg-sunken";
export const MENU_LINE = "my-1 border-t";

export interface MenuQuestion<Name extends string> {
  /** The window that is open; absent: none. */
  readonly asked: Name | undefined;
  /** For a menu's item. */
  readonly ask: (name: Name) => void;
  /** For the menu's content. */
  readonly onCloseAutoFocus: () => void;
  readonly end: () => void;
}

/** A window that a menu's item opens, once the menu has given the focus back to its button: there it returns to afterwards. */
export function useMenuQuestion<Name extends string>(): MenuQuestion<Name> {
  const [asked, setAsked] = useState<Name | undefined>(undefined);
  const next = useRef<Name | undefined>(undefined);
  return {
    asked,
    ask: (name) => {
      next.current = name;
    },
    onCloseAutoFocus: () => {
      const name = next.current;
      next.current = undefined;
      if (name !== undefined) queueMicrotask(() => setAsked(name));
    },
    end: () => setAsked(undefined),
  };
}
