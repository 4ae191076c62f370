import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { SessionUsage, SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";

/** Reservations are not sent live: this is the polling interval while the session works. */
const WORKING_MS = 4_000;

/** The session's bill, reloaded when it has spent more, made more requests, or stopped working. */
export function useSessionUsage(session: SessionView): UseQueryResult<SessionUsage> {
  const { client } = useConnection();
  return useQuery({
    queryKey: [
      ...KEYS.sessionUsage(session.id),
      session.cost_microusd,
      session.usage.model_calls,
      session.status === "working",
    ],
    queryFn: () => client.sessionUsage(session.id),
    placeholderData: (before) => before,
    refetchInterval: session.status === "working" ? WORKING_MS : false,
  });
}
