import type { QueryClient } from "@tanstack/react-query";
import type { SallyportClient, SessionListFilter } from "../../../client/index.ts";
import type { SessionView } from "../../../protocol/index.ts";
import { KEYS } from "./feed.tsx";
import type { SessionPages } from "./session-lists.ts";

const PAGE = 50;

/** How a list of sessions is read: in pages, newest first. */
export function sessionPages(client: SallyportClient, queries: QueryClient, filter: SessionListFilter) {
  return {
    queryKey: [...KEYS.sessions, filter],
    queryFn: async ({ pageParam }: { readonly pageParam: string }): Promise<SessionPages["pages"][number]> => {
      const { sessions, next } = await client.sessions({
        ...filter,
        limit: PAGE,
        ...(pageParam === "" ? {} : { cursor: pageParam }),
      });
      return { sessions: sessions.map((one) => newest(queries, one)), ...(next === undefined ? {} : { next }) };
    },
    initialPageParam: "",
    getNextPageParam: ({ next }: SessionPages["pages"][number]) => next,
  };
}

/** The feed may have reported something newer while the list was loading. */
function newest(queries: QueryClient, session: SessionView): SessionView {
  const known = queries.getQueryData<SessionView>(KEYS.session(session.id));
  return known !== undefined && known.seq > session.seq ? known : session;
}
