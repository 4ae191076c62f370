import type { Approval, EventBody, JournalEvent } from "../../protocol/index.ts";
import type { EventRow, Write } from "../../store/index.ts";
import { fold } from "./fold.ts";
import { Frame } from "./frames.ts";
import { redactedEvent } from "./redacted.ts";
import type { Session } from "./session.ts";
import { toRow, type SessionState } from "./state.ts";

interface Appended {
  readonly state: SessionState;
  readonly frames: readonly Frame[];
  readonly write: Write;
}

/** Turns decided events into the next state, the frames for watchers, and the rows to write. Secrets are removed from all three. */
export function append(
  session: Pick<Session, "state" | "dependencies" | "questions">,
  events: readonly EventBody[],
): Appended {
  const { dependencies, questions } = session;
  let { state } = session;
  const at = new Date(dependencies.clock.now()).toISOString();
  const rows: EventRow[] = [];
  const frames: Frame[] = [];
  const approvals: Approval[] = [];
  for (const decided of events) {
    const { body, text } = redactedEvent(decided, dependencies.redact);
    const event: JournalEvent = { seq: state.seq + 1, session_id: state.id, at, ...body };
    rows.push({ session_id: event.session_id, seq: event.seq, at, type: event.type, body: text });
    frames.push(Frame.ofEvent(event, text));
    approvals.push(...questions.rowsOf(event));
    state = fold(state, event);
  }
  return { state, frames, write: { sessions: [toRow(state)], events: rows, approvals } };
}
