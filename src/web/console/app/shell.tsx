import { Link, Outlet, useNavigate, useRouter } from "@tanstack/react-router";
import {
  Archive,
  Boxes,
  Cable,
  CalendarClock,
  ChartColumn,
  Inbox,
  Keyboard,
  KeyRound,
  LogIn,
  MessagesSquare,
  Moon,
  Plug,
  Plus,
  Repeat,
  ScrollText,
  Search,
  ShieldCheck,
  Sun,
  Table2,
  Webhook,
  type LucideIcon,
} from "lucide-react";
import { useEffect, type ReactNode } from "react";
import { CONSOLE_PAGES } from "../../../protocol/index.ts";
import { Mark } from "../../ui/mark.tsx";
import { useConnection, useMay } from "../../ui/app/connection.tsx";
import { usePendingApprovals } from "./feed.tsx";
import { ConnectionBar } from "./connection-bar.tsx";
import { PersonMenu } from "./person-button.tsx";
import { useSettings } from "../../ui/app/settings.ts";
import { Shortcuts, useShortcutHelp, useShortcuts } from "../../ui/app/shortcuts.tsx";
import { Palette, type PaletteEntry } from "./palette.tsx";
import { Announcer } from "./announcer.tsx";
import { useNews, useTabTitle } from "./attention.ts";
import { useNotificationAnswer } from "../away/answer-link.ts";
import { t } from "../../ui/language/t.ts";

const ICONS: Readonly<Record<(typeof CONSOLE_PAGES)[number]["to"], LucideIcon>> = {
  "/sessions": MessagesSquare,
  "/approvals": Inbox,
  "/search": Search,
  "/usage": ChartColumn,
  "/policy": ShieldCheck,
  "/long-runs": Repeat,
  "/schedules": CalendarClock,
  "/webhooks": Webhook,
  "/providers": Plug,
  "/tunnels": Cable,
  "/mcp-logins": LogIn,
  "/workers": Boxes,
  "/tokens": KeyRound,
  "/audit": ScrollText,
};
const LABELS: Readonly<Record<(typeof CONSOLE_PAGES)[number]["to"], string>> = {
  "/sessions": t("Sessions"),
  "/approvals": t("Approvals"),
  "/search": t("Search"),
  "/usage": t("Usage"),
  "/policy": t("Policy"),
  "/long-runs": t("Long runs"),
  "/schedules": t("Schedules"),
  "/webhooks": t("Webhooks"),
  "/providers": t("Providers"),
  "/tunnels": t("Tunnels"),
  "/mcp-logins": t("MCP logins"),
  "/workers": t("Workers"),
  "/tokens": t("Tokens"),
  "/audit": t("Audit"),
};
const PLACES = CONSOLE_PAGES.map(({ to, needs, key }) => ({ to, label: LABELS[to], needs, key, icon: ICONS[to] }));
type NavigationEntry = (typeof PLACES)[number];
/** A phone's bar has room for these; the others are in the person's menu. */
const ON_PHONE = 4;

/** The frame of every page: navigation, the person, and the connection state. */
export function Shell(): ReactNode {
  useNews();
  useNotificationAnswer();
  return (
    <Shortcuts>
      <Frame />
    </Shortcuts>
  );
}

/** A removed link or form loses the focus: keyboard users continue at the new page. */
function useFocusOnPages(): void {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ fromLocation, pathChanged }) => {
        if (fromLocation === undefined || !pathChanged || document.activeElement !== document.body) return;
        document.querySelector<HTMLElement>("#page")?.focus({ preventScroll: true });
      }),
    [router],
  );
}

function Frame(): ReactNode {
  useFocusOnPages();
  const { approvals, isPending } = usePendingApprovals();
  useTabTitle(isPending ? 0 : approvals.length);
  const { me } = useConnection();
  const places = PLACES.filter(({ needs }) => me.rights[needs] !== undefined);
  usePlaceKeys(places);
  const entries = usePaletteEntries(places);
  const link = (place: NavigationEntry, phone: boolean): ReactNode => (
    <PlaceLink key={place.to} place={place} count={place.to === "/approvals" ? approvals.length : 0} phone={phone} />
  );
  return (
    <div className="flex min-h-dvh flex-col md:flex-row">
      <a
        href="#page"
        className="absolute start-2 top-2 z-50 -translate-y-20 rounded bg-accent px-3 py-2 text-accent-ink focus:translate-y-0"
      >
        {t("Skip to content")}
      </a>
      <Palette entries={entries} />
      <nav
        aria-label={t("Main")}
        className="sticky top-0 hidden h-dvh w-52 shrink-0 flex-col gap-1 overflow-y-auto border-e bg-panel p-3 md:flex"
      >
        <p className="mb-2 flex items-center gap-2 px-2 pt-1 text-base font-semibold">
          <Mark className="size-5 text-accent" /> Sallyport
        </p>
        <NewLink />
        {places.map((place) => link(place, false))}
        <a
          href="/workbench"
          className="flex items-center gap-2.5 rounded-lg px-2.5 py-2 text-sm font-medium text-soft hover:bg-sunken"
        >
          <Table2 aria-hidden className="size-[1.15rem]" />
          Workbench
        </a>
        <div className="mt-auto">
          <PersonMenu />
        </div>
      </nav>
      <div className="flex min-w-0 flex-1 flex-col pb-(--below)">
        <ConnectionBar />
        <Announcer />
        <main id="page" tabIndex={-1} className="flex min-w-0 flex-1 flex-col outline-none">
          <Outlet />
        </main>
      </div>
      <nav
        aria-label={t("Main")}
        data-phone-bar
        className="fixed inset-x-0 bottom-0 z-30 flex h-(--below) items-stretch border-t bg-panel pb-[env(safe-area-inset-bottom)] md:hidden"
      >
        {places.slice(0, ON_PHONE).map((place) => link(place, true))}
        <div className="grid flex-1 place-items-center">
          <PersonMenu more={places.slice(ON_PHONE)} phone />
        </div>
      </nav>
    </div>
  );
}

