import { rm } from "node:fs/promises";
import {
  Failure,
  LIMITS,
  SYSTEM,
  type PruneReport,
  type PruneRequest,
  type RetentionSettings,
} from "../../protocol/index.ts";
import { isDamagedPage, type SessionRow } from "../../store/index.ts";
import { auditRow, authorize, authorizeFor, type Caller } from "../access/access.ts";
import { ClockTrust } from "./clock-trust.ts";
import type { Registry } from "./registry.ts";
import type { Dependencies } from "../dependencies.ts";
import { isFinal, readRow } from "../core/state.ts";
import { refuseWhileStalled } from "../core/storing.ts";
import { UNBOUNDED, type TokenScope } from "../access/token-scope.ts";

const DAY_MS = 86_400_000;

interface RetentionOptions {
  readonly dependencies: Dependencies;
  readonly registry: Registry;
  /** What is deleted automatically; absent: nothing. */
  readonly settings: RetentionSettings | undefined;
  /** Told after a session was deleted. */
  readonly deleted: (session_id: string) => void;
}

interface Pruning {
  readonly by: typeof SYSTEM | Caller;
  /** How many sessions may be deleted. */
  readonly most: number;
}

/** Deletes sessions: a named one, and those that exceed the retention settings. */
export class Retention {
  readonly #dependencies: Dependencies;
  readonly #registry: Registry;
  readonly #settings: RetentionSettings | undefined;
  readonly #deleted: RetentionOptions["deleted"];
  readonly #clockTrust: ClockTrust;
  readonly #startedAt: number;
  /** Whether the clock was compared with what the last run stored. */
  #isCompared = false;
  #running: Promise<unknown> = Promise.resolve();

  constructor({ dependencies, registry, settings, deleted }: RetentionOptions) {
    this.#deleted = deleted;
    this.#clockTrust = new ClockTrust(dependencies);
    this.#startedAt = dependencies.clock.now();
    this.#dependencies = dependencies;
    this.#registry = registry;
    this.#settings = settings;
  }

