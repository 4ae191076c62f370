import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactElement, ReactNode } from "react";
import { MENU } from "../../../ui/menu.ts";

/** A menu under a button of a bar. */
export function SimpleMenu({
  trigger,
  children,
  align = "start",
  className = "",
}: {
  readonly trigger: ReactElement;
  readonly children: ReactNode;
  readonly align?: "start" | "end";
  readonly className?: string;
}): ReactNode {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>{trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className={`${MENU} ${className} max-h-(--radix-dropdown-menu-content-available-height) max-w-[calc(100vw-1rem)] overflow-y-auto`}
        >
          {children}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
