import { useQuery, useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { SallyportClient, SessionListFilter } from "../../../client/index.ts";
import type { Approval, FeedFrame, SessionView } from "../../../protocol/index.ts";
import { useConnection } from "../../ui/app/connection.tsx";
import type { News, NewsReader } from "./news.ts";
import { noteRefusal } from "./signed-out.ts";
import { withSession, type SessionPages } from "./session-lists.ts";

/** Query keys; the feed keeps the first three up to date while they are shown. */
export const KEYS = {
  sessions: ["sessions"],
  session: (id: string) => ["session", id],
  changes: (id: string) => ["changes", id],
  approvals: ["approvals"],
  approval: (id: string) => ["approval", id],
  usage: ["usage"],
  sessionUsage: (id: string) => ["session-usage", id],
  shares: (id: string) => ["shares", id],
  sessionMcpServers: (id: string) => ["session-mcp", id],
  policy: ["policy"],
  providers: ["providers"],
  engines: ["engines"],
  templates: ["templates"],
  workers: ["workers"],
  tokens: ["tokens"],
  notifications: ["notifications"],
  apiKeys: ["api-keys"],
  audit: ["audit"],
  tunnels: ["tunnels"],
  longRuns: ["long-runs"],
  schedules: ["schedules"],
  webhooks: ["webhooks"],
  mcpLogins: ["mcp-logins"],
} as const;

const PENDING = 1_000;
const NONE: readonly Approval[] = [];

export function pendingApprovals(client: SallyportClient) {
  return {
    queryKey: [...KEYS.approvals, "pending"],
    queryFn: async () => inOrder((await client.approvals({ status: "pending", limit: PENDING })).approvals),
  };
}

/** Everything that waits for a person, oldest first, always up to date. */
export function usePendingApprovals(): {
  readonly approvals: readonly Approval[];
  readonly isPending: boolean;
  readonly error: Error | null;
} {
  const { client } = useConnection();
  const { data, isPending, error } = useQuery(pendingApprovals(client));
  return { approvals: data ?? NONE, isPending, error };
}

/** In the order of asking; ids of the same moment also increase. */
function inOrder(approvals: readonly Approval[]): readonly Approval[] {
  return approvals.toSorted((one, other) => compare(one.created_at, other.created_at) || compare(one.id, other.id));
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Follows the feed as long as the console is open. */
export function useFeed(reader: NewsReader, onNews: (news: News) => void): void {
  const { live } = useConnection();
  const queries = useQueryClient();
  const latest = useRef(onNews);
  useEffect(() => {
    latest.current = onNews;
  });
  useEffect(() => {
    const stop = new AbortController();
    void (async () => {
      for await (const frame of live.feed({ signal: stop.signal })) {
        take(queries, frame);
        const news = frame.type === "feed.opened" ? undefined : reader.read(frame);
        if (news !== undefined) latest.current(news);
      }
    })().catch(noteRefusal);
    return () => stop.abort();
  }, [live, queries, reader]);
}

function take(queries: QueryClient, frame: FeedFrame | { readonly type: "feed.opened" }): void {
  switch (frame.type) {
    case "feed.opened":
      void queries.invalidateQueries({ queryKey: KEYS.sessions });
      void queries.invalidateQueries({ queryKey: KEYS.approvals });
      void queries.invalidateQueries({ queryKey: ["session"] });
      return;
    case "session.changed":
      sessionChanged(queries, frame.session);
      return;
    case "approval.changed":
      approvalChanged(queries, frame.approval);
  }
}

/** The last part of a session list's key is its filter. */
export function sessionChanged(queries: QueryClient, session: SessionView): void {
  const known = queries.getQueryData<SessionView>(KEYS.session(session.id));
  // An answer that was under way while the feed reported something newer.
  if (known !== undefined && known.seq > session.seq) return;
  queries.setQueryData(KEYS.session(session.id), session);
  for (const [key, data] of queries.getQueriesData<SessionPages>({ queryKey: KEYS.sessions })) {
    const filter = (key[KEYS.sessions.length] ?? {}) as SessionListFilter;
    if (data?.pages !== undefined) queries.setQueryData(key, withSession(data, filter, session));
  }
}

function approvalChanged(queries: QueryClient, approval: Approval): void {
  queries.setQueryData(KEYS.approval(approval.id), approval);
  queries.setQueryData<readonly Approval[]>([...KEYS.approvals, "pending"], (pending) => {
    if (pending === undefined) return pending;
    const others = pending.filter(({ id }) => id !== approval.id);
    return approval.status === "pending" ? inOrder([...others, approval]) : others;
  });
  if (approval.status !== "pending") void queries.invalidateQueries({ queryKey: [...KEYS.approvals, "ended"] });
}