/** Pages and actions for Ctrl+K; the palette finds sessions by itself. */
function usePaletteEntries(places: readonly NavigationEntry[]): readonly PaletteEntry[] {
  const navigate = useNavigate();
  const mayCreate = useMay("session.create");
  const showKeys = useShortcutHelp();
  const { set } = useSettings();
  return [
    ...(mayCreate
      ? [{ id: "new", label: t("New session"), icon: Plus, run: () => void navigate({ to: "/new" }) }]
      : []),
    ...places.map(({ to, label, icon }) => ({ id: to, label, icon, run: () => void navigate({ to }) })),
    {
      id: "archive",
      label: t("Archived sessions"),
      icon: Archive,
      run: () => void navigate({ to: "/sessions", search: { archived: "yes" } }),
    },
    {
      id: "together",
      label: t("Review questions together"),
      icon: Inbox,
      run: () => void navigate({ to: "/approvals", search: { show: "together" } }),
    },
    { id: "keys", label: t("Keyboard shortcuts"), icon: Keyboard, run: showKeys },
    { id: "dark", label: t("Dark appearance"), icon: Moon, run: () => set({ theme: "dark" }) },
    { id: "light", label: t("Light appearance"), icon: Sun, run: () => set({ theme: "light" }) },
  ];
}

/** The most frequent action, available everywhere. */
function NewLink(): ReactNode {
  if (!useMay("session.create")) return undefined;
  return (
    <Link
      to="/new"
      className="mb-2 flex h-9 items-center justify-center gap-1.5 rounded-lg border border-line-strong/60 bg-raised text-sm font-medium hover:bg-sunken"
      activeProps={{ className: "bg-accent-soft!", "aria-current": "page" }}
    >
      <Plus aria-hidden className="size-4" /> {t("New session")}
    </Link>
  );
}

function usePlaceKeys(places: readonly NavigationEntry[]): void {
  const navigate = useNavigate();
  const mayCreate = useMay("session.create");
  useShortcuts(t("Everywhere"), [
    ...(mayCreate ? [{ keys: ["n"], label: t("New session"), run: () => void navigate({ to: "/new" }) }] : []),
    ...places.map(({ key, label, to }) => ({
      keys: [`g ${key}`],
      label: t("Go to {label}", { label }),
      run: () => void navigate({ to }),
    })),
    { keys: ["Ctrl+K"], label: t("Go to a page or a session, or do something") },
    { keys: ["?"], label: t("This list") },
  ]);
}

function PlaceLink({
  place,
  count,
  phone = false,
}: {
  readonly place: NavigationEntry;
  readonly count: number;
  readonly phone?: boolean;
}): ReactNode {
  const { icon: Icon, label, to } = place;
  const shape = phone
    ? "flex-1 flex-col justify-center gap-0.5 text-xs short:flex-row short:gap-1 short:[&>svg]:hidden"
    : "gap-2.5 rounded-lg px-2.5 py-2 text-sm hover:bg-sunken";
  return (
    <Link
      to={to}
      className={`relative flex items-center font-medium text-soft ${shape}`}
      activeProps={{ className: phone ? "text-accent!" : "bg-accent-soft! text-ink!", "aria-current": "page" }}
    >
      <Icon aria-hidden className="size-[1.15rem]" />
      {label}
      {count > 0 && (
        <span
          className={`rounded-full bg-accent px-1.5 text-xs leading-5 font-semibold text-accent-ink ${phone ? "absolute top-1.5 start-1/2 ms-2 short:static short:ms-0" : "ms-auto"}`}
        >
          {count}
          <span className="sr-only"> {t("waiting")}</span>
        </span>
      )}
    </Link>
  );
}

export function NotFound(): ReactNode {
  return (
    <div className="mx-auto max-w-xl space-y-3 p-6">
      <h1 className="text-xl font-semibold">{t("Page not found")}</h1>
      <p className="text-soft">{t("The address may be old or wrong.")}</p>
      <Link to="/sessions" className="font-medium text-accent underline">
        {t("Go to sessions")}
      </Link>
    </div>
  );
}
