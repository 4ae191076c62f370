import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { Approval, SessionView } from "../../../../protocol/index.ts";
import { useConnection } from "../../../ui/app/connection.tsx";
import { KEYS } from "../../app/feed.tsx";
import { ApprovalLine } from "./line.tsx";
import { t } from "../../../ui/language/t.ts";

const LOOKED_AT = 50;
const NONE: readonly Approval[] = [];

/** Questions of the last turn of each session that nobody answered in time. The next prompt, or asking again, ends them. */
export function useExpired(): readonly Approval[] {
  const { client } = useConnection();
  const { data = NONE } = useQuery({
    // Below the key of ended questions: the feed has it read again when one ends.
    queryKey: [...KEYS.approvals, "ended", "expired"],
    queryFn: async () => {
      const { approvals } = await client.approvals({ status: "timed_out", limit: LOOKED_AT });
      const ids = [...new Set(approvals.map(({ session_id }) => session_id))];
      const sessions = await Promise.all(ids.map((id) => client.session(id).catch(() => undefined)));
      return stillExpired(approvals, sessions);
    },
  });
  return data;
}

/** The newest of each session, as many as its last turn lost. */
function stillExpired(
  approvals: readonly Approval[],
  sessions: readonly (SessionView | undefined)[],
): readonly Approval[] {
  const left = new Map(
    sessions.flatMap((session) =>
      session === undefined || session.status === "complete" || session.status === "failed"
        ? []
        : [[session.id, session.expired_approvals ?? 0] as const],
    ),
  );
  return approvals.filter(({ session_id }) => {
    const count = left.get(session_id) ?? 0;
    left.set(session_id, count - 1);
    return count > 0;
  });
}

export function ExpiredLines({
  approvals,
  chosen,
}: {
  readonly approvals: readonly Approval[];
  readonly chosen: string | undefined;
}): ReactNode {
  if (approvals.length === 0) return null;
  return (
    <section aria-labelledby="expired" className="overflow-hidden rounded-xl border bg-raised">
      <h2 id="expired" className="border-b bg-panel px-3 py-1.5 text-xs font-medium text-warn">
        {t("Expired")}
      </h2>
      <ul className="divide-y">
        {approvals.map((approval) => (
          <li key={approval.id}>
            <ApprovalLine approval={approval} chosen={approval.id === chosen} show="pending">
              <span className="text-xs text-warn">{t("Nobody answered in time. Open it to ask again.")}</span>
            </ApprovalLine>
          </li>
        ))}
      </ul>
    </section>
  );
}
