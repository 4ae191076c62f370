/** How every menu looks; its behaviour is Radix's. */
export const MENU = "z-50 min-w-52 rounded-lg border bg-raised p-1.5 shadow-lg";
export const MENU_ITEM =
  "flex cursor-default items-center gap-2.5 rounded px-2.5 py-2 text-sm outline-none data-[disabled]:text-faint data-[disabled]:opacity-60 data-[highlighted]:bg-sunken";
export const MENU_LINE = "my-1 border-t";