  /** Ends a session and deletes its journal, approvals and files. Forks of it continue; usage and audit stay. */
  async delete(caller: Caller, id: string): Promise<void> {
    authorize(caller, "session.delete");
    refuseWhileStalled(this.#dependencies);
    const row = await this.#dependencies.store.read.session(id);
    if (row === undefined) throw new Failure("not_found", `there is no session ${id}`);
    authorizeFor(caller, "session.delete", { state: ownerOf(row), what: `session ${id}` });
    await this.#delete(row, caller);
    await this.#sweep();
  }

  async prune(caller: Caller, request: PruneRequest): Promise<PruneReport> {
    authorize(caller, "policy.write");
    if (request.dry_run !== true) refuseWhileStalled(this.#dependencies);
    return this.#exclusive(() => this.#prune(request, { by: caller, most: Infinity }));
  }

  /** Applies the retention settings, and deletes expired rows. */
  async tend(): Promise<void> {
    const { store } = this.#dependencies;
    // Also if nothing can be deleted: the next check compares with this one.
    const isTrusted = await this.#trustsClock();
    if (store.health().stall !== undefined) return;
    const settings = this.#settings ?? {};
    const max_age_days = isTrusted ? settings.max_age_days : undefined;
    if (max_age_days !== undefined || settings.max_bytes !== undefined)
      await this.#exclusive(() => this.#pruneSome({ ...settings, max_age_days }));
    await this.#sweep();
  }

  /** One pass deletes only a part: whoever set a limit or a clock wrong can still stop it. */
  async #pruneSome(request: PruneRequest): Promise<void> {
    const { store, log } = this.#dependencies;
    const share = Math.ceil((await store.read.sessionCount()) * LIMITS.retentionShare);
    const most = Math.max(LIMITS.retentionSessions, share);
    const { count } = await this.#prune(request, { by: SYSTEM, most });
    if (count >= most)
      log.warn({ sessions: count }, "retention deleted as many sessions as it may at once: others may follow");
    else if (count > 0) log.info({ sessions: count }, "deleted sessions that retention does not keep");
  }

  async #trustsClock(): Promise<boolean> {
    if (!this.#isCompared) {
      const last = await this.#dependencies.store.read.lastStored(new Date(this.#startedAt).toISOString());
      if (!this.#isCompared && last !== undefined) this.#clockTrust.compareWith(Date.parse(last));
      this.#isCompared = true;
    }
    return this.#clockTrust.look();
  }

  /** Deletes expired rows. Those without an expiry time also while the clock is not trusted. */
  async #sweep(): Promise<void> {
    const { store, clock } = this.#dependencies;
    await store.sweep((await this.#trustsClock()) ? clock.now() : 0);
  }

  /** One at a time: two would delete the same sessions. */
  #exclusive<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const done = this.#running.then(work);
    this.#running = done.catch(() => undefined);
    return done;
  }

  async #prune(request: PruneRequest, { by, most }: Pruning): Promise<PruneReport> {
    const { store, clock } = this.#dependencies;
    const { max_age_days, max_bytes, keep_open = false, dry_run = false } = request;
    const gone: string[] = [];
    let count = 0;
    const take = async (row: SessionRow): Promise<void> => {
      if (!dry_run && !(await this.#deleteWhole(row, by))) return;
      count += 1;
      if (gone.length < LIMITS.pruneListed) gone.push(row.id);
    };
    if (max_age_days !== undefined) {
      const before = new Date(clock.now() - max_age_days * DAY_MS).toISOString();
      for await (const row of this.#candidates({ before, keep_open })) {
        if (count >= most) break;
        await take(row);
      }
      if (!dry_run) await this.#sweep();
    }
    if (max_bytes !== undefined) {
      // A session's size is only known once it is gone.
      let used = await store.read.usedBytes();
      for await (const row of this.#candidates({ keep_open })) {
        if (used <= max_bytes || dry_run || count >= most) break;
        await take(row);
        await this.#sweep();
        used = await store.read.usedBytes();
      }
    }
    return { dry_run, sessions: gone, count, used_bytes: await store.read.usedBytes() };
  }

  /** Sessions that may be deleted, the longest unchanged first. Those with work, a question or `keep` in their metadata stay. */
  async *#candidates(wanted: { readonly before?: string; readonly keep_open: boolean }): AsyncGenerator<SessionRow> {
    let after: SessionRow | undefined;
    for (;;) {
      const rows = await this.#dependencies.store.read.resting({
        before: wanted.before,
        after,
        limit: LIMITS.pruneBatch,
      });
      for (const row of rows) if (!isKept(row, wanted.keep_open)) yield row;
      after = rows.at(-1);
      if (after === undefined) return;
    }
  }

  /** False: a page of the database is damaged, and the session stays. The others can be deleted. */
  async #deleteWhole(row: SessionRow, by: typeof SYSTEM | Caller): Promise<boolean> {
    const { store } = this.#dependencies;
    if (store.health().damaged?.has(row.id) === true) return false;
    try {
      await this.#delete(row, by);
      return true;
    } catch (error) {
      if (!isDamagedPage(error)) throw error;
      return false;
    }
  }

  async #delete({ id }: SessionRow, by: typeof SYSTEM | Caller): Promise<void> {
    const { store, sessionFiles, trees } = this.#dependencies;
    const session = await this.#registry.get(id).catch(() => undefined);
    if (session !== undefined) {
      await session.close();
      session.deleted = true;
      await session.halt();
    }
    const audit = [auditRow(this.#dependencies, by, { action: "session.delete", target: id })];
    try {
      await store.commit({ deletedSessions: [id], audit }, { untilStored: true });
    } finally {
      // Also if it was refused: it is ended here, and the next reader loads it from the store.
      if (session !== undefined) this.#registry.drop(session);
    }
    this.#deleted(id);
    await trees.remove(id);
    for (const path of sessionFiles(id)) await rm(path, { recursive: true, force: true });
  }
}

function isKept(row: SessionRow, keepOpen: boolean): boolean {
  const state = readRow(row);
  // A damaged row cannot say whether it may go: somebody must delete it by name.
  if (state === undefined) return true;
  const { keep } = state.settings.metadata ?? {};
  return keep === true || keep === "true" || (keepOpen && !isFinal(state.status));
}

/** The row's own columns: a session with an unreadable state can be deleted too. */
function ownerOf({ created_by }: SessionRow): {
  readonly created_by: { readonly id: string };
  readonly token: TokenScope;
} {
  return { created_by: { id: created_by }, token: UNBOUNDED };
}
