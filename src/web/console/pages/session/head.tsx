import { Link } from "@tanstack/react-router";
import {
  ChevronLeft,
  Ellipsis,
  FileDiff,
  Folder,
  Info,
  PanelLeftOpen,
  Search,
  Square,
  SquareTerminal,
} from "lucide-react";
import type { ReactNode } from "react";
import { type SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { Button } from "../../../ui/button.tsx";
import { laterPart } from "../../../ui/later-part.tsx";
import { MenuOnDemand } from "../../../ui/menu-on-demand.tsx";
import { money, spending, StatusBadge, titleOf } from "../../../ui/words.tsx";
import type { HeadMenuProps } from "./head-menu.tsx";
import { hasEnded, pauseOf } from "./head-words.ts";
import { useControl, type SessionControl } from "./use-control.ts";
import { useSessionUsage } from "./use-session-usage.ts";
import { t } from "../../../ui/language/t.ts";

const Menu = laterPart(async () => (await import("./head-menu.tsx")).HeadMenu);
/** The meter is red above this share of the limit. */
const NEAR_LIMIT = 0.9;
const isBusy = ({ status }: SessionView): boolean => status === "working" || status === "pending_approval";
/** Whether there is something that its changes are compared with. */
export const hasChanges = ({ settings }: SessionView): boolean =>
  settings.workspace_mode !== "empty" && settings.job === undefined;

/** The session's title, state, cost and actions. */
export function Head({
  session,
  onFork,
  onDetails,
  onFind,
  onSessions,
}: {
  readonly session: SessionView;
  readonly onFork: () => void;
  readonly onDetails: () => void;
  readonly onFind: () => void;
  readonly onSessions: () => void;
}): ReactNode {
  const mayControl = useMay("session.control");
  const mayShell = useMay("shell.use");
  const control = useControl(session.id);
  useShortcuts(t("Session"), [
    {
      keys: ["Escape"],
      label: t("Stop the turn"),
      run: () => (isBusy(session) && mayControl ? control.run("interrupt") : false),
    },
    { keys: ["Ctrl+F"], label: t("Find in conversation") },
    { keys: ["Ctrl+Enter"], label: t("Send the prompt into the running turn") },
  ]);
  return (
    <header className="border-b bg-panel px-3 py-2 md:px-4">
      <div className="flex items-center gap-1 sm:gap-2">
        <Link
          to="/sessions"
          aria-label={t("To the sessions")}
          className="rounded p-1.5 text-soft hover:bg-sunken md:hidden"
        >
          <ChevronLeft aria-hidden className="size-5" />
        </Link>
        <SessionsButton onOpen={onSessions} />
        <Title session={session} />
        {mayControl && isBusy(session) && (
          <Button
            size="small"
            variant="danger"
            busy={control.busy}
            aria-label={t("Stop")}
            onClick={() => control.run("interrupt")}
          >
            <Square aria-hidden className="size-3.5" /> <span className="max-sm:hidden">{t("Stop")}</span>
          </Button>
        )}
        {hasChanges(session) && (
          <Link
            to="/sessions/$sessionId/changes"
            params={{ sessionId: session.id }}
            aria-label={t("Changes")}
            title={t("Changes")}
            className="inline-flex items-center gap-1.5 rounded-lg px-2 py-1.5 text-sm text-soft hover:bg-sunken"
          >
            <FileDiff aria-hidden className="size-4" /> <span className="max-2xl:hidden">{t("Changes")}</span>
          </Link>
        )}
        {mayShell && !hasEnded(session) && (
          <Link
            to="/sessions/$sessionId/terminal"
            params={{ sessionId: session.id }}
            aria-label={t("Terminal")}
            title={t("Terminal")}
            preload={false}
            className="inline-flex items-center gap-1.5 rounded-lg px-2 py-1.5 text-sm text-soft hover:bg-sunken max-sm:hidden"
          >
            <SquareTerminal aria-hidden className="size-4" /> <span className="max-2xl:hidden">{t("Terminal")}</span>
          </Link>
        )}
        {mayControl && !hasEnded(session) && <PauseButton session={session} control={control} />}
        <Button
          size="icon"
          variant="quiet"
          aria-label={t("Find in conversation")}
          title={t("Find in conversation (Ctrl+F)")}
          className="max-sm:hidden"
          onClick={onFind}
        >
          <Search aria-hidden className="size-5" />
        </Button>
        <Button size="icon" variant="quiet" aria-label={t("Details")} className="lg:hidden" onClick={onDetails}>
          <Info aria-hidden className="size-5" />
        </Button>
        <More session={session} onFork={onFork} onFind={onFind} control={mayControl ? control : undefined} />
      </div>
    </header>
  );
}

function Title({ session }: { readonly session: SessionView }): ReactNode {
  return (
    <div className="min-w-0 flex-1">
      <h1 dir="auto" className="truncate text-base font-semibold rtl:text-right">
        {titleOf(session)}
      </h1>
      <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-soft">
        <StatusBadge status={session.status} />
        <span className="max-sm:hidden">
          {session.settings.engine} · {session.settings.model}
        </span>
        <WorkspaceName session={session} />
        {session.settings.review === "at_end" && (
          <span title={t("Edits and commands run unasked. You review all changes when a turn has ended.")}>
            {t("review at the end")}
          </span>
        )}
        <Cost session={session} />
      </p>
    </div>
  );
}

/** The workspace, which leads to its files where they may be looked at. */
function WorkspaceName({ session }: { readonly session: SessionView }): ReactNode {
  const may = useMay("workspace.open");
  const name = (
    <>
      <Folder aria-hidden className="size-3.5 shrink-0" />
      <span className="sr-only">{t("Workspace")} </span>
      <span className="truncate">{folderName(folderOf(session))}</span>
    </>
  );
  const className = "flex max-w-48 items-center gap-1 max-md:hidden";
  if (!may)
    return (
      <span title={folderOf(session)} className={className}>
        {name}
      </span>
    );
  return (
    <Link
      to="/sessions/$sessionId/files"
      params={{ sessionId: session.id }}
      title={t("Files of {folder}", { folder: folderOf(session) })}
      className={`${className} hover:text-accent hover:underline`}
    >
      {name}
    </Link>
  );
}

/** The folder that its changes are for. */
const folderOf = ({ settings }: SessionView): string => settings.source ?? settings.workspace;

const folderName = (path: string): string => path.split("/").findLast((part) => part !== "") ?? path;

/** Where the other sessions are not beside the conversation. */
function SessionsButton({ onOpen }: { readonly onOpen: () => void }): ReactNode {
  return (
    <Button
      size="icon"
      variant="quiet"
      aria-label={t("Other sessions")}
      title={t("Other sessions")}
      className="size-8! xl:hidden"
      onClick={onOpen}
    >
      <PanelLeftOpen aria-hidden className="size-5" />
    </Button>
  );
}

/** Spent, of what limit, and what requests that run now may cost at most. */
function Cost({ session }: { readonly session: SessionView }): ReactNode {
  const { cost_microusd: counted, limit_microusd: limit } = session;
  const { data } = useSessionUsage(session);
  const reserved = isBusy(session) ? (data?.reserved_microusd ?? 0) : 0;
  return (
    <span className="flex min-w-0 items-center gap-1.5 tabular-nums">
      {limit !== undefined && <Meter spent={counted} reserved={reserved} limit={limit} />}
      <span>
        {spending({ ...session, reserved_microusd: reserved })}
        {limit !== undefined && <> {t("of {limit}", { limit: money(limit) })}</>}
      </span>
    </span>
  );
}

function Meter({
  spent,
  reserved,
  limit,
}: {
  readonly spent: number;
  readonly reserved: number;
  readonly limit: number;
}): ReactNode {
  const part = (amount: number): number => (limit === 0 ? 1 : Math.min(1, amount / limit));
  const isNear = part(spent + reserved) > NEAR_LIMIT;
  return (
    <span aria-hidden className="relative h-1.5 w-14 overflow-hidden rounded-full bg-line max-sm:hidden">
      <span
        className={`absolute inset-y-0 start-0 opacity-40 ${isNear ? "bg-bad" : "bg-accent"}`}
        style={{ width: `${String(part(spent + reserved) * 100)}%` }}
      />
      <span
        className={`absolute inset-y-0 start-0 ${isNear ? "bg-bad" : "bg-accent"}`}
        style={{ width: `${String(part(spent) * 100)}%` }}
      />
    </span>
  );
}

/** A phone has it in the menu. */
function PauseButton({
  session,
  control,
}: {
  readonly session: SessionView;
  readonly control: SessionControl;
}): ReactNode {
  const { icon: Icon, verb, label } = pauseOf(session);
  return (
    <Button
      size="small"
      variant="quiet"
      busy={control.busy}
      aria-label={label}
      title={label}
      className="max-sm:hidden"
      onClick={() => control.run(verb)}
    >
      <Icon aria-hidden className="size-4" /> <span className="max-2xl:hidden">{label}</span>
    </Button>
  );
}

/** What else can be done, in a menu that is loaded when it is opened. */
function More(props: Omit<HeadMenuProps, "button">): ReactNode {
  Menu.useSoon();
  const button = (
    <Button size="icon" variant="quiet" aria-label={t("More")}>
      <Ellipsis aria-hidden className="size-5" />
    </Button>
  );
  return (
    <MenuOnDemand button={button}>
      <Menu.Part props={{ ...props, button }} fallback={button} />
    </MenuOnDemand>
  );
}
