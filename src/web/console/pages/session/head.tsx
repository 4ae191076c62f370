import { Link } from "@tanstack/react-router";
import {
  Archive,
  ChevronLeft,
  CirclePause,
  CirclePlay,
  CircleX,
  Download,
  Ellipsis,
  FileDiff,
  Folder,
  GitFork,
  Info,
  Link2,
  PanelLeftOpen,
  Pencil,
  Search,
  Share2,
  SlidersHorizontal,
  Square,
  Trash2,
  Wallet,
  type LucideIcon,
  SquareTerminal,
} from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import { type SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { useShortcuts } from "../../../ui/app/shortcuts.tsx";
import { Button } from "../../../ui/button.tsx";
import { MENU, MENU_ITEM, MENU_LINE, useMenuQuestion } from "../../../ui/menu.ts";
import { useTell } from "../../../ui/toasts.tsx";
import { money, spending, StatusBadge, titleOf } from "../../../ui/words.tsx";
import { useLabel } from "./label-dialog.tsx";
import { SessionDialog, type SessionQuestion } from "./session-dialog.tsx";
import { useControl } from "./use-control.ts";
import { useSessionUsage } from "./use-session-usage.ts";
import { t } from "../../../ui/language/t.ts";

/** The meter is red above this share of the limit. */
const NEAR_LIMIT = 0.9;
const isBusy = ({ status }: SessionView): boolean => status === "working" || status === "pending_approval";
/** Whether there is something that its changes are compared with. */
export const hasChanges = ({ settings }: SessionView): boolean =>
  settings.workspace_mode !== "empty" && settings.job === undefined;
const hasEnded = ({ status }: SessionView): boolean => status === "complete" || status === "failed";

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
    <span className="flex items-center gap-1.5 tabular-nums sm:whitespace-nowrap">
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

type SessionControl = ReturnType<typeof useControl>;

const pauseOf = (
  session: SessionView,
): { readonly icon: LucideIcon; readonly verb: "pause" | "resume"; readonly label: string } =>
  session.status === "paused"
    ? { icon: CirclePlay, verb: "resume", label: t("Resume") }
    : { icon: CirclePause, verb: "pause", label: t("Pause") };

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

function More({
  session,
  onFork,
  onFind,
  control,
}: {
  readonly session: SessionView;
  readonly onFork: () => void;
  readonly onFind: () => void;
  /** Absent: only for reading. */
  readonly control: SessionControl | undefined;
}): ReactNode {
  const menu = useMenuQuestion<SessionQuestion>();
  const copyLink = useCopyLink();
  const mayRaise = useMay("budget.raise");
  const mayShare = useMay("session.share");
  const mayDelete = useMay("session.delete");
  const mayChange = control !== undefined && !hasEnded(session);
  const { icon: PauseIcon, verb, label } = pauseOf(session);
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button size="icon" variant="quiet" aria-label={t("More")}>
            <Ellipsis aria-hidden className="size-5" />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content align="end" sideOffset={6} className={MENU} onCloseAutoFocus={menu.onCloseAutoFocus}>
            <DropdownMenu.Item className={`${MENU_ITEM} sm:hidden`} onSelect={onFind}>
              <Search aria-hidden className="size-4" /> {t("Find in conversation")}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={MENU_ITEM} onSelect={copyLink}>
              <Link2 aria-hidden className="size-4" /> {t("Copy link")}
            </DropdownMenu.Item>
            <DropdownMenu.Item className={MENU_ITEM} onSelect={() => menu.ask("export")}>
              <Download aria-hidden className="size-4" /> {t("Export …")}
            </DropdownMenu.Item>
            {mayShare && session.turns > 0 && (
              <DropdownMenu.Item className={MENU_ITEM} onSelect={() => menu.ask("share")}>
                <Share2 aria-hidden className="size-4" /> {t("Share …")}
              </DropdownMenu.Item>
            )}
            {mayChange && (
              <DropdownMenu.Item className={`${MENU_ITEM} sm:hidden`} onSelect={() => control.run(verb)}>
                <PauseIcon aria-hidden className="size-4" /> {label}
              </DropdownMenu.Item>
            )}
            {control !== undefined && (
              <DropdownMenu.Item className={MENU_ITEM} onSelect={onFork}>
                <GitFork aria-hidden className="size-4" /> {t("Fork")}
              </DropdownMenu.Item>
            )}
            {control !== undefined && <LabelItems session={session} onLabel={() => menu.ask("label")} />}
            {mayChange && (
              <DropdownMenu.Item className={MENU_ITEM} onSelect={() => menu.ask("switch")}>
                <SlidersHorizontal aria-hidden className="size-4" /> {t("Change model or mode …")}
              </DropdownMenu.Item>
            )}
            {mayChange && mayRaise && (
              <DropdownMenu.Item className={MENU_ITEM} onSelect={() => menu.ask("budget")}>
                <Wallet aria-hidden className="size-4" /> {t("Change the limit …")}
              </DropdownMenu.Item>
            )}
            {mayChange && (
              <DropdownMenu.Item className={MENU_ITEM} onSelect={() => menu.ask("close")}>
                <CircleX aria-hidden className="size-4" /> {t("Close the session …")}
              </DropdownMenu.Item>
            )}
            {mayDelete && (
              <DropdownMenu.Item className={`${MENU_ITEM} text-bad`} onSelect={() => menu.ask("delete")}>
                <Trash2 aria-hidden className="size-4" /> {t("Delete …")}
              </DropdownMenu.Item>
            )}
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      <SessionDialog session={session} asked={menu.asked} onEnd={menu.end} />
    </>
  );
}

function LabelItems({ session, onLabel }: { readonly session: SessionView; readonly onLabel: () => void }): ReactNode {
  const { save } = useLabel(session.id);
  return (
    <>
      <DropdownMenu.Separator className={MENU_LINE} />
      <DropdownMenu.Item className={MENU_ITEM} onSelect={onLabel}>
        <Pencil aria-hidden className="size-4" /> {t("Rename and tag …")}
      </DropdownMenu.Item>
      <DropdownMenu.Item className={MENU_ITEM} onSelect={() => save({ archived: session.archived !== true })}>
        <Archive aria-hidden className="size-4" /> {session.archived === true ? t("Unarchive") : t("Archive")}
      </DropdownMenu.Item>
    </>
  );
}

function useCopyLink(): () => void {
  const tell = useTell();
  return () => {
    const { origin, pathname } = globalThis.location;
    void navigator.clipboard.writeText(origin + pathname).then(
      () => tell.ok(t("Link copied. It works for people with their own token.")),
      () => tell.bad(t("The browser blocked copying.")),
    );
  };
}
