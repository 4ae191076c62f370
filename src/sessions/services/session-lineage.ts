import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";
import type { Segment } from "../core/state.ts";

/** The sessions whose budget a child of this one draws on. */
export function heirOf({ state }: Session): readonly string[] {
  if (state.ancestors.length >= LIMITS.forkDepth)
    throw new Failure(
      "limit_reached",
      `a chain of sessions that share a budget can be ${LIMITS.forkDepth} long at most`,
    );
  return [...state.ancestors, state.id];
}

/** The parent's journal up to `seq`, as ranges of the sessions that wrote it. */
export function inherited(parent: Session, seq: number): readonly Segment[] {
  const { id, lineage } = parent.state;
  if (parent.deleted) throw new Failure("not_found", `there is no session ${id}`);
  const own: Segment = { session_id: id, after: lineage.at(-1)?.upto ?? 0, upto: seq };
  const segments = [...lineage, own]
    .map(({ session_id, after, upto }) => ({ session_id, after, upto: Math.min(upto, seq) }))
    .filter((segment) => segment.after < segment.upto);
  if (segments.length > LIMITS.forkDepth)
    throw new Failure("limit_reached", `forks go ${LIMITS.forkDepth} deep at most`);
  return segments;
}
