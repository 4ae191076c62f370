import { Link } from "@tanstack/react-router";
import { Bell, Check, CircleUser, Ellipsis, Keyboard, LogOut, Smartphone, Table2, type LucideIcon } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { lazy, Suspense, type ReactNode } from "react";
import { MENU, MENU_ITEM, MENU_LINE, useMenuQuestion } from "../../ui/menu.ts";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { useSettings, type Theme } from "../../ui/app/settings.ts";
import { useShortcutHelp } from "../../ui/app/shortcuts.tsx";

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: "System" },
  { value: "light", label: "Light" },
  { value: "dark", label: "Dark" },
];
/** Opened by few, and not often. */
const NotificationsDialog = lazy(async () => ({
  default: (await import("../away/notifications-dialog.tsx")).NotificationsDialog,
}));
const PhoneDialog = lazy(async () => ({ default: (await import("../away/phone-dialog.tsx")).PhoneDialog }));

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
  const { me } = useConnection();
  const signOut = useSignOut();
  const showHelp = useShortcutHelp();
  const { asked, ask, onCloseAutoFocus, end } = useMenuQuestion<"notifications" | "phone">();
  return (
    <>
      <DropdownMenu.Root modal={false}>
        {phone ? <PhoneTrigger /> : <DesktopTrigger />}
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            side="top"
            align={phone ? "end" : "start"}
            sideOffset={6}
            collisionPadding={8}
            className={MENU}
            onCloseAutoFocus={onCloseAutoFocus}
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
            <Away phone={phone} ask={ask} />
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
      <Suspense>
        {asked === "notifications" && <NotificationsDialog onClose={end} />}
        {asked === "phone" && <PhoneDialog onClose={end} />}
      </Suspense>
    </>
  );
}

/** A browser that is told by the server is not told any more. A server that is away does not keep anybody signed in. */
function useSignOut(): () => void {
  const { client, signOut } = useConnection();
  const { push, set } = useSettings();
  if (!push) return signOut;
  return () => {
    set({ push: false });
    void import("../away/push-device.ts")
      .then(({ forgetDevice }) => forgetDevice(client))
      .catch(() => undefined)
      .finally(signOut);
  };
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

/** For when this person is elsewhere. */
function Away({
  phone,
  ask,
}: {
  readonly phone: boolean;
  readonly ask: (name: "notifications" | "phone") => void;
}): ReactNode {
  const mayNotify = useMay("notification.use");
  const mayPair = useMay("token.manage");
  return (
    <>
      {mayNotify && (
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask("notifications")}>
          <Bell aria-hidden className="size-4 text-faint" /> Notifications
        </DropdownMenu.Item>
      )}
      {mayPair && !phone && (
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask("phone")}>
          <Smartphone aria-hidden className="size-4 text-faint" /> Connect a phone
        </DropdownMenu.Item>
      )}
    </>
  );
}

function Likes(): ReactNode {
  const { theme, set } = useSettings();
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
