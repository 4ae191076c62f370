import { defined, isToolItem, type JournalEvent } from "../../protocol/index.ts";
import { authorize, authorizeFor, type Caller } from "../access/access.ts";
import { publishedPage } from "../core/journal.ts";
import type { Registry } from "./registry.ts";
import type { Session } from "../core/session.ts";

/** What a session is doing, and when it last answered. */
export interface SessionActivity {
  /** When the open turn began; absent: none is open. */
  readonly turn_started_at?: string;
  /** The newest unfinished call of the open turn; absent: none. */
  readonly current_tool?: string;
  /** When the last turn ended; absent: none has. */
  readonly turn_ended_at?: string;
}

/** Reads what sessions are doing at the moment. */
export class SessionActivityReader {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  async read(caller: Caller, id: string): Promise<SessionActivity> {
    authorize(caller, "session.read");
    const session = await this.#registry.get(id);
    const { state } = session;
    authorizeFor(caller, "session.read", { state, what: `session ${id}` });
    const { turn, settled_seq } = state;
    const [turn_started_at, turn_ended_at] = await Promise.all([
      turn === undefined ? undefined : timeOf(session, turn.started_seq),
      settled_seq === 0 ? undefined : timeOf(session, settled_seq),
    ]);
    const tools = Object.values(turn?.items ?? {}).flatMap((item) => (isToolItem(item) ? [item.tool] : []));
    const current_tool = tools.at(-1);
    return defined({ turn_started_at, current_tool, turn_ended_at });
  }
}

/** Undefined: it is not on the disk yet. */
async function timeOf(session: Session, seq: number): Promise<string | undefined> {
  const [frame] = await publishedPage(session, seq - 1, { limit: 1 });
  return frame === undefined ? undefined : (frame.value as JournalEvent).at;
}
