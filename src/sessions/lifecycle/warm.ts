import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { defined, Failure, LIMITS, SYSTEM, type Profile, type SessionSettings } from "../../protocol/index.ts";
import { isDamagedPage, type Store } from "../../store/index.ts";
import type { Dependencies } from "../dependencies.ts";
import { Session } from "../core/session.ts";
import { newState, type Birth, type SessionState } from "../core/state.ts";
import { UNBOUNDED } from "../access/token-scope.ts";
import { effectiveProfile } from "../permission/effective-profile.ts";
import { canBeMadeAhead, isStillCurrent, placeSession, type PlacedSession } from "../workspace/own-tree.ts";
import { canRunCommands } from "../workers/health.ts";
import type { PreparedWorker } from "../workers/pool.ts";
import { shapesOf } from "../workers/shapes.ts";

interface Ready extends PreparedWorker {
  readonly session: Session;
  /** The settings that it was started for. */
  readonly settings: SessionSettings;
  /** What a session must have to take it over. */
  readonly shape: string;
  /** Whether the pool keeps it; otherwise it follows an earlier session, and ends after a while. */
  readonly isPooled: boolean;
  /** When it was ready, on the monotonic clock. */
  readySince: number | undefined;
  /** Settles when its own files are made, if it has some. */
  placing: Promise<unknown>;
  readonly cancelTimer: () => void;
}

/** A prepared session with files of its own. */
export interface TakenWithTree extends PlacedSession {
  readonly id: string;
  begin(born: (id: string) => SessionState): Promise<Session>;
}

/** A worker that the pool keeps. */
export interface PooledWorker extends PreparedWorker {
  readonly session_id: string;
  readonly settings: SessionSettings;
  readonly idleMs: number;
}

