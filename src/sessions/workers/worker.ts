import type { JournalEvent, SessionSettings } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";

interface WorkerStart {
  readonly id: string;
  readonly session_id: string;
  readonly settings: SessionSettings;
  readonly clock: Clock;
}

/** The place where one session's programs run, and what happened there. */
export class Worker {
  /** Its place in the pool. */
  id: string;
  readonly session_id: string;
  readonly settings: SessionSettings;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** A check failed: it is about to be replaced. */
  isUnhealthy = false;
  /** It was asked to end, to make room. */
  isLeaving = false;
  /** It was asked to end and did not, such as because of a shell in the background: it is not asked again before its next turn has ended. */
  isKept = false;
  requests = 0;
  errors = 0;
  readonly #clock: Clock;
  readonly #openedAt: number;
  /** When the open turn began, on the monotonic clock; undefined: none is open. */
  #workingSince: number | undefined;
  #workedMs = 0;
  /** When the last turn ended, on the monotonic clock. */
  #restingSince: number;
  #isAnswered = false;
  #latencies = 0;
  #latencyMs = 0;

  constructor({ id, session_id, settings, clock }: WorkerStart) {
    this.id = id;
    this.session_id = session_id;
    this.settings = settings;
    this.#clock = clock;
    this.since = clock.now();
    this.#openedAt = clock.elapsed();
    this.#restingSince = this.#openedAt;
  }

  get restingSince(): number {
    return this.#restingSince;
  }

  /** The mean time from a prompt to the first item of its answer; undefined: none was answered. */
  get latencyMs(): number | undefined {
    return this.#latencies === 0 ? undefined : Math.round(this.#latencyMs / this.#latencies);
  }

  get load(): number {
    const now = this.#clock.elapsed();
    const worked = this.#workedMs + (this.#workingSince === undefined ? 0 : now - this.#workingSince);
    const age = now - this.#openedAt;
    return age <= 0 ? 0 : Math.min(1, worked / age);
  }

  /** A turn began; it may have done so before its worker was there. */
  begin(): void {
    this.#workingSince ??= this.#clock.elapsed();
    this.#isAnswered = false;
  }

  observe(event: JournalEvent): void {
    switch (event.type) {
      case "turn.started":
        this.begin();
        break;
      case "item.started":
      case "item.completed":
        this.#answer();
        break;
      case "turn.completed":
        this.#end();
        break;
      case "turn.failed":
        // Whoever ended it found nothing wrong with it.
        if (event.error.code !== "aborted") this.errors += 1;
        this.#end();
        break;
      default:
        break;
    }
  }

  #answer(): void {
    if (this.#isAnswered || this.#workingSince === undefined) return;
    this.#isAnswered = true;
    this.#latencies += 1;
    this.#latencyMs += this.#clock.elapsed() - this.#workingSince;
  }

  #end(): void {
    const now = this.#clock.elapsed();
    this.requests += 1;
    this.isKept = false;
    if (this.#workingSince !== undefined) this.#workedMs += now - this.#workingSince;
    this.#workingSince = undefined;
    this.#restingSince = now;
  }
}
