import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection, useMay } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { t } from "../../../ui/language/t.ts";

const SESSIONS = 500;
const EACH_MS = 20_000;

/** The newest sessions, for their names and limits. */
interface NewestSessions {
  /** Empty until they are known. */
  readonly sessions: readonly SessionView[];
  readonly isKnown: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
}

export function useNewestSessions(): NewestSessions {
  const { client } = useConnection();
  const { data, error, refetch } = useQuery({
    queryKey: [...KEYS.usage, "sessions"],
    queryFn: async () => (await client.sessions({ limit: SESSIONS })).sessions,
    refetchInterval: EACH_MS,
  });
  return { sessions: data ?? [], isKnown: data !== undefined, error, refetch };
}

/** Names for principals, sessions and API keys that the caller may see; an unknown id stays as it is. */
export function useNames(sessions: readonly SessionView[]): (id: string) => string {
  const { client, me } = useConnection();
  const mayList = useMay("token.manage");
  const tokens = useQuery({ queryKey: KEYS.tokens, queryFn: () => client.tokens(), enabled: mayList });
  const known = tokens.data?.tokens;
  const mayListKeys = useMay("key.manage");
  const keys = useQuery({ queryKey: KEYS.apiKeys, queryFn: () => client.keys(), enabled: mayListKeys });
  const knownKeys = keys.data?.keys;
  return useMemo(() => {
    const names = new Map<string, string>();
    for (const { id, title, created_by } of sessions) {
      names.set(id, title === "" ? id : title);
      names.set(created_by.id, created_by.name);
    }
    for (const { id, name } of [...(known ?? []), ...(knownKeys ?? [])]) names.set(id, name);
    names.set(me.id, t("{name} (you)", { name: me.name }));
    return (id) => names.get(id) ?? (id === "" ? "none" : id);
  }, [sessions, known, knownKeys, me]);
}
