import { SYSTEM, type Approval, type Preview, type Tier, type Warning } from "../../protocol/index.ts";
import type { Session } from "../core/session.ts";
import type { GivenAnswer } from "../core/state.ts";
import { inputHash } from "./permit.ts";

const QUESTION_PREFIX = "server_";

/** What the server itself asks during a turn, about no call of a tool. */
export interface TurnQuestion {
  readonly tool: string;
  readonly tier: Tier;
  readonly input: Readonly<Record<string, unknown>>;
  readonly preview: Preview;
  readonly warnings?: readonly Warning[];
  readonly reason: string;
  /** The longest time that somebody waits for the answer, where a session has none of its own. */
  readonly mostMs: number;
}

/**
 * Asks a person in the open turn, and waits for the answer. Undefined: it could not be asked, or was withdrawn, because nobody waits any
 * more: `signal` was aborted, the turn was stopped, or the server was restarted.
 */
export async function askInTurn(
  session: Session,
  question: TurnQuestion,
  signal: AbortSignal,
): Promise<GivenAnswer | undefined> {
  const { turn } = session.state;
  if (turn === undefined || signal.aborted) return undefined;
  const approval = approvalOf(session, question, turn.id);
  try {
    await session.execute({ type: "ask", approval });
  } catch {
    // Too many questions wait already, or the server stops.
    return undefined;
  }
  const withdraw = (): void => void withdrawQuestion(session, approval.id);
  signal.addEventListener("abort", withdraw, { once: true });
  if (signal.aborted) withdraw();
  try {
    const answer = await session.answered(approval.id, approval.tool_use_id);
    // No engine waits for this answer, so nobody else ends the turn.
    if (answer.interrupt === true) void session.interrupt({ by: answer.by }).catch(() => undefined);
    return answer.outcome === "cancelled" ? undefined : answer;
  } finally {
    signal.removeEventListener("abort", withdraw);
  }
}

function approvalOf(session: Session, question: TurnQuestion, turn_id: string): Approval {
  const { dependencies, state } = session;
  const { tool, tier, input, preview, warnings = [], reason, mostMs } = question;
  const { approval_timeout_ms, unattended } = state.settings;
  const now = dependencies.clock.now();
  const waits = unattended === "park" ? mostMs : Math.min(approval_timeout_ms, mostMs);
  return {
    id: dependencies.newId("apr"),
    session_id: state.id,
    turn_id,
    item_id: "",
    tool,
    tool_use_id: `${QUESTION_PREFIX}${dependencies.newId("item")}`,
    tier,
    input: { ...input },
    input_hash: inputHash(tool, input),
    preview,
    warnings: [...warnings],
    reason,
    unattended,
    created_at: new Date(now).toISOString(),
    expires_at: new Date(now + waits).toISOString(),
    status: "pending",
  };
}

/** After a restart: whoever waited for an answer ended with the server. */
export async function withdrawTurnQuestions(session: Session): Promise<void> {
  for (const [tool_use_id, { approval_id, answer }] of Object.entries(session.state.turn?.asked ?? {}))
    if (tool_use_id.startsWith(QUESTION_PREFIX) && answer === undefined) await withdrawQuestion(session, approval_id);
}

function withdrawQuestion(session: Session, approval_id: string): Promise<void> {
  const feedback = "nobody waits for the answer any more";
  // It may have been answered at the same moment.
  return session.answer({ approval_id, outcome: "cancelled", by: SYSTEM, feedback }).catch(() => undefined);
}
