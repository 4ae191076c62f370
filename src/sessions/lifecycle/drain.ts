import { Failure, LIMITS } from "../../protocol/index.ts";
import type { Registry } from "./registry.ts";
import type { Clock, Dependencies } from "../dependencies.ts";
import type { Session } from "../core/session.ts";

/** Whether the server is about to stop: then nothing new begins, and running work stops at its next safe point. */
export class Drain {
  #isStarted = false;

  get isStarted(): boolean {
    return this.#isStarted;
  }

  start(): void {
    this.#isStarted = true;
  }
}

/** Why nothing new begins while the server stops. */
export function stoppingFailure(): Failure {
  return new Failure("shutting_down", "The server is stopping. Send this again when it is back.", {
    retry_after_s: LIMITS.restartRetryAfterS,
  });
}

/** What the open turn of one session is doing. */
export class TurnActivity {
  readonly #drain: Drain;
  readonly #clock: Clock;
  /** Model requests that are not settled yet. */
  readonly #requests = new Set<string>();
  /** Calls and model requests that wait at a safe point for the server to stop. */
  #held = 0;
  /** When something last happened, on the monotonic clock. */
  #lastSign = 0;

  constructor({ drain, clock }: Pick<Dependencies, "drain" | "clock">) {
    this.#drain = drain;
    this.#clock = clock;
  }

  /** Whether a model request is under way, or held. */
  get isAsking(): boolean {
    return this.#requests.size > 0 || this.#held > 0;
  }

  /** Records activity. */
  sign(): void {
    this.#lastSign = this.#clock.elapsed();
  }

  /** A model request begins. While the server stops, it waits here until its connection ends. Undefined: it may continue. */
  beginRequest(id: string): Promise<void> | undefined {
    if (!this.#drain.isStarted) {
      this.#requests.add(id);
      return undefined;
    }
    this.#held += 1;
    return new Promise(() => undefined);
  }

  endRequest(id: string): void {
    this.#requests.delete(id);
    this.sign();
  }

  /** The safe point before a call runs. While the server stops, it resolves only when the signal is aborted. */
  async hold(signal: AbortSignal): Promise<void> {
    if (!this.#drain.isStarted || signal.aborted) return;
    this.#held += 1;
    await new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
    this.#held -= 1;
  }

  /**
   * Whether a turn can stop here and continue after a restart with nothing lost. No call with effects runs, no model answer is
   * under way, and it waits at a safe point or for a person. A turn without activity for a while counts as waiting.
   */
  isQuiet({ turn, pending, paused }: Session["state"], since: number): boolean {
    if (turn === undefined) return true;
    if (turn.running.length > 0 || this.#requests.size > 0) return false;
    if (paused || this.#held > 0 || pending.length > 0) return true;
    return this.#clock.elapsed() - Math.max(since, this.#lastSign) >= LIMITS.drainSilenceMs;
  }
}

export interface DrainOptions {
  /** How long running calls have to end. */
  readonly ms: number;
  /** Aborted: stop waiting for them. */
  readonly signal: AbortSignal;
}

/** Resolves when every open turn can stop, or when the time is up. Turns that wait for no person are stopped on the way. */
export async function drainSessions(
  { dependencies, registry }: { readonly dependencies: Dependencies; readonly registry: Registry },
  { ms, signal }: DrainOptions,
): Promise<void> {
  const { clock, drain, log } = dependencies;
  drain.start();
  const began = clock.elapsed();
  for (;;) {
    const working = registry.inMemory.filter(({ state, activity }) => !activity.isQuiet(state, began));
    for (const session of registry.inMemory) {
      const { turn, pending } = session.state;
      // A turn that waits for a person keeps going, so that an answer is still accepted.
      if (turn !== undefined && pending.length === 0 && !working.includes(session)) void session.stopWork();
    }
    if (working.length === 0 || signal.aborted) return;
    if (clock.elapsed() - began >= ms) {
      log.warn({ sessions: working.length, seconds: ms / 1_000 }, "the time to drain is up: what still runs is ended");
      return;
    }
    await new Promise<void>((resolve) => {
      clock.after(LIMITS.drainLookMs, resolve);
    });
  }
}
