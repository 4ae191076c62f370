import { useInfiniteQuery, useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { SessionListFilter } from "../../../../client/index.ts";
import { STATUSES, type SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { sessionChanged } from "../../app/feed.tsx";
import { flat, type SessionPages } from "../../app/session-lists.ts";
import { sessionPages } from "../../app/session-pages.ts";
import { wordsOf } from "../../../ui/states.tsx";
import { useTell } from "../../../ui/toasts.tsx";
import { t } from "../../../ui/language/t.ts";

/** The search in the address; absent or unknown: no filter. */
export interface SessionSearch {
  readonly q?: string;
  readonly status?: string;
  readonly engine?: string;
  readonly tag?: string;
  readonly folder?: string;
  /** A day, such as 2026-11-17. */
  readonly since?: string;
  /** `yes`: only those in the archive. Absent: only the others. */
  readonly archived?: string;
}

export function filterOf({ q, status, engine, tag, folder, since, archived }: SessionSearch): SessionListFilter {
  const known = STATUSES.find((one) => one === status);
  return {
    ...(known === undefined ? {} : { status: known }),
    ...(q === undefined ? {} : { search: q }),
    ...(engine === undefined ? {} : { engine }),
    ...(tag === undefined ? {} : { tag }),
    ...(folder === undefined ? {} : { workspace: folder }),
    ...(since === undefined || Number.isNaN(Date.parse(since)) ? {} : { from: new Date(since).toISOString() }),
    archived: archived === "yes",
  };
}

/** The matching sessions, in pages, newest first; the feed keeps them up to date. */
export function useSessions(filter: SessionListFilter) {
  const { client } = useConnection();
  const queries = useQueryClient();
  const query = useInfiniteQuery<SessionPages["pages"][number], Error, SessionPages, readonly unknown[], string>({
    ...sessionPages(client, queries, filter),
    // The old results stay until the next search is answered.
    placeholderData: (before) => before,
  });
  return { ...query, sessions: flat(query.data) };
}

export interface SessionActions {
  readonly control: (session: SessionView, verb: "pause" | "resume" | "close") => void;
  readonly fork: (session: SessionView) => void;
  readonly copyId: (session: SessionView) => void;
  readonly mayControl: (session: SessionView) => boolean;
}

const DONE = { pause: t("Paused"), resume: t("Resumed"), close: t("Closed") } as const;

/** What can be done with a session from the list. */
export function useSessionActions(): SessionActions {
  const { client, me } = useConnection();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const tell = useTell();
  const onError = (error: Error): void => tell.bad(wordsOf(error));
  const control = useMutation({
    mutationFn: ({ id, verb }: { readonly id: string; readonly verb: keyof typeof DONE }) => client.control(id, verb),
    onSuccess: (session, { verb }) => {
      sessionChanged(queries, session);
      tell.ok(DONE[verb]);
    },
    onError,
  });
  const fork = useMutation({
    mutationFn: (id: string) => client.fork(id),
    onSuccess: async (session) => {
      sessionChanged(queries, session);
      await navigate({ to: "/sessions/$sessionId", params: { sessionId: session.id } });
    },
    onError,
  });
  const copyId = async ({ id }: SessionView): Promise<void> => {
    await navigator.clipboard.writeText(id);
    tell.ok(t("ID copied"));
  };
  return {
    control: ({ id }, verb) => control.mutate({ id, verb }),
    fork: ({ id }) => fork.mutate(id),
    // Browsers allow clipboard access only on https and localhost.
    copyId: (session) =>
      void copyId(session).catch(() => tell.bad(t("The browser blocked copying: {id}", { id: session.id }))),
    mayControl: ({ created_by }) => {
      const scope = me.rights["session.control"];
      return scope === "all" || (scope === "own" && created_by.id === me.id);
    },
  };
}

export const isEnded = ({ status }: SessionView): boolean => status === "complete" || status === "failed";
