import type { Approval } from "../../sessions/approvals.ts";
import type { EventBody, JournalEvent } from "../../journal/events.ts";
import { LIMITS } from "../../limits.ts";
import type { AnswerRow, CompatRow, QuestionRow } from "./rows.ts";

const encoder = new TextEncoder();

/** A question to a person. `approval.answer` must name its id and hash. */
export function questionRow(approval: Approval): QuestionRow {
  const { id, tool_use_id, tool, tier, reason, warnings, input, input_hash, not_approvable, expires_at } = approval;
  // Who answers must have seen all of it: a part would be worse than nothing.
  const fits = encoder.encode(JSON.stringify(input)).length <= LIMITS.bridgeOutputBytes;
  return {
    type: "approval.requested",
    approval: {
      id,
      item_id: tool_use_id,
      tool,
      tier,
      ...(fits ? { input } : {}),
      reason,
      warnings,
      input_hash,
      ...(not_approvable === undefined ? {} : { not_approvable }),
      ...(expires_at === undefined ? {} : { expires_at }),
    },
  };
}

/** How it ended. */
export function answerRow(event: Extract<EventBody, { type: "approval.resolved" }>): AnswerRow {
  const { type, approval_id, outcome, feedback } = event;
  return { type, approval_id, outcome, ...(feedback === undefined ? {} : { feedback }) };
}

/** The id that the agent's own program gives the conversation, when it becomes known. */
export function sessionRows(
  event: Extract<JournalEvent, { type: "session.updated" }>,
): readonly Extract<CompatRow, { type: "thread.session" }>[] {
  const { session_id: thread_id, engine_session_id } = event;
  if (engine_session_id === undefined) return [];
  return [{ type: "thread.session", thread_id, session_id: engine_session_id }];
}
