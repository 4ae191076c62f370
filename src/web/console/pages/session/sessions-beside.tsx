import { Link } from "@tanstack/react-router";
import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useEffect, type ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { useSettings } from "../../../ui/app/settings.ts";
import { Button } from "../../../ui/button.tsx";
import { classes } from "../../../ui/classes.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { useHasBothSides } from "../../../ui/media.ts";
import { Skeleton } from "../../../ui/states.tsx";
import { visible } from "../../../ui/visible.ts";
import { titleOf } from "../../../ui/words.tsx";
import { isUnread, useReadMarks } from "../../app/read-marks.ts";
import { inGlanceOrder } from "../../app/session-order.ts";
import { useSessions } from "../sessions/data.ts";
import { State } from "../sessions/row-parts.tsx";
import { t } from "../../../ui/language/t.ts";

/** The open session counts as read, now and when its next turn ends. */
export function useMarkRead(session: SessionView): void {
  const { me } = useConnection();
  const mark = useReadMarks((marks) => marks.mark);
  const { id, turns } = session;
  useEffect(() => mark(me.id, { id, turns }), [mark, me.id, id, turns]);
}

/** The other sessions, beside the conversation: those that wait first. It can be folded away. */
export function SessionsBeside({ current }: { readonly current: string }): ReactNode {
  const { sessionsBeside: isOpen, set } = useSettings();
  const Icon = isOpen ? PanelLeftClose : PanelLeftOpen;
  if (!useHasBothSides()) return undefined;
  return (
    <aside
      aria-label={t("Sessions")}
      className={classes("flex shrink-0 flex-col border-e bg-panel", isOpen ? "w-60" : "w-12")}
    >
      <div className="flex h-12 items-center justify-between gap-2 px-2">
        {isOpen && <h2 className="px-1 text-sm font-semibold">{t("Sessions")}</h2>}
        <Button
          size="icon"
          variant="quiet"
          aria-label={isOpen ? t("Hide the sessions") : t("Show the sessions")}
          aria-expanded={isOpen}
          onClick={() => set({ sessionsBeside: !isOpen })}
        >
          <Icon aria-hidden className="size-5" />
        </Button>
      </div>
      {isOpen && (
        <div className="min-h-0 flex-1 overflow-y-auto px-2 pb-3">
          <GlanceList current={current} />
        </div>
      )}
    </aside>
  );
}

/** The same where there is no room beside the conversation. */
export function SessionsDrawer({
  current,
  open,
  onClose,
}: {
  readonly current: string;
  readonly open: boolean;
  readonly onClose: () => void;
}): ReactNode {
  return (
    <Dialog open={open} onClose={onClose} title={t("Sessions")}>
      <GlanceList current={current} onPick={onClose} />
    </Dialog>
  );
}

function GlanceList({ current, onPick }: { readonly current: string; readonly onPick?: () => void }): ReactNode {
  const { me } = useConnection();
  const marks = useReadMarks(({ turns }) => turns);
  const { sessions, isPending, hasNextPage } = useSessions({ archived: false });
  if (isPending) return <Skeleton className="h-40" />;
  const unread = (session: SessionView): boolean => session.id !== current && isUnread(marks, me.id, session);
  return (
    <nav aria-label={t("Sessions")}>
      <ul className="space-y-0.5">
        {inGlanceOrder(sessions, unread).map((session) => (
          <li key={session.id}>
            <Link
              to="/sessions/$sessionId"
              params={{ sessionId: session.id }}
              aria-current={session.id === current ? "page" : undefined}
              onClick={onPick}
              className={classes(
                "block rounded-lg px-2.5 py-2 text-sm hover:bg-sunken",
                session.id === current && "bg-accent-soft!",
              )}
            >
              <span className="flex items-center gap-2">
                {unread(session) && (
                  <span className="size-2 shrink-0 rounded-full bg-accent">
                    <span className="sr-only">{t("Unread:")} </span>
                  </span>
                )}
                <span
                  dir="auto"
                  className={classes("min-w-0 flex-1 truncate rtl:text-right", unread(session) && "font-semibold")}
                >
                  {visible(titleOf(session))}
                </span>
              </span>
              <span className="mt-0.5 flex flex-wrap items-center gap-1">
                <State session={session} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <Link to="/sessions" className="block px-2.5 py-2 text-sm text-accent underline" onClick={onPick}>
          {t("All sessions")}
        </Link>
      )}
    </nav>
  );
}
