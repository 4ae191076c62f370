import { Link } from "@tanstack/react-router";
import { Check, CircleUser, Ellipsis, Keyboard, LogOut, Table2, type LucideIcon } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import { MENU, MENU_ITEM, MENU_LINE } from "../../ui/menu.ts";
import { permitNotifications } from "./attention.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import { useSettings, type Theme } from "../../ui/app/settings.ts";
import { useShortcutHelp } from "../../ui/app/shortcuts.tsx";

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const LABEL = "px-2.5 py-1 text-xs text-faint";

interface Further {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** The person, the theme, notifications, signing out; on a phone also the pages that do not fit in its bar. */
export function PersonMenu({
  more = [],
  phone = false,
}: {
  readonly more?: readonly Further[];
  readonly phone?: boolean;
}): ReactNode {
  const { me, signOut } = useConnection();
  const showHelp = useShortcutHelp();
  return (
    <DropdownMenu.Root modal={false}>
      {phone ? <PhoneTrigger /> : <DesktopTrigger />}
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          side="top"
          align={phone ? "end" : "start"}
          sideOffset={6}
          collisionPadding={8}
          className={MENU}
        >
          {phone && (
            <DropdownMenu.Label className={LABEL}>
              {me.name} · {me.role}
            </DropdownMenu.Label>
          )}
          {more.map(({ to, label, icon: Icon }) => (
            <DropdownMenu.Item key={to} asChild className={MENU_ITEM}>
              <Link to={to}>
                <Icon aria-hidden className="size-4 text-faint" /> {label}
              </Link>
            </DropdownMenu.Item>
          ))}
          {phone && (
            <DropdownMenu.Item asChild className={MENU_ITEM}>
              <a href="/workbench">
                <Table2 aria-hidden className="size-4 text-faint" /> Workbench
              </a>
            </DropdownMenu.Item>
          )}
          {phone && <DropdownMenu.Separator className={MENU_LINE} />}
          <Likes />
          <DropdownMenu.Separator className={MENU_LINE} />
          {!phone && (
            <DropdownMenu.Item className={MENU_ITEM} onSelect={showHelp}>
              <Keyboard aria-hidden className="size-4 text-faint" /> Keyboard shortcuts
            </DropdownMenu.Item>
          )}
          <DropdownMenu.Item className={MENU_ITEM} onSelect={signOut}>
            <LogOut aria-hidden className="size-4 text-faint" /> Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}

function PhoneTrigger(): ReactNode {
  return (
    <DropdownMenu.Trigger className="flex h-full w-full flex-col items-center justify-center gap-0.5 text-xs short:[&>svg]:hidden font-medium text-soft">
      <Ellipsis aria-hidden className="size-[1.15rem]" /> More
    </DropdownMenu.Trigger>
  );
}

function DesktopTrigger(): ReactNode {
  const { me } = useConnection();
  return (
    <DropdownMenu.Trigger className="flex w-full items-center gap-2.5 rounded-lg px-2.5 py-2 text-left text-sm hover:bg-sunken">
      <CircleUser aria-hidden className="size-5 shrink-0" />
      <span className="min-w-0">
        <span className="block truncate font-medium">{me.name}</span>
        <span className="block text-xs text-faint">{me.role}</span>
      </span>
    </DropdownMenu.Trigger>
  );
}

function Likes(): ReactNode {
  const { theme, notify, set } = useSettings();
  return (
    <>
      <DropdownMenu.Label className={LABEL}>Appearance</DropdownMenu.Label>
      <DropdownMenu.RadioGroup value={theme} onValueChange={(value) => set({ theme: value as Theme })}>
        {THEMES.map(({ value, label }) => (
          <DropdownMenu.RadioItem key={value} value={value} className={MENU_ITEM}>
            <Chosen /> {label}
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
      <DropdownMenu.Separator className={MENU_LINE} />
      <DropdownMenu.CheckboxItem
        checked={notify}
        onCheckedChange={(wanted) => void permitNotifications(wanted)}
        className={MENU_ITEM}
      >
        <Chosen /> Notify me of questions and finished turns
      </DropdownMenu.CheckboxItem>
    </>
  );
}

function Chosen(): ReactNode {
  return (
    <span className="size-4">
      <DropdownMenu.ItemIndicator>
        <Check aria-hidden className="size-4" />
      </DropdownMenu.ItemIndicator>
    </span>
  );
}
