import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { SessionView } from "../../../protocol/index.ts";
import { titleOf } from "../../ui/words.tsx";
import { useTell } from "../../ui/toasts.tsx";
import { announce } from "./announcer.tsx";
import { KEYS, useFeed, usePendingApprovals } from "./feed.tsx";
import { NewsReader, questionNews, type News } from "./news.ts";
import { usePageTitle } from "../../ui/app/page-title.ts";
import { useSettings } from "../../ui/app/settings.ts";

const NAME = "Sallyport";

/** The tab's title shows the number of open questions and the page's name. */
export function useTabTitle(waiting: number): void {
  const { title } = usePageTitle();
  useEffect(() => {
    const name = title === "" ? NAME : `${title} · ${NAME}`;
    document.title = waiting === 0 ? name : `(${String(waiting)}) ${name}`;
  }, [waiting, title]);
}

/** Follows the feed: news is read out, and shown as a browser notification if the person allows it and looks elsewhere. */
export function useNews(): void {
  const tell = useTell();
  const queries = useQueryClient();
  const { approvals, isPending } = usePendingApprovals();
  const [reader] = useState(() => new NewsReader());
  const known = useRef<ReadonlySet<string> | undefined>(undefined);
  const hear = (news: News): void => {
    announce(news.words);
    if (news.kind === "expired") tell.warn(news.words);
    const { notify: wanted, push } = useSettings.getState();
    // Where the server tells this browser, it says it too.
    if (!document.hasFocus() && wanted && !push)
      notify(news, queries.getQueryData<SessionView>(KEYS.session(news.sessionId)));
  };
  useFeed(reader, hear);
  useEffect(() => {
    // Not loaded yet: earlier questions are no news.
    if (isPending) return;
    for (const approval of approvals) reader.asked(approval);
    const before = known.current;
    known.current = new Set(approvals.map(({ id }) => id));
    if (before === undefined) return;
    for (const approval of approvals) if (!before.has(approval.id)) hear(questionNews(approval));
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only a changed list is news
  }, [approvals, isPending]);
}

function notify({ kind, words, sessionId, approvalId }: News, session: SessionView | undefined): void {
  if (!("Notification" in globalThis) || Notification.permission !== "granted") return;
  const body = kind === "ended" || session === undefined ? "" : titleOf(session);
  const note = new Notification(words, { body, tag: approvalId ?? sessionId });
  note.addEventListener("click", () => {
    globalThis.focus();
    const isOpen = kind === "question" && approvalId !== undefined;
    globalThis.location.assign(
      isOpen ? `/approvals?id=${encodeURIComponent(approvalId)}` : `/sessions/${encodeURIComponent(sessionId)}`,
    );
  });
}

/** The browser asks the person once and remembers the answer. */
export async function permitNotifications(wanted: boolean): Promise<void> {
  const granted = wanted && "Notification" in globalThis && (await Notification.requestPermission()) === "granted";
  useSettings.getState().set({ notify: granted });
}
