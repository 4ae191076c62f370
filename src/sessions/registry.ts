import { Failure, LIMITS, NO_USAGE, type Approval, type JournalEvent } from "../protocol/index.ts";
import type { SessionRow } from "../store/index.ts";
import { foldTurn } from "./fold.ts";
import { Frame } from "./frames.ts";
import { readEvents } from "./journal.ts";
import { Session } from "./session.ts";
import type { Services } from "./services.ts";
import { fromRow, type SessionState } from "./state.ts";

/** The sessions in memory, one object each. Those that rest are let go and come back from the store. */
export class Registry {
  readonly #services: Services;
  /** The least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #loading = new Map<string, Promise<Session>>();

  constructor(services: Services) {
    this.#services = services;
  }

  get inMemory(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  add(state: SessionState): Session {
    const session = new Session(this.#services, state);
    this.#keep(session);
    return session;
  }

  /** The session, or a Failure `not_found`. */
  async get(id: string): Promise<Session> {
    const known = this.#sessions.get(id);
    if (known !== undefined) {
      this.#sessions.delete(id);
      this.#sessions.set(id, known);
      return known;
    }
    const loading = this.#loading.get(id) ?? this.#load(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  /** Takes up a session as the last run left it. */
  async restore(row: SessionRow): Promise<Session> {
    const { store } = this.#services;
    const state = await reopenTurn(fromRow(row), this.#services);
    const pending: Approval[] = [];
    if (state.pending.length > 0) {
      const page = await store.read.approvals({
        session_id: row.id,
        status: "pending",
        limit: LIMITS.pendingApprovalsPerSession,
      });
      pending.push(...page.rows.toReversed());
    }
    const session = new Session(this.#services, state, pending);
    this.#keep(session);
    return session;
  }

  async #load(id: string): Promise<Session> {
    const row = await this.#services.store.read.session(id);
    if (row === undefined) throw new Failure("not_found", `there is no session ${id}`);
    return this.#sessions.get(id) ?? this.restore(row);
  }

  #keep(session: Session): void {
    this.#sessions.set(session.state.id, session);
    let resting = 0;
    for (const [id, candidate] of this.#sessions) {
      if (this.#sessions.size <= LIMITS.sessionsInMemory && this.#sessions.size - resting <= LIMITS.openConversations)
        return;
      if (candidate === session) return;
      candidate.rest();
      resting += 1;
      if (this.#sessions.size > LIMITS.sessionsInMemory && candidate.evictable) this.#sessions.delete(id);
    }
  }
}

/** The row leaves the open turn's items out: they are in the journal since the turn began. */
async function reopenTurn(state: SessionState, { store }: Services): Promise<SessionState> {
  if (state.turn === undefined) return state;
  let turn = { ...state.turn, usage: NO_USAGE };
  let after = turn.started_seq;
  while (after < state.seq) {
    const rows = await readEvents(store.read, state, { after, upto: state.seq, limit: LIMITS.watchPageEvents });
    for (const row of rows) turn = foldTurn(turn, Frame.ofRow(row, state.id).value as JournalEvent);
    after = rows.at(-1)?.seq ?? state.seq;
  }
  return { ...state, turn };
}
