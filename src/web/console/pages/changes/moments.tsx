import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { GitFork, History } from "lucide-react";
import type { ReactNode } from "react";
import type { SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { visible } from "../../../ui/visible.ts";
import { KEYS } from "../../app/feed.tsx";
import { locale, t } from "../../../ui/language/t.ts";

/** The moments whose files are known. Each leads to what changed since, from where it can be undone. */
export function Moments({ session }: { readonly session: SessionView }): ReactNode {
  const { client } = useConnection();
  const { data } = useQuery({
    queryKey: [...KEYS.changes(session.id), "moments", session.turns],
    queryFn: () => client.reviews.moments(session.id),
    staleTime: 0,
  });
  const parent = session.forked_from?.session_id;
  const moments = data?.moments ?? [];
  if (moments.length === 0 && parent === undefined) return null;
  return (
    <details className="rounded-lg border bg-raised">
      <summary className="cursor-pointer px-3 py-2 text-sm font-medium">
        {t("Go back to an earlier turn, or compare with a fork")}
      </summary>
      <ul className="divide-y border-t text-sm">
        {moments.toReversed().map(({ id, at, title }) => (
          <li key={id}>
            <Link
              to="/sessions/$sessionId/compare"
              params={{ sessionId: session.id }}
              search={{ with: id }}
              className="flex items-center gap-2 px-3 py-2 hover:bg-sunken"
            >
              <History aria-hidden className="size-4 shrink-0 text-soft" />
              <span className="min-w-0 flex-1 truncate">
                {id === "start" ? t("Before the first change") : t("After “{title}”", { title: visible(title) })}
              </span>
              <time dateTime={at} className="shrink-0 text-faint">
                {new Date(at).toLocaleTimeString(locale)}
              </time>
            </Link>
          </li>
        ))}
        {parent !== undefined && (
          <li>
            <Link
              to="/sessions/$sessionId/compare"
              params={{ sessionId: session.id }}
              search={{ with: parent }}
              className="flex items-center gap-2 px-3 py-2 hover:bg-sunken"
            >
              <GitFork aria-hidden className="size-4 shrink-0 text-soft" />{" "}
              {t("The session that this one was forked from")}
            </Link>
          </li>
        )}
        {data?.note !== undefined && <li className="px-3 py-2 text-soft">{visible(data.note)}</li>}
      </ul>
    </details>
  );
}
