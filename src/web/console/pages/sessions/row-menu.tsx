import { Link } from "@tanstack/react-router";
import {
  Archive,
  ArrowRight,
  CircleX,
  Copy,
  GitFork,
  Pause,
  Pencil,
  Play,
  Trash2,
  type LucideIcon,
} from "lucide-react";
import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useMay } from "../../../ui/app/connection.tsx";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import type { MenuButton } from "../../../ui/menu-on-demand.tsx";
import { MENU, MENU_ITEM, MENU_LINE, useMenuQuestion } from "../../../ui/menu.ts";
import { titleOf } from "../../../ui/words.tsx";
import { useLabel } from "../session/label-dialog.tsx";
import { SessionDialog, type SessionQuestion } from "../session/session-dialog.tsx";
import { isEnded, type SessionActions } from "./data.ts";
import { t } from "../../../ui/language/t.ts";

/** The menu of a row, open from the beginning: nobody needs it before. */
export function OpenRowMenu({
  session,
  actions,
  button,
}: {
  readonly session: SessionView;
  readonly actions: SessionActions;
  readonly button: MenuButton;
}): ReactNode {
  const question = useMenuQuestion<SessionQuestion>();
  const mayControl = actions.mayControl(session);
  const mayDelete = useMay("session.delete");
  const { save } = useLabel(session.id);
  const paused = session.status === "paused";
  return (
    <>
      <DropdownMenu.Root modal={false} defaultOpen>
        <DropdownMenu.Trigger asChild>{button}</DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            className={MENU}
            onCloseAutoFocus={question.onCloseAutoFocus}
          >
            <DropdownMenu.Item asChild className={MENU_ITEM}>
              <Link to="/sessions/$sessionId" params={{ sessionId: session.id }}>
                <ArrowRight aria-hidden className="size-4 text-faint" /> {t("Open")}
              </Link>
            </DropdownMenu.Item>
            {mayControl && <MenuAction icon={GitFork} label={t("Fork")} onDo={() => actions.fork(session)} />}
            {mayControl && !isEnded(session) && (
              <>
                <MenuAction
                  icon={paused ? Play : Pause}
                  label={paused ? t("Resume") : t("Pause")}
                  onDo={() => actions.control(session, paused ? "resume" : "pause")}
                />
                <DropdownMenu.Separator className={MENU_LINE} />
                <MenuAction icon={CircleX} label={t("Close …")} onDo={() => question.ask("close")} />
              </>
            )}
            <DropdownMenu.Separator className={MENU_LINE} />
            {mayControl && (
              <>
                <MenuAction icon={Pencil} label={t("Rename and tag …")} onDo={() => question.ask("label")} />
                <MenuAction
                  icon={Archive}
                  label={session.archived === true ? t("Unarchive") : t("Archive")}
                  onDo={() => save({ archived: session.archived !== true })}
                />
              </>
            )}
            {mayDelete && <MenuAction icon={Trash2} label={t("Delete …")} onDo={() => question.ask("delete")} />}
            <MenuAction icon={Copy} label={t("Copy ID")} onDo={() => actions.copyId(session)} />
          </DropdownMenu.Content>
        </DropdownMenu.Portal>
      </DropdownMenu.Root>
      {question.asked !== "close" && <SessionDialog session={session} asked={question.asked} onEnd={question.end} />}
      <CloseQuestion
        session={session}
        open={question.asked === "close"}
        onAnswer={(yes) => {
          question.end();
          if (yes) actions.control(session, "close");
        }}
      />
    </>
  );
}

function MenuAction({
  icon: Icon,
  label,
  onDo,
}: {
  readonly icon: LucideIcon;
  readonly label: string;
  readonly onDo: () => void;
}): ReactNode {
  return (
    <DropdownMenu.Item className={MENU_ITEM} onSelect={onDo}>
      <Icon aria-hidden className="size-4 text-faint" /> {label}
    </DropdownMenu.Item>
  );
}

function CloseQuestion({
  session,
  open,
  onAnswer,
}: {
  readonly session: SessionView;
  readonly open: boolean;
  readonly onAnswer: (yes: boolean) => void;
}): ReactNode {
  return (
    <Dialog
      open={open}
      onClose={() => onAnswer(false)}
      title={t("Close this session?")}
      description={t("Stops the turn and all processes. You can still read it and continue in a fork.")}
    >
      <p dir="auto" className="line-clamp-3 rtl:text-right rounded-lg bg-sunken px-3 py-2 text-sm break-words">
        {titleOf(session)}
      </p>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={() => onAnswer(false)}>{t("Cancel")}</Button>
        <Button variant="danger" onClick={() => onAnswer(true)}>
          {t("Close session")}
        </Button>
      </div>
    </Dialog>
  );
}
