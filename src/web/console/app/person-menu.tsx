import { Link } from "@tanstack/react-router";
import { Bell, Check, Keyboard, LogOut, Smartphone, Table2 } from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { lazy, Suspense, type ReactNode } from "react";
import { MENU, MENU_ITEM, MENU_LINE, useMenuQuestion } from "../../ui/menu.ts";
import type { MenuButton } from "../../ui/menu-on-demand.tsx";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { useSettings, type LanguageChoice, type Theme } from "../../ui/app/settings.ts";
import { useShortcutHelp } from "../../ui/app/shortcuts.tsx";
import type { FurtherPage } from "./person-button.tsx";
import { LANGUAGES } from "../../ui/language/languages.ts";
import { t } from "../../ui/language/t.ts";

const THEMES: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: "system", label: t("System") },
  { value: "light", label: t("Light") },
  { value: "dark", label: t("Dark") },
];
/** Opened by few, and not often. */
const NotificationsDialog = lazy(async () => ({
  default: (await import("../away/notifications-dialog.tsx")).NotificationsDialog,
}));
const PhoneDialog = lazy(async () => ({ default: (await import("../away/phone-dialog.tsx")).PhoneDialog }));

const LABEL = "px-2.5 py-1 text-xs text-faint";

/** The theme, notifications, signing out; on a phone also the pages that do not fit in its bar. Open from the beginning. */
export function OpenPersonMenu({
  more,
  phone,
  button,
}: {
  readonly more: readonly FurtherPage[];
  readonly phone: boolean;
  readonly button: MenuButton;
}): ReactNode {
  const { me } = useConnection();
  const signOut = useSignOut();
  const showHelp = useShortcutHelp();
  const { asked, ask, onCloseAutoFocus, end } = useMenuQuestion<"notifications" | "phone">();
  return (
    <>
      <DropdownMenu.Root modal={false} defaultOpen>
        <DropdownMenu.Trigger asChild>{button}</DropdownMenu.Trigger>
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
            <Languages />
            <DropdownMenu.Separator className={MENU_LINE} />
            <Away phone={phone} ask={ask} />
            {!phone && (
              <DropdownMenu.Item className={MENU_ITEM} onSelect={showHelp}>
                <Keyboard aria-hidden className="size-4 text-faint" /> {t("Keyboard shortcuts")}
              </DropdownMenu.Item>
            )}
            <DropdownMenu.Item className={MENU_ITEM} onSelect={signOut}>
              <LogOut aria-hidden className="size-4 text-faint" /> {t("Sign out")}
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
          <Bell aria-hidden className="size-4 text-faint" /> {t("Notifications")}
        </DropdownMenu.Item>
      )}
      {mayPair && !phone && (
        <DropdownMenu.Item className={MENU_ITEM} onSelect={() => ask("phone")}>
          <Smartphone aria-hidden className="size-4 text-faint" /> {t("Connect a phone")}
        </DropdownMenu.Item>
      )}
    </>
  );
}

function Likes(): ReactNode {
  const { theme, set } = useSettings();
  return (
    <>
      <DropdownMenu.Label className={LABEL}>{t("Appearance")}</DropdownMenu.Label>
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

/** A page keeps the language that it was loaded with: another one loads it again. */
function Languages(): ReactNode {
  const { language, set } = useSettings();
  const choose = (value: string): void => {
    set({ language: value as LanguageChoice });
    globalThis.location.reload();
  };
  return (
    <>
      <DropdownMenu.Label className={LABEL}>{t("Language")}</DropdownMenu.Label>
      <DropdownMenu.RadioGroup value={language} onValueChange={choose}>
        <DropdownMenu.RadioItem value="system" className={MENU_ITEM}>
          <Chosen /> {t("System")}
        </DropdownMenu.RadioItem>
        {Object.entries(LANGUAGES).map(([code, { name }]) => (
          <DropdownMenu.RadioItem key={code} value={code} lang={code} className={MENU_ITEM}>
            <Chosen /> {name}
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
