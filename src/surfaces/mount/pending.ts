import { Failure, type Approval, type SessionView } from "../../protocol/index.ts";
import type { Caller, Gateway } from "../../sessions/index.ts";

/** A session's open questions, the oldest first. One that is not on the disk yet does not count as asked. */
export async function pendingOf(
  gateway: Gateway,
  caller: Caller,
  { pending_approvals }: Pick<SessionView, "pending_approvals">,
): Promise<readonly Approval[]> {
  const found = await Promise.all(pending_approvals.map((id) => gateway.approvals.get(caller, id).catch(notYet)));
  return found.flatMap((approval) => (approval?.status === "pending" ? [approval] : []));
}

function notYet(error: unknown): undefined {
  if (error instanceof Failure && error.code === "not_found") return undefined;
  throw error;
}
