import { SYSTEM } from "../../protocol/index.ts";
import { auditRow } from "../access/access.ts";
import type { Session } from "../core/session.ts";

/** The time for an answer is over. */
export async function expireQuestion(session: Session, approval_id: string): Promise<void> {
  const audit = [auditRow(session.dependencies, SYSTEM, { action: "approval.timeout", target: approval_id })];
  // Somebody may have answered at the same moment: then nothing is left to do.
  await session.answer({ approval_id, outcome: "timed_out", by: SYSTEM }, { audit }).catch(() => undefined);
}
