import {
  DEFAULT_POOL,
  defined,
  Failure,
  LIMITS,
  poolFault,
  workerNumber,
  type JournalEvent,
  type PoolChange,
  type PoolConfig,
  type PoolView,
  type PrincipalRef,
  type WorkerState,
  type WorkerView,
} from "../../protocol/index.ts";
import type { Clock, EnvironmentRequest, SessionEnvironment } from "../dependencies.ts";
import type { SessionState } from "../core/state.ts";
import { WorkerSlots } from "./slots.ts";
import { Worker } from "./worker.ts";

/** What was prepared for nobody in particular yet. */
export interface PreparedWorker {
  readonly isReady: boolean;
  /** Whether the engine's own program runs in it. */
  readonly hasProgram: boolean;
}

export interface WorkerPoolParts {
  readonly clock: Clock;
  readonly config: PoolChange | undefined;
  /** Of a session that nobody has taken yet. */
  readonly prepared: (session_id: string) => PreparedWorker | undefined;
  /** Whether a turn of the session is open. */
  readonly isWorking: (session_id: string) => boolean;
  /** Ends the worker of a session that does nothing. Resolves when it has ended, or was found to be needed. */
  readonly end: (session_id: string) => Promise<void>;
  /** A turn failed because of its engine: its worker may be the reason. */
  readonly suspect: (session_id: string) => void;
  /** A worker came or went. */
  readonly changed: () => void;
}

interface Waiter {
  readonly wanted: EnvironmentRequest;
  readonly pin: string | undefined;
  readonly serve: (worker: Worker) => void;
}

interface NewWaiter extends Pick<Waiter, "wanted" | "pin"> {
  /** Why it waits, for people. */
  readonly which: string;
  readonly resolve: (worker: Worker) => void;
  readonly reject: (failure: Failure) => void;
}

/**
 * All workers of this server, whichever surface their sessions came from. There are never more than `max_workers`: a session beyond that
 * gets the place of one that does nothing, or waits, or is refused.
 */
export class WorkerPool {
  readonly #parts: WorkerPoolParts;
  readonly #slots: WorkerSlots;
  /** The longest waiting first. */
  readonly #waiters: Waiter[] = [];
  #config: PoolConfig;
  #counts = { taken: 0, opened: 0, replaced: 0, requests: 0, errors: 0 };

  constructor(parts: WorkerPoolParts) {
    this.#parts = parts;
    this.#config = { ...DEFAULT_POOL, ...defined(parts.config ?? {}) };
    this.#slots = new WorkerSlots(() => this.#config);
  }

  get config(): PoolConfig {
    return this.#config;
  }

  get waiting(): number {
    return this.#waiters.length;
  }

  /** Workers that belong to sessions. */
  get busy(): number {
    return this.#slots.all.filter(({ session_id }) => this.#parts.prepared(session_id) === undefined).length;
  }

