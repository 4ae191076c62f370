import { Failure, LIMITS, NO_USAGE, type Approval, type JournalEvent } from "../../protocol/index.ts";
import type { SessionRow } from "../../store/index.ts";
import { foldTurn } from "../core/fold.ts";
import { Frame } from "../core/frames.ts";
import { readEvents } from "../core/journal.ts";
import { Session } from "../core/session.ts";
import type { Dependencies } from "../dependencies.ts";
import { damagedFailure, readRow, type OpenTurn, type SessionState } from "../core/state.ts";

const EVICTED_AT_ONCE = 4;

/** The sessions in memory, one object each. Resting sessions are evicted and come back from the store. */
export class Registry {
  readonly #dependencies: Dependencies;
  /** The least recently used first. */
  readonly #sessions = new Map<string, Session>();
  /** Milliseconds since the epoch. */
  readonly #usedAt = new Map<string, number>();
  readonly #loading = new Map<string, Promise<Session>>();

  /** How often each session was reloaded because the store refused a write. */
  readonly #losses = new Map<string, number>();
  #stopped = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  /** The server stops: no session is loaded any more. */
  stop(): void {
    this.#stopped = true;
  }

  /** Reloads a session from the store, as a restart does, in place of one whose state could not be stored. */
  reload(lost: Session): void {
    const { id } = lost.state;
    // While the server stops, the shutdown itself ends what the session has running.
    if (this.#stopped || this.#sessions.get(id) !== lost) return;
    this.#sessions.delete(id);
    const losses = (this.#losses.get(id) ?? 0) + 1;
    this.#losses.set(id, losses);
    if (losses > LIMITS.sessionReloads) {
      this.#dependencies.log.error(
        { session: id },
        "a session cannot be stored: it stays as it is until somebody asks for it",
      );
      void lost.halt();
      return;
    }
    const loading = this.#takeUp(lost).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    loading.catch((error: unknown) => {
      const unknown = error instanceof Failure && error.code === "not_found";
      // A session whose first write was refused: there is nothing to continue.
      if (!unknown) this.#dependencies.log.error({ session: id, err: error }, "a session could not be taken up again");
    });
  }

  async #takeUp(lost: Session): Promise<Session> {
    const { store, clock } = this.#dependencies;
    await lost.halt();
    while (store.health().stall !== undefined && !this.#stopped) {
      await new Promise<void>((resolve) => {
        clock.after(LIMITS.storeReloadMs, resolve);
      });
    }
    if (this.#stopped) throw new Failure("shutting_down", "the server is stopping");
    return this.#load(lost.state.id);
  }

  get inMemory(): readonly Session[] {
    return [...this.#sessions.values()];
  }

  /** The session if it is in memory; it does not count as used. */
  peek(id: string): Session | undefined {
    return this.#sessions.get(id);
  }

  add(state: SessionState): Session {
    return this.adopt(new Session(this.#dependencies, state));
  }

  adopt(session: Session): Session {
    this.#keep(session);
    return session;
  }

  /** The session, or a Failure `not_found`. */
  async get(id: string): Promise<Session> {
    const known = this.#sessions.get(id);
    if (known !== undefined) {
      this.#sessions.delete(id);
      this.#sessions.set(id, known);
      this.#usedAt.set(id, this.#dependencies.clock.now());
      return known;
    }
    const loading = this.#loading.get(id) ?? this.#load(id).finally(() => this.#loading.delete(id));
    this.#loading.set(id, loading);
    return loading;
  }

  /** A deleted session: it can no longer be found. */
  drop(session: Session): void {
    const { id } = session.state;
    if (this.#sessions.get(id) === session) this.#sessions.delete(id);
    this.#usedAt.delete(id);
    this.#losses.delete(id);
  }

  /** A session that has ended is only read from now on: the next reader loads it from the store. */
  forget(session: Session): void {
    if (!session.evictable) return;
    this.#sessions.delete(session.state.id);
    this.#usedAt.delete(session.state.id);
    this.#losses.delete(session.state.id);
  }

  /** Restores a session as the last run left it. */
  async restore(row: SessionRow): Promise<Session> {
    const { store } = this.#dependencies;
    const stored = readRow(row);
    if (stored === undefined) throw damagedFailure(row.id);
    const state = await reopenTurn(stored, this.#dependencies);
    const pending: Approval[] = [];
    if (state.pending.length > 0) {
      const page = await store.read.approvals({
        session_id: row.id,
        status: "pending",
        limit: LIMITS.pendingApprovalsPerSession,
      });
      pending.push(...page.rows.toReversed());
    }
    const session = new Session(this.#dependencies, state, pending);
    this.#keep(session);
    return session;
  }

  async #load(id: string): Promise<Session> {
    const row = await this.#dependencies.store.read.session(id);
    if (row === undefined) throw new Failure("not_found", `there is no session ${id}`);
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const session = await this.restore(row);
    // Only a lost session has an open turn or a queue that nothing works on.
    await session.recover();
    session.start();
    return session;
  }

  #keep(session: Session): void {
    this.#sessions.set(session.state.id, session);
    this.#usedAt.set(session.state.id, this.#dependencies.clock.now());
    const excess = this.#sessions.size - LIMITS.sessionsInMemory;
    if (excess <= 0) return;
    // Least recently used first. Sessions that work, are watched or have a process stay. So do recently requested ones:
    // a caller may be about to use them. A few evictions at a time keep up.
    const now = this.#dependencies.clock.now();
    for (const [id, candidate] of [...this.#sessions].slice(0, excess + EVICTED_AT_ONCE)) {
      if (now - (this.#usedAt.get(id) ?? 0) < LIMITS.sessionRestMs) return;
      candidate.rest().then(
        () => this.forget(candidate),
        () => undefined,
      );
    }
  }
}

/** The row leaves out the open turn's items: they are in the journal since the turn began. */
async function reopenTurn(state: SessionState, { store }: Dependencies): Promise<SessionState> {
  if (state.turn === undefined) return state;
  const { bound_microusd: _again, ...open } = state.turn;
  let turn: OpenTurn = { ...open, usage: NO_USAGE, cost_microusd: 0 };
  let after = turn.started_seq;
  while (after < state.seq) {
    const rows = await readEvents(store.read, state, { after, upto: state.seq, limit: LIMITS.watchPageEvents });
    for (const row of rows) turn = foldTurn(turn, Frame.ofRow(row, state.id).value as JournalEvent);
    after = rows.at(-1)?.seq ?? state.seq;
  }
  return { ...state, turn };
}
