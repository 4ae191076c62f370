import type { Approval } from "../../../../protocol/index.ts";

/** Whether it can be answered together with others: a plain yes is enough, and all of it is shown. */
export function isBatchable({ preview, not_approvable, outdated }: Approval): boolean {
  const hasForm = preview.type === "question" || preview.type === "budget" || preview.type === "changes";
  return !hasForm && not_approvable === undefined && outdated !== true;
}

interface ApprovalGroup {
  readonly sessionId: string;
  readonly approvals: readonly Approval[];
}

/** Groups questions by session; the session with the oldest question comes first. */
export function bySession(approvals: readonly Approval[]): readonly ApprovalGroup[] {
  const groups = new Map<string, Approval[]>();
  for (const approval of approvals) {
    const mine = groups.get(approval.session_id);
    if (mine === undefined) groups.set(approval.session_id, [approval]);
    else mine.push(approval);
  }
  return [...groups].map(([sessionId, mine]) => ({ sessionId, approvals: mine }));
}