  /** The configuration with a change; a Failure when it does not fit together. */
  check(change: PoolChange): PoolConfig {
    const config = { ...this.#config, ...defined(change) };
    const fault = poolFault(config);
    if (fault !== undefined) throw new Failure("invalid_request", `${fault.field} ${fault.message}`);
    return config;
  }

  configure(change: PoolChange): void {
    this.#config = this.check(change);
    this.#serveWaiters();
    this.#makeRoom();
    this.#parts.changed();
  }

  /** The only worker for a session; undefined: any that fits. */
  pinOf({ settings, created_by }: Pick<SessionState, "settings" | "created_by">): string | undefined {
    return settings.worker ?? this.pinOfPrincipal(created_by);
  }

  pinOfPrincipal({ id, name }: Pick<PrincipalRef, "id" | "name">): string | undefined {
    const { pins = {} } = this.#config;
    for (const key of [id, name]) if (Object.hasOwn(pins, key)) return pins[key];
    return undefined;
  }

  /** Refuses a worker that does not exist, or is reserved for others. */
  checkPin(worker: string, by: Pick<PrincipalRef, "id" | "name">): void {
    const { max_workers, pins = {} } = this.#config;
    if (workerNumber(worker) > max_workers)
      throw new Failure("not_found", `there is no worker ${worker}: the pool has w1 to w${max_workers}`);
    if (Object.values(pins).includes(worker) && this.pinOfPrincipal(by) !== worker)
      throw new Failure("forbidden", `the worker ${worker} is reserved for others`);
  }

  /** Opens a session's environment on a worker of its own. */
  async open(
    wanted: EnvironmentRequest,
    open: (wanted: EnvironmentRequest) => Promise<SessionEnvironment>,
  ): Promise<SessionEnvironment> {
    const pin = wanted.worker?.();
    const worker = this.#place(wanted, pin) ?? (await this.#wait(wanted, pin));
    const released = (): void => this.#release(worker);
    try {
      return await open({ ...wanted, released });
    } catch (error) {
      released();
      throw error;
    }
  }

  /** A session takes a prepared worker over. False: it is pinned to another one, which is in use. */
  assign(session_id: string, pin: string | undefined): boolean {
    const worker = this.#slots.of(session_id);
    if (pin !== undefined && worker?.id !== pin) {
      const inPlace = this.#slots.in(pin);
      const isFree = inPlace === undefined || this.#parts.prepared(inPlace.session_id) !== undefined;
      if (worker === undefined || !isFree) return false;
      this.#slots.exchange(worker, pin);
    }
    this.#counts.taken += 1;
    return true;
  }

  /** A check of the session's worker failed: it is about to be replaced. */
  condemn(session_id: string): void {
    const worker = this.#slots.of(session_id);
    if (worker === undefined || worker.isUnhealthy) return;
    worker.isUnhealthy = true;
    this.#counts.replaced += 1;
  }

  observe(event: JournalEvent, { id }: Pick<SessionState, "id">): void {
    const worker = this.#slots.of(id);
    if (worker === undefined) return;
    const { requests, errors } = worker;
    worker.observe(event);
    this.#counts.requests += worker.requests - requests;
    this.#counts.errors += worker.errors - errors;
    if (event.type === "turn.failed" && event.error.code === "engine_failed") this.#parts.suspect(id);
    if (worker.requests > requests) this.#makeRoom();
  }

  views(): readonly WorkerView[] {
    return this.#slots.all.map((worker) => this.#view(worker));
  }

  view(): PoolView {
    const states = this.#slots.all.map((worker) => this.#stateOf(worker));
    const among = (state: WorkerState): number => states.filter((one) => one === state).length;
    return {
      config: this.#config,
      workers: states.length,
      starting: among("starting"),
      idle: among("idle"),
      busy: among("busy"),
      unhealthy: among("unhealthy"),
      waiting: this.#waiters.length,
      ...this.#counts,
    };
  }

  #stateOf({ session_id, isUnhealthy }: Worker): WorkerState {
    if (isUnhealthy) return "unhealthy";
    const prepared = this.#parts.prepared(session_id);
    if (prepared === undefined) return "busy";
    return prepared.isReady ? "idle" : "starting";
  }

