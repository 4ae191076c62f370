import { ChartNoAxesCombined } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import { MENU_ITEM, MENU_LINE } from "../../../ui/menu.ts";
import { VIEWERS } from "../../viewers/registry.ts";
import { NOT_AVAILABLE } from "../../viewers/viewer.ts";
import type { WorkbenchCommands } from "../commands.ts";
import { IconButton } from "./icon-button.tsx";
import { SimpleMenu } from "./simple-menu.tsx";
import { VIEWER_ICONS } from "./viewer-list.ts";

/** Every type of viewer; those that document 000 names and that are not here, with the reason. */
export function AddViewerMenu({ commands }: { readonly commands: WorkbenchCommands }): ReactNode {
  return (
    <SimpleMenu
      className="w-104"
      trigger={
        <IconButton
          icon={ChartNoAxesCombined}
          label="Add viewer"
          labelled="lg"
          data-element-id="Add viewer button"
          data-element-description="Opens the list of all viewer types; choosing one adds it beside the grid"
        />
      }
    >
      <div className="sm:columns-2 sm:gap-1">
        {VIEWERS.map(({ type, about }) => {
          const Icon = VIEWER_ICONS[type];
          return (
            <DropdownMenu.Item
              key={type}
              className={`${MENU_ITEM} break-inside-avoid py-1.5`}
              title={about}
              onSelect={() => commands.addViewer(type)}
            >
              <Icon aria-hidden className="size-4 shrink-0 text-faint" /> {type}
            </DropdownMenu.Item>
          );
        })}
      </div>
      <DropdownMenu.Separator className={MENU_LINE} />
      <DropdownMenu.Label className="px-2.5 py-1 text-xs text-faint">Not available here</DropdownMenu.Label>
      {Object.entries(NOT_AVAILABLE).map(([type, reason]) => (
        <DropdownMenu.Item
          key={type}
          disabled
          className={`${MENU_ITEM} items-baseline py-1 data-[disabled]:opacity-100!`}
        >
          <span className="shrink-0">{type}</span>
          <span className="text-xs">{reason}</span>
        </DropdownMenu.Item>
      ))}
    </SimpleMenu>
  );
}
