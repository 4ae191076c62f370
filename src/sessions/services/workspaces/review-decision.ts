import { Failure, ReviewAnswer, type Approval, type Decision } from "../../../protocol/index.ts";
import { auditRow, authorize, type Caller } from "../../access/access.ts";
import type { Session } from "../../core/session.ts";
import { reviewAgain } from "../../permission/change-review.ts";
import type { ChangeService } from "./change-service.ts";

interface ReviewDecision {
  readonly caller: Caller;
  readonly session: Session;
  readonly approval: Approval;
  readonly decision: Decision;
}

const APPLY: ReviewAnswer = { action: "apply" };

/**
 * A person's answer to a review of a session's changes. Yes applies them, or does what `updated_input` names. No leaves them where they
 * are: nothing is lost, and the next turn that changes something asks again.
 */
export async function decideReview(
  changes: ChangeService,
  { caller, session, approval, decision }: ReviewDecision,
): Promise<void> {
  const { scope, rule, interrupt, hold_queue, feedback, updated_input } = decision;
  if (scope === "session" || rule !== undefined || interrupt !== undefined || hold_queue !== undefined)
    throw new Failure("invalid_request", "a review is answered once; leave scope, rule, interrupt and hold_queue out");
  authorize(caller, "changes.decide");
  const { id, session_id } = approval;
  if (decision.decision === "reject") {
    if (updated_input !== undefined)
      throw new Failure("invalid_request", "updated_input belongs to an approval, not to a rejection");
    const details = { session_id, tool: approval.tool, decision: "reject", feedback };
    const audit = [auditRow(session.dependencies, caller, { action: "approval.decide", target: id, details })];
    const by = { id: caller.id, name: caller.name, role: caller.role };
    await session.answer({ approval_id: id, outcome: "rejected", by, feedback }, { audit });
    return;
  }
  const answer = answerOf(updated_input);
  const chosen = { revision: String(approval.input["revision"]), review: id };
  try {
    await act(changes, caller, { session_id, answer, chosen });
  } catch (error) {
    if (error instanceof Failure && (error.code === "input_changed" || error.code === "conflict"))
      await askAnew(session);
    throw error;
  }
}

function answerOf(updated_input: Decision["updated_input"]): ReviewAnswer {
  if (updated_input === undefined) return APPLY;
  const parsed = ReviewAnswer.safeParse(updated_input);
  if (parsed.success) return parsed.data;
  throw new Failure(
    "invalid_request",
    "updated_input of a review is {action: apply}, {action: discard}, or {action: commit, branch, message}",
    parsed.error.issues.map(({ path, message }) => ({ path: path.join("."), message })),
  );
}

interface ReviewAction {
  readonly session_id: string;
  readonly answer: ReviewAnswer;
  readonly chosen: { readonly revision: string; readonly review: string };
}

async function act(
  changes: ChangeService,
  caller: Caller,
  { session_id, answer, chosen }: ReviewAction,
): Promise<void> {
  const { action, branch, message } = answer;
  switch (action) {
    case "apply":
      await changes.apply(caller, session_id, chosen);
      return;
    case "discard":
      await changes.discard(caller, session_id, chosen);
      return;
    case "commit":
      if (branch === undefined || message === undefined)
        throw new Failure("invalid_request", "a commit needs branch and message in updated_input");
      await changes.commit(caller, session_id, { ...chosen, branch, message });
  }
}

/** What was shown is no longer what there is: another question shows it as it is now. */
async function askAnew(session: Session): Promise<void> {
  if (session.state.turn !== undefined) return;
  await reviewAgain(session).catch((error: unknown) => {
    session.dependencies.log.warn({ session: session.state.id, err: error }, "a review could not be asked again");
  });
}
