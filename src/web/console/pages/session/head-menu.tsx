import {
  Archive,
  CircleX,
  Download,
  GitFork,
  Link2,
  Pencil,
  Search,
  Share2,
  SlidersHorizontal,
  Trash2,
  Wallet,
} from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import type { MenuButton } from "../../../ui/menu-on-demand.tsx";
import { MENU, MENU_ITEM, MENU_LINE, useMenuQuestion } from "../../../ui/menu.ts";
import { useTell } from "../../../ui/toasts.tsx";
import { hasEnded, pauseOf } from "./head-words.ts";
import { useLabel } from "./label-dialog.tsx";
import { SessionDialog, type SessionQuestion } from "./session-dialog.tsx";
import type { SessionControl } from "./use-control.ts";
import { t } from "../../../ui/language/t.ts";

export interface HeadMenuProps {
  readonly session: SessionView;
  readonly onFork: () => void;
  readonly onFind: () => void;
  /** Absent: only for reading. */
  readonly control: SessionControl | undefined;
  readonly button: MenuButton;
}

/** What else can be done with a session. Open from the beginning: nobody needs it before. */
export function HeadMenu({ session, onFork, onFind, control, button }: HeadMenuProps): ReactNode {
  const menu = useMenuQuestion<SessionQuestion>();
  const copyLink = useCopyLink();
  const mayRaise = useMay("budget.raise");
  const mayShare = useMay("session.share");
  const mayDelete = useMay("session.delete");
  const mayChange = control !== undefined && !hasEnded(session);
  const { icon: PauseIcon, verb, label } = pauseOf(session);
  return (
    <>
      <DropdownMenu.Root modal={false} defaultOpen>
        <DropdownMenu.Trigger asChild>{button}</DropdownMenu.Trigger>
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
