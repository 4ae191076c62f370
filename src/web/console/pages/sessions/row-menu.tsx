import { Link } from "@tanstack/react-router";
import {
  Archive,
  ArrowRight,
  CircleX,
  Copy,
  Ellipsis,
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
import { MENU, MENU_ITEM, MENU_LINE, useMenuQuestion } from "../../../ui/menu.ts";
import { titleOf } from "../../../ui/words.tsx";
import { useLabel } from "../session/label-dialog.tsx";
import { SessionDialog, type SessionQuestion } from "../session/session-dialog.tsx";
import { isEnded, type SessionActions } from "./data.ts";

export function RowMenu({
  session,
  actions,
}: {
  readonly session: SessionView;
  readonly actions: SessionActions;
}): ReactNode {
  const question = useMenuQuestion<SessionQuestion>();
  const mayControl = actions.mayControl(session);
  const mayDelete = useMay("session.delete");
  const { save } = useLabel(session.id);
  const paused = session.status === "paused";
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button
            variant="quiet"
            size="icon"
            className="relative z-10 size-8! p-0"
            aria-label={`Actions for ${titleOf(session)}`}
          >
            <Ellipsis aria-hidden className="size-4" />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Portal>
          <DropdownMenu.Content
            align="end"
            sideOffset={4}
            className={MENU}
            onCloseAutoFocus={question.onCloseAutoFocus}
          >
            <DropdownMenu.Item asChild className={MENU_ITEM}>
              <Link to="/sessions/$sessionId" params={{ sessionId: session.id }}>
                <ArrowRight aria-hidden className="size-4 text-faint" /> Open
              </Link>
            </DropdownMenu.Item>
            {mayControl && <MenuAction icon={GitFork} label="Fork" onDo={() => actions.fork(session)} />}
            {mayControl && !isEnded(session) && (
              <>
                <MenuAction
                  icon={paused ? Play : Pause}
                  label={paused ? "Resume" : "Pause"}
                  onDo={() => actions.control(session, paused ? "resume" : "pause")}
                />
                <DropdownMenu.Separator className={MENU_LINE} />
                <MenuAction icon={CircleX} label="Close …" onDo={() => question.ask("close")} />
              </>
            )}
            <DropdownMenu.Separator className={MENU_LINE} />
            {mayControl && (
              <>
                <MenuAction icon={Pencil} label="Rename and tag …" onDo={() => question.ask("label")} />
                <MenuAction
                  icon={Archive}
                  label={session.archived === true ? "Unarchive" : "Archive"}
                  onDo={() => save({ archived: session.archived !== true })}
                />
              </>
            )}
            {mayDelete && <MenuAction icon={Trash2} label="Delete …" onDo={() => question.ask("delete")} />}
            <MenuAction icon={Copy} label="Copy ID" onDo={() => actions.copyId(session)} />
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
      title="Close this session?"
      description="Stops the turn and all processes. You can still read it and continue in a fork."
    >
      <p className="line-clamp-3 rounded-lg bg-sunken px-3 py-2 text-sm break-words">{titleOf(session)}</p>
      <div className="mt-5 flex justify-end gap-2">
        <Button onClick={() => onAnswer(false)}>Cancel</Button>
        <Button variant="danger" onClick={() => onAnswer(true)}>
          Close session
        </Button>
      </div>
    </Dialog>
  );
}