/**
 * Sessions whose worker was prepared before they have an owner. A new session that fits takes one over, so that its first answer or
 * command does not wait for a program or a sandbox to start; then the next one is prepared. Nothing is written until one is taken, so
 * losing one loses nothing.
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

  /** Those with an engine's program in them. */
  get programs(): number {
    return this.#ready.filter(({ hasProgram }) => hasProgram).length;
  }

  /** Those that the pool keeps. */
  get pooled(): readonly PooledWorker[] {
    const now = this.#dependencies.clock.elapsed();
    return this.#ready
      .filter(({ isPooled }) => isPooled)
      .map(({ session, settings, isReady, hasProgram, readySince = now }) => ({
        session_id: session.state.id,
        settings,
        isReady,
        hasProgram,
        idleMs: now - readySince,
      }));
  }

  of(session_id: string): PreparedWorker | undefined {
    return this.#find(session_id);
  }

  /** A session prepared for these settings, if any. It keeps its id. `pin`: the only worker that will do. */
  async take(
    settings: SessionSettings,
    { born, pin }: { readonly born: (id: string) => SessionState; readonly pin: string | undefined },
  ): Promise<Session | undefined> {
    if (this.#ready.length === 0) return undefined;
    const { workers } = this.#dependencies;
    const fitting = this.#fitting(settings).find(({ session }) => workers.assign(session.state.id, pin));
    if (fitting === undefined) return undefined;
    this.#remove(fitting);
    return begin(fitting.session, born);
  }

  /** A session prepared for these settings with files of its own, if these are what a new session would get now. */
  async takeWithTree(
    settings: SessionSettings,
    { profile, pin }: { readonly profile: Profile; readonly pin: string | undefined },
  ): Promise<TakenWithTree | undefined> {
    if (!canBeMadeAhead(settings)) return undefined;
    for (const ready of this.#fitting(settings).filter(({ isReady }) => isReady)) {
      // Nobody else takes it meanwhile.
      if (!this.#remove(ready)) continue;
      const { session } = ready;
      const { id, settings: placed } = session.state;
      const isCurrent = await isStillCurrent(this.#dependencies, settings, { profile, id }).catch(() => false);
      if (isCurrent && this.#dependencies.workers.assign(id, pin)) {
        const { workspace, source, withheld } = placed;
        return {
          id,
          settings: { ...settings, workspace, ...defined({ source, withheld }) },
          begin: (born) => begin(session, born),
          undo: () => this.#discard(ready),
        };
      }
      this.#discard(ready).catch(() => undefined);
    }
    return undefined;
  }

  /** Those with a program first, then those that are ready. */
  #fitting(settings: SessionSettings): readonly Ready[] {
    const { program, sandbox } = shapesOf(settings, this.#dependencies.policy());
    const fits = ({ shape }: Ready): boolean => shape === program || shape === sandbox;
    const rank = ({ hasProgram, isReady }: Ready): number => (hasProgram ? 0 : 2) + (isReady ? 0 : 1);
    return this.#ready.filter(fits).toSorted((one, other) => rank(one) - rank(other));
  }

  /** Prepares one for the next session like this one, after a short delay. */
  follow(settings: SessionSettings): void {
    const { engines, clock, startAhead } = this.#dependencies;
    if (this.#closed || !startAhead || engines.get(settings.engine)?.capabilities.warm !== true) return;
    // Files and branches that nobody may ever use are for those who ask for a pool.
    if (canBeMadeAhead(settings)) return;
    const shape = shapesOf(settings, this.#dependencies.policy()).program;
    if (this.#planned.has(shape) || this.#ready.some((ready) => ready.shape === shape)) return;
    const [oldest] = this.#planned;
    if (oldest !== undefined && this.#planned.size >= LIMITS.warmSessions) this.#giveUp(oldest[0]);
    const start = (): void => {
      this.#planned.delete(shape);
      const followers = this.#ready.filter(({ isPooled }) => !isPooled);
      for (const one of followers.slice(0, Math.max(0, followers.length - LIMITS.warmSessions + 1))) this.#letGo(one);
      void this.#start(settings, { isPooled: false });
    };
    this.#planned.set(shape, clock.after(LIMITS.warmFollowMs, start));
  }

  #giveUp(shape: string): void {
    this.#planned.get(shape)?.();
    this.#planned.delete(shape);
  }

  /** Prepares one for the pool. False: that was not possible. */
  async prepare(settings: SessionSettings): Promise<boolean> {
    return !this.#closed && this.#start(settings, { isPooled: true });
  }

  async #start(settings: SessionSettings, { isPooled }: Pick<Ready, "isPooled">): Promise<boolean> {
    const { clock, newId, log, engines, startAhead, policy } = this.#dependencies;
    const { worker: _pin, ...shared } = settings;
    const at = new Date(clock.now()).toISOString();
    const birth = { id: newId("ses"), settings: shared, at, by: SYSTEM, token: UNBOUNDED, lineage: [], ancestors: [] };
    const session = new Session(this.#dependencies, newState(birth));
    const hasProgram = startAhead && engines.get(settings.engine)?.capabilities.warm === true;
    const shape = shapesOf(settings, policy())[hasProgram ? "program" : "sandbox"];
    const cancelTimer = isPooled ? (): void => undefined : clock.after(LIMITS.warmSessionMs, () => this.#letGo(ready));
    const ready: Ready = {
      session,
      settings: shared,
      shape,
      isPooled,
      hasProgram,
      readySince: undefined,
      placing: Promise.resolve(),
      get isReady() {
        return this.readySince !== undefined;
      },
      cancelTimer,
    };
    this.#ready.push(ready);
    try {
      if (canBeMadeAhead(shared)) await (ready.placing = this.#makeTree(session, birth));
      await Promise.all([hasProgram ? session.prepare() : undefined, isPooled ? startSandbox(session) : undefined]);
      ready.readySince = clock.elapsed();
      return true;
    } catch (error) {
      log.info({ engine: settings.engine, err: error }, "a worker could not be prepared");
      this.#letGo(ready);
      return false;
    }
  }

  async #makeTree(session: Session, birth: Birth): Promise<void> {
    const { id, settings } = birth;
    const profile = effectiveProfile(this.#dependencies.policy(), session.state);
    const placed = await placeSession(this.#dependencies, settings, { profile, id });
    session.become(newState({ ...birth, settings: placed.settings }));
  }

  /** Replaces those that the pool keeps and that cannot work: resolves when all were tried. */
  async check(): Promise<void> {
    await Promise.all(
      this.#ready.filter(({ isPooled, isReady }) => isPooled && isReady).map((one) => this.#check(one)),
    );
  }

  async #check(ready: Ready): Promise<void> {
    const { session, hasProgram } = ready;
    const canRun = await canRunCommands(session);
    // Somebody may have taken it meanwhile.
    if (!this.#ready.includes(ready)) return;
    const isFine =
      canRun &&
      // Starts the program again if it has ended.
      (!hasProgram || (await isPrepared(session)));
    if (isFine || !this.#ready.includes(ready)) return;
    this.#dependencies.workers.condemn(session.state.id);
    this.#dependencies.log.warn({ engine: ready.settings.engine }, "a prepared worker does not work and is replaced");
    this.#letGo(ready);
  }

  /** Ends those whose settings no session can have any more, because the policy changed. */
  endOutdated(): void {
    const policy = this.#dependencies.policy();
    const outdated = this.#ready.filter(({ isPooled, shape, hasProgram, settings }) => {
      const { program, sandbox } = shapesOf(settings, policy);
      return isPooled && shape !== (hasProgram ? program : sandbox);
    });
    for (const ready of outdated) this.#letGo(ready);
  }

  /** Ends a prepared worker; resolves when it has ended. */
  async end(session_id: string): Promise<void> {
    const ready = this.#find(session_id);
    if (ready !== undefined && this.#remove(ready)) await this.#discard(ready);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const shape of this.#planned.keys()) this.#giveUp(shape);
    await Promise.allSettled(
      [...this.#ready].map((ready) => {
        this.#remove(ready);
        return this.#discard(ready);
      }),
    );
  }

  #find(session_id: string): Ready | undefined {
    return this.#ready.find(({ session }) => session.state.id === session_id);
  }

  #remove(ready: Ready): boolean {
    const place = this.#ready.indexOf(ready);
    if (place < 0) return false;
    this.#ready.splice(place, 1);
    ready.cancelTimer();
    return true;
  }

  #letGo(ready: Ready): void {
    if (this.#remove(ready)) this.#discard(ready).catch(() => undefined);
  }

  /** Nothing of it stays: there never was such a session. */
  async #discard({ session, settings, placing }: Ready): Promise<void> {
    await placing.catch(() => undefined);
    const environment = await session.environment().catch(() => undefined);
    await session.halt();
    await environment?.discard();
    const { engineFolder, trees } = this.#dependencies;
    await rm(engineFolder(session.state.id), { recursive: true, force: true });
    if (canBeMadeAhead(settings)) await trees.remove(session.state.id);
  }
}

async function begin(session: Session, born: (id: string) => SessionState): Promise<Session> {
  session.become(born(session.state.id));
  await session.budget.load();
  return session;
}

function isPrepared(session: Session): Promise<boolean> {
  return session.prepare().then(
    () => true,
    () => false,
  );
}

async function startSandbox(session: Session): Promise<void> {
  if (!(await canRunCommands(session, LIMITS.workerReadyMs)))
    throw new Failure("unsupported", `no command can be run in the sandbox ${session.state.settings.sandbox}`);
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
