import { expect, it } from "vitest";
import { BUDGET_TOOL, SYSTEM, type Approval, type JournalEvent } from "../../src/protocol/index.ts";
import { Questions } from "../../src/sessions/core/questions.ts";
import { MovableClock } from "../support/clock.ts";

const QUESTION: Approval = {
  id: "apr_1",
  session_id: "ses_1",
  turn_id: "turn_1",
  item_id: "",
  tool: BUDGET_TOOL,
  tool_use_id: "budget_1",
  tier: "execute",
  input: {},
  input_hash: "",
  preview: { type: "generic", summary: "" },
  warnings: [],
  reason: "",
  unattended: "deny",
  created_at: "2026-11-18T07:01:38.371Z",
  status: "pending",
};
const CANCELLED: Extract<JournalEvent, { type: "approval.resolved" }> = {
  session_id: "ses_1",
  seq: 2,
  at: "2026-11-18T07:01:38.583Z",
  type: "approval.resolved",
  approval_id: "apr_1",
  outcome: "cancelled",
  by: SYSTEM,
};

function asked(): Questions {
  const questions = new Questions(new MovableClock(), () => undefined);
  questions.add(QUESTION);
  return questions;
}

it("a question that was withdrawn before anybody waited keeps nobody waiting", async () => {
  // The turn is interrupted while the question is on its way to the disk: both are told together, and whoever asked comes after that.
  const questions = asked();
  questions.rowsOf(CANCELLED);
  questions.settle("apr_1", CANCELLED);
  expect(await questions.wait("apr_1")).toEqual({ outcome: "cancelled", by: SYSTEM });
});

it("a question that is found at a start ends in the time that it had, also where the clock was set back", () => {
  const clock = new MovableClock();
  const created = clock.now();
  const expired: string[] = [];
  clock.jump(-365 * 86_400_000);
  const questions = new Questions(clock, (id) => expired.push(id));
  questions.add({
    ...QUESTION,
    created_at: new Date(created).toISOString(),
    expires_at: new Date(created + 300_000).toISOString(),
  });
  clock.pass(299_000);
  expect(expired).toEqual([]);
  clock.pass(1_001);
  expect(expired).toEqual(["apr_1"]);
});

it("an answer that is not on the disk yet is waited for", async () => {
  const questions = asked();
  questions.rowsOf({ ...CANCELLED, outcome: "approved" });
  const answer = questions.wait("apr_1");
  questions.settle("apr_1", { ...CANCELLED, outcome: "approved" });
  expect(await answer).toMatchObject({ outcome: "approved" });
});
