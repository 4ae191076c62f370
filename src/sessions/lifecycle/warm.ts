import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS, SYSTEM, type SessionSettings } from "../../protocol/index.ts";
import { isDamagedPage, type Store } from "../../store/index.ts";
import type { Dependencies } from "../dependencies.ts";
import { Session } from "../core/session.ts";
import { newState, type SessionState } from "../core/state.ts";
import { UNBOUNDED } from "../access/token-scope.ts";

interface Ready {
  readonly session: Session;
  /** The settings that it was started for. */
  readonly shape: string;
  readonly cancelTimer: () => void;
}

/**
 * Sessions whose engine was started before they have an owner. A new session with the same settings takes one over, so
 * that its first answer does not wait for a program to start; then the next one is prepared. Nothing is written until one
 * is taken, so losing one loses nothing.
 */
export class WarmSessions {
  readonly #dependencies: Dependencies;
  /** The longest waiting first. */
  readonly #ready: Ready[] = [];
  /** Sessions to be prepared, by their settings; each with the function that cancels it. The newest come last. */
  readonly #planned = new Map<string, () => void>();
  #closed = false;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
  }

  get ids(): readonly string[] {
    return this.#ready.map(({ session }) => session.state.id);
  }

  /** A session prepared for these settings, if any. It keeps its id. */
  async take(settings: SessionSettings, born: (id: string) => SessionState): Promise<Session | undefined> {
    const shape = shapeOf(settings);
    const place = this.#ready.findIndex((ready) => ready.shape === shape);
    const [ready] = place < 0 ? [] : this.#ready.splice(place, 1);
    if (ready === undefined) return undefined;
    ready.cancelTimer();
    const { session } = ready;
    session.become(born(session.state.id));
    await session.budget.load();
    return session;
  }

  /** Prepares one for the next session like this one, after a short delay. */
  follow(settings: SessionSettings): void {
    const { engines, clock, startAhead } = this.#dependencies;
    if (this.#closed || !startAhead || engines.get(settings.engine)?.capabilities.warm !== true) return;
    const shape = shapeOf(settings);
    if (this.#planned.has(shape) || this.#ready.some((ready) => ready.shape === shape)) return;
    const [oldest] = this.#planned;
    if (oldest !== undefined && this.#planned.size >= LIMITS.warmSessions) this.#giveUp(oldest[0]);
    const start = (): void => {
      this.#planned.delete(shape);
      this.#start(settings, shape);
    };
    this.#planned.set(shape, clock.after(LIMITS.warmFollowMs, start));
  }

  #giveUp(shape: string): void {
    this.#planned.get(shape)?.();
    this.#planned.delete(shape);
  }

  #start(settings: SessionSettings, shape: string): void {
    const { clock, newId, log } = this.#dependencies;
    while (this.#ready.length >= LIMITS.warmSessions) this.#letGo(this.#ready[0]);
    const at = new Date(clock.now()).toISOString();
    const birth = { id: newId("ses"), settings, at, by: SYSTEM, token: UNBOUNDED, lineage: [], ancestors: [] };
    const session = new Session(this.#dependencies, newState(birth));
    const cancelTimer = clock.after(LIMITS.warmSessionMs, () => this.#letGo(ready));
    const ready: Ready = { session, shape, cancelTimer };
    this.#ready.push(ready);
    session.prepare().catch((error: unknown) => {
      log.info({ engine: settings.engine, err: error }, "an engine could not be started ahead of time");
      this.#letGo(ready);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const shape of this.#planned.keys()) this.#giveUp(shape);
    const ready = this.#ready.splice(0);
    await Promise.allSettled(
      ready.map(({ session, cancelTimer }) => {
        cancelTimer();
        return this.#discard(session);
      }),
    );
  }

  #letGo(ready: Ready | undefined): void {
    const place = ready === undefined ? -1 : this.#ready.indexOf(ready);
    if (ready === undefined || place < 0) return;
    this.#ready.splice(place, 1);
    ready.cancelTimer();
    this.#discard(ready.session).catch(() => undefined);
  }

  /** Nothing of it stays: there never was such a session. */
  async #discard(session: Session): Promise<void> {
    const environment = await session.environment().catch(() => undefined);
    await session.halt();
    await environment?.discard();
    await rm(this.#dependencies.engineFolder(session.state.id), { recursive: true, force: true });
  }
}

/** Everything that an engine is started with. Limits and metadata are not part of it. */
function shapeOf({ metadata: _notes, max_cost_microusd: _money, ...settings }: SessionSettings): string {
  return JSON.stringify(settings);
}

/** At start: deletes the folders of prepared sessions that a dead server left and nobody took. */
export async function sweepWarm(folder: string, store: Store): Promise<void> {
  for (const id of await readdir(folder).catch(() => [])) {
    if (!(await isStored(store, id))) await rm(join(folder, id), { recursive: true, force: true });
  }
}

/** Also true if the session's row is on a damaged page. */
export async function isStored(store: Store, id: string): Promise<boolean> {
  try {
    return (await store.read.session(id)) !== undefined;
  } catch (error) {
    if (isDamagedPage(error)) return true;
    throw error;
  }
}
