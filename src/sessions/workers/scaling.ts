import { LIMITS, type SessionSettings } from "../../protocol/index.ts";
import type { Dependencies } from "../dependencies.ts";
import type { PooledWorker, WarmSessions } from "../lifecycle/warm.ts";
import { planPool } from "./plan.ts";
import { shapesOf } from "./shapes.ts";

interface ScalingParts {
  readonly dependencies: Dependencies;
  readonly warm: WarmSessions;
  /** The settings of sessions that are expected before one has come. Never rejects. */
  readonly first: () => Promise<readonly SessionSettings[]>;
}

/** Keeps as many prepared workers as the pool's configuration says, for the kinds of sessions that came last. */
export class PoolScaling {
  readonly #parts: ScalingParts;
  /** Settings of sessions, by their shape. The newest come last. */
  readonly #demand = new Map<string, SessionSettings>();
  #starting = 0;
  /** Cancels the next look; undefined: none is planned. */
  #cancelSoon: (() => void) | undefined;
  #cancelCheck = (): void => undefined;
  #checking: Promise<unknown> = Promise.resolve();
  /** Until then nothing is prepared, on the monotonic clock: the last one failed. */
  #notBefore = 0;
  #isClosed = false;

  constructor(parts: ScalingParts) {
    this.#parts = parts;
  }

  /** A session of this kind came, or is expected. */
  expect(settings: SessionSettings): void {
    const shape = shapesOf(settings, this.#parts.dependencies.policy()).program;
    this.#demand.delete(shape);
    this.#demand.set(shape, settings);
    for (const oldest of this.#demand.keys()) {
      if (this.#demand.size <= LIMITS.workerShapes) break;
      this.#demand.delete(oldest);
    }
  }

  /** A command with a server of its own is over before anything is prepared. */
  start(): void {
    this.soon();
    this.#checkLater();
  }

  /** Something changed: looks again after a short delay, so that the session that just came has the machine first. */
  soon(): void {
    if (this.#isClosed || this.#cancelSoon !== undefined) return;
    const { clock, workers } = this.#parts.dependencies;
    if (workers.config.min_workers === 0 && this.#parts.warm.pooled.length === 0) return;
    this.#cancelSoon = clock.after(LIMITS.warmFollowMs, () => {
      this.#cancelSoon = undefined;
      this.#tend();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSoon?.();
    this.#cancelCheck();
    await this.#checking;
  }

  #tend(): void {
    const { warm, dependencies } = this.#parts;
    const { workers, clock } = dependencies;
    if (this.#isClosed) return;
    warm.endOutdated();
    const prepared = warm.pooled;
    const { prepare, end } = planPool({
      config: workers.config,
      busy: workers.busy,
      prepared,
      waiting: workers.waiting,
    });
    for (const session_id of end) this.#end(session_id);
    if (clock.elapsed() < this.#notBefore) return;
    if (prepare === 0) {
      this.#makeRoomForNewest();
      return;
    }
    if (this.#demand.size === 0) {
      this.#expectFirst();
      return;
    }
    const now = Math.min(prepare, LIMITS.workersStarting - this.#starting);
    for (let count = 0; count < now; count += 1) this.#prepare();
  }

  #expectFirst(): void {
    this.#notBefore = this.#parts.dependencies.clock.elapsed() + LIMITS.workerRetryMs;
    void this.#parts.first().then((expected) => {
      if (this.#demand.size > 0 || expected.length === 0) return;
      for (const settings of expected) this.expect(settings);
      this.#notBefore = 0;
      this.#tend();
    });
  }

  #prepare(): void {
    const next = this.#next();
    if (next === undefined) return;
    const { shape, settings } = next;
    this.#starting += 1;
    void this.#parts.warm
      .prepare(settings)
      .then((isPrepared) => {
        if (isPrepared) return;
        // Others may be more fortunate. It comes back with the next session of its kind.
        this.#demand.delete(shape);
        this.#notBefore = this.#parts.dependencies.clock.elapsed() + LIMITS.workerRetryMs;
      })
      .finally(() => {
        this.#starting -= 1;
        this.soon();
      });
  }

  /** The kind of which the fewest are prepared; of several, the one that came last. */
  #next(): { readonly shape: string; readonly settings: SessionSettings } | undefined {
    const shapes = this.#prepared().map(({ shape }) => shape);
    const prepared = (shape: string): number => shapes.filter((one) => one === shape).length;
    const kinds = [...this.#demand].toReversed().map(([shape, settings]) => ({ shape, settings }));
    return kinds.toSorted((one, other) => prepared(one.shape) - prepared(other.shape))[0];
  }

  /** There are enough, but none for the newest kind: one of the kind that nobody asked for the longest makes room. */
  #makeRoomForNewest(): void {
    const prepared = this.#prepared();
    const kinds = [...this.#demand.keys()];
    const newest = kinds.at(-1);
    if (newest === undefined || prepared.some(({ shape }) => shape === newest)) return;
    const [oldest] = prepared
      .filter(({ isReady }) => isReady)
      .toSorted((one, other) => kinds.indexOf(one.shape) - kinds.indexOf(other.shape));
    if (oldest !== undefined) this.#end(oldest.session_id);
  }

  #prepared(): readonly (PooledWorker & { readonly shape: string })[] {
    const policy = this.#parts.dependencies.policy();
    return this.#parts.warm.pooled.map((one) => ({ ...one, shape: shapesOf(one.settings, policy).program }));
  }

  #end(session_id: string): void {
    // What cannot be ended now ends with the server.
    this.#parts.warm.end(session_id).catch(() => undefined);
  }

  #checkLater(): void {
    if (this.#isClosed) return;
    this.#cancelCheck = this.#parts.dependencies.clock.after(LIMITS.workerCheckMs, () => {
      this.#checking = this.#parts.warm.check().then(() => {
        this.#tend();
        this.#checkLater();
      });
    });
  }
}
