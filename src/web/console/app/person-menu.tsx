import { Link } from "@tanstack/react-router";
import { Check, CircleUser, Ellipsis, type LucideIcon } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import type { ReactNode } from "react";
import { useConnection } from "./connection.tsx";
import { useSettings, type Theme } from "./settings.ts";
import { permitNotifications } from "./attention.ts";

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: "As the system" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
const ITEM = "flex items-center gap-2 rounded px-2.5 py-2 text-sm outline-none data-[highlighted]:bg-sunken";

interface Further {
  readonly to: string;
  readonly label: string;
  readonly icon: LucideIcon;
}

/** Who is here, how the page looks, notifications, signing out; on a phone also the pages that its bar has no room for. */
export function PersonMenu({ more = [] }: { readonly more?: readonly Further[] }): ReactNode {
  const { me, signOut } = useConnection();
  const { theme, notify, set } = useSettings();
  const onPhone = more.length > 0;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger
        className={
          onPhone
            ? "flex flex-col items-center gap-0.5 px-3 text-xs font-medium text-soft"
            : "flex w-full items-center gap-2.5 rounded-lg px-2.5 py-2 text-left text-sm hover:bg-sunken"
        }
      >
        {onPhone ? <Ellipsis aria-hidden className="size-[1.15rem]" /> : <CircleUser aria-hidden className="size-5" />}
        {onPhone ? (
          "More"
        ) : (
          <span className="min-w-0">
            <span className="block truncate font-medium">{me.name}</span>
            <span className="block text-xs text-faint">{me.role}</span>
          </span>
        )}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          side="top"
          align="start"
          sideOffset={6}
          className="z-50 min-w-56 rounded-lg border bg-raised p-1.5 shadow-lg"
        >
          {more.map(({ to, label, icon: Icon }) => (
            <DropdownMenu.Item key={to} asChild className={ITEM}>
              <Link to={to}>
                <Icon aria-hidden className="size-4" /> {label}
              </Link>
            </DropdownMenu.Item>
          ))}
          {onPhone && <DropdownMenu.Separator className="my-1 border-t" />}
          <DropdownMenu.Label className="px-2.5 py-1 text-xs text-faint">Look</DropdownMenu.Label>
          <DropdownMenu.RadioGroup value={theme} onValueChange={(value) => set({ theme: value as Theme })}>
            {THEMES.map(({ value, label }) => (
              <DropdownMenu.RadioItem key={value} value={value} className={ITEM}>
                <span className="size-4">
                  <DropdownMenu.ItemIndicator>
                    <Check aria-hidden className="size-4" />
                  </DropdownMenu.ItemIndicator>
                </span>
                {label}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator className="my-1 border-t" />
          <DropdownMenu.CheckboxItem
            checked={notify}
            onCheckedChange={(wanted) => void permitNotifications(wanted)}
            className={ITEM}
          >
            <span className="size-4">
              <DropdownMenu.ItemIndicator>
                <Check aria-hidden className="size-4" />
              </DropdownMenu.ItemIndicator>
            </span>
            Notify me of questions
          </DropdownMenu.CheckboxItem>
          <DropdownMenu.Separator className="my-1 border-t" />
          <DropdownMenu.Item className={ITEM} onSelect={signOut}>
            Sign out
          </DropdownMenu.Item>
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