  #view(worker: Worker): WorkerView {
    const { id, session_id, settings, since, load, requests, errors, latencyMs } = worker;
    const prepared = this.#parts.prepared(session_id);
    return {
      id,
      state: this.#stateOf(worker),
      sandbox: settings.sandbox,
      engine: settings.engine,
      program: prepared?.hasProgram ?? false,
      sessions: prepared === undefined ? 1 : 0,
      since: new Date(since).toISOString(),
      load: Math.round(load * 1_000) / 1_000,
      requests,
      errors,
      ...defined({
        network: settings.network,
        session_id: prepared === undefined ? session_id : undefined,
        latency_ms: latencyMs,
      }),
    };
  }

  /** Undefined: no place is free. */
  #place({ session_id, settings }: EnvironmentRequest, pin: string | undefined): Worker | undefined {
    const id = this.#slots.free(pin);
    if (id === undefined) return undefined;
    const worker = new Worker({ id, session_id, settings, clock: this.#parts.clock });
    this.#slots.add(worker);
    if (this.#parts.isWorking(session_id)) worker.begin();
    if (this.#parts.prepared(session_id) === undefined) this.#counts.opened += 1;
    this.#parts.changed();
    return worker;
  }

  #wait(wanted: EnvironmentRequest, pin: string | undefined): Promise<Worker> {
    const { max_workers } = this.#config;
    const which = pin === undefined ? `all ${max_workers} workers are busy` : `the worker ${pin} is busy`;
    if (this.#parts.prepared(wanted.session_id) !== undefined)
      throw new Failure("limit_reached", `${which}: none can be prepared`);
    if (this.#waiters.length >= LIMITS.workerWaiters)
      throw new Failure(
        "limit_reached",
        `${which}, and ${LIMITS.workerWaiters} sessions wait already; try again when a session has ended`,
      );
    const waiting = new Promise<Worker>((resolve, reject) => this.#enqueue({ wanted, pin, which, resolve, reject }));
    this.#makeRoom();
    wanted.notice(`${which}: this session waits for one`);
    return waiting;
  }

  #enqueue({ wanted, pin, which, resolve, reject }: NewWaiter): void {
    const leave = (failure: Failure): void => {
      const at = this.#waiters.indexOf(waiter);
      if (at < 0) return;
      this.#waiters.splice(at, 1);
      done();
      reject(failure);
    };
    const closed = (): void => leave(new Failure("aborted", "aborted"));
    const cancelTimer = this.#parts.clock.after(LIMITS.workerWaitMs, () => {
      const seconds = LIMITS.workerWaitMs / 1_000;
      leave(
        new Failure("limit_reached", `${which}, and none became free within ${seconds} s; end a session, or try later`),
      );
    });
    const done = (): void => {
      cancelTimer();
      wanted.signal?.removeEventListener("abort", closed);
    };
    const serve = (worker: Worker): void => {
      done();
      resolve(worker);
    };
    const waiter: Waiter = { wanted, pin, serve };
    this.#waiters.push(waiter);
    wanted.signal?.addEventListener("abort", closed, { once: true });
    if (wanted.signal?.aborted === true) closed();
  }

  #release(worker: Worker): void {
    if (!this.#slots.remove(worker)) return;
    this.#serveWaiters();
    this.#parts.changed();
  }

  #serveWaiters(): void {
    // Not simply the first: one that is pinned may wait for a place that others do not need.
    for (const waiter of this.#waiters.slice()) {
      const worker = this.#place(waiter.wanted, waiter.pin);
      if (worker === undefined) continue;
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      waiter.serve(worker);
    }
  }

  /** Ends workers that do nothing: one for each session that waits, and those beyond a maximum that was lowered. */
  #makeRoom(): void {
    if (this.#waiters.length === 0 && this.#slots.size <= this.#config.max_workers) return;
    let needed = this.#waiters.filter(({ pin }) => pin === undefined).length;
    needed += Math.max(0, this.#slots.size - this.#config.max_workers);
    needed -= this.#slots.all.filter(({ isLeaving }) => isLeaving).length;
    for (const { pin } of this.#waiters) {
      const inPlace = pin === undefined ? undefined : this.#slots.in(pin);
      if (inPlace !== undefined) this.#endUnused([inPlace], 1);
    }
    if (needed > 0) this.#endUnused(this.#slots.all, needed);
  }

  #endUnused(workers: readonly Worker[], most: number): void {
    for (const worker of this.#unused(workers).slice(0, most)) {
      worker.isLeaving = true;
      const stay = (): void => {
        worker.isLeaving = false;
        if (this.#slots.in(worker.id) !== worker) return;
        worker.isKept = true;
        this.#makeRoom();
      };
      this.#parts.end(worker.session_id).then(stay, stay);
    }
  }

  /** Those that nobody needs at the moment: prepared ones first, then those whose session rests longest. */
  #unused(workers: readonly Worker[]): readonly Worker[] {
    const { prepared, isWorking } = this.#parts;
    const rank = ({ session_id, isUnhealthy, restingSince }: Worker): readonly number[] => [
      isUnhealthy ? 0 : 1,
      prepared(session_id) === undefined ? 1 : 0,
      restingSince,
    ];
    return workers
      .filter(({ session_id, isLeaving, isKept }) => !isLeaving && !isKept && !isWorking(session_id))
      .toSorted((one, other) => compare(rank(one), rank(other)));
  }
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [at, value] of one.entries()) {
    const difference = value - (other[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
