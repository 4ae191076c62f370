import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";

/** The part of a session that is needed here. */
interface RestingSession {
  rest(): Promise<void>;
}

/**
 * Sessions whose engine keeps a process between turns. An idle process ends after a while, or when others need its place;
 * the session restarts it at the next prompt. A process that works, or waits for a person, stays.
 */
export class EngineProcesses {
  readonly #clock: Clock;
  readonly #working = new Set<RestingSession>();
  /** The longest idle first; each with the function that cancels its timer. */
  readonly #idle = new Map<RestingSession, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Processes that work, and those that wait for their next turn. */
  get counts(): { readonly working: number; readonly idle: number } {
    return { working: this.#working.size, idle: this.#idle.size };
  }

  /** A turn begins. A Failure `limit_reached` when the maximum number is working. */
  begin(session: RestingSession): void {
    this.#forget(session);
    if (this.#working.size >= LIMITS.engineProcesses) {
      throw new Failure(
        "limit_reached",
        `${LIMITS.engineProcesses} engines of this kind are at work; try again when one has ended`,
      );
    }
    this.#working.add(session);
    const excess = this.#working.size + this.#idle.size - LIMITS.engineProcesses;
    for (const oldest of [...this.#idle.keys()].slice(0, Math.max(0, excess))) this.#putToRest(oldest);
  }

  /** A turn has ended; its process waits for the next one. */
  end(session: RestingSession): void {
    if (!this.#working.delete(session)) return;
    this.#idle.set(
      session,
      this.#clock.after(LIMITS.engineRestMs, () => this.#putToRest(session)),
    );
  }

  #putToRest(session: RestingSession): void {
    this.#forget(session);
    // A process that could not be ended ends with its session.
    session.rest().catch(() => undefined);
  }

  #forget(session: RestingSession): void {
    this.#idle.get(session)?.();
    this.#idle.delete(session);
  }
}
