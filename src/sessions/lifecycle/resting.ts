import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";

/** A session as far as this is concerned. */
interface RestingSession {
  rest(): Promise<void>;
}

/**
 * Sessions whose engine keeps a process of its own between turns. A process that has nothing to do goes after a while, or
 * when others need its place; the session brings it back when it is prompted. One that works, or waits for a person, stays.
 */
export class EngineProcesses {
  readonly #clock: Clock;
  readonly #working = new Set<RestingSession>();
  /** The longest idle first; each with what takes its timer back. */
  readonly #idle = new Map<RestingSession, () => void>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Processes that are at work, and those that wait for their next turn. */
  get counts(): { readonly working: number; readonly idle: number } {
    return { working: this.#working.size, idle: this.#idle.size };
  }

  /** A turn begins. A Failure `limit_reached` when as many as there may be are at work. */
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
    // What could not be ended is ended with its session.
    session.rest().catch(() => undefined);
  }

  #forget(session: RestingSession): void {
    this.#idle.get(session)?.();
    this.#idle.delete(session);
  }
}
