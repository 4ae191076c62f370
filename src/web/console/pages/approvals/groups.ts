import type { Approval } from "../../../../protocol/index.ts";

interface ApprovalGroup {
  readonly sessionId: string;
  readonly approvals: readonly Approval[];
}

/** Questions of one session stand together; the session whose question is oldest comes first. */
export function bySession(approvals: readonly Approval[]): readonly ApprovalGroup[] {
  const groups = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const mine = groups.get(approval.session_id);
    if (mine === undefined) groups.set(approval.session_id, [approval]);
    else mine.push(approval);
  }
  return [...groups].map(([sessionId, mine]) => ({ sessionId, approvals: mine }));
}
