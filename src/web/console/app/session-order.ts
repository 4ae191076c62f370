import type { SessionView } from "../../../protocol/index.ts";

/** Those that wait for a person first, then those with something unread, then those at work; the last changed first. */
export function inGlanceOrder(
  sessions: readonly SessionView[],
  isUnread: (session: SessionView) => boolean,
): readonly SessionView[] {
  const rank = (session: SessionView): number => {
    if (session.pending_approvals.length > 0) return 0;
    if (session.expired_approvals !== undefined) return 1;
    if (isUnread(session)) return 2;
    return session.status === "working" || session.status === "queued" ? 3 : 4;
  };
  return sessions.toSorted((one, other) => rank(one) - rank(other) || (one.updated_at < other.updated_at ? 1 : -1));
}
