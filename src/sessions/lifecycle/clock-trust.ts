import { LIMITS, type Log } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";

/** Whether the wall clock may decide what is deleted: a clock that jumped ahead makes everything look old. */
export class ClockTrust {
  readonly #clock: Clock;
  readonly #log: Log;
  /** The wall clock at the last check. */
  #seen: number;
  /** On the monotonic clock; absent: the wall clock is trusted. */
  #distrustedUntil: number | undefined;

  constructor({ clock, log }: { readonly clock: Clock; readonly log: Log }) {
    this.#clock = clock;
    this.#log = log;
    this.#seen = clock.now();
  }

  /** True: it may be trusted. Called at least every ten minutes, so a step of days cannot be real time. */
  look(): boolean {
    const now = this.#clock.now();
    const moved = now - this.#seen;
    this.#seen = now;
    if (moved > LIMITS.clockJumpMs) this.#distrust(moved, LIMITS.clockJumpHoldMs);
    // Somebody has corrected it.
    if (moved < -LIMITS.clockJumpMs) this.#distrustedUntil = undefined;
    if (this.#distrustedUntil === undefined) return true;
    if (this.#clock.elapsed() < this.#distrustedUntil) return false;
    this.#distrustedUntil = undefined;
    return true;
  }

  /** At the start of the server. `last`: when something was last stored, milliseconds since the epoch. */
  compareWith(last: number): void {
    const moved = this.#clock.now() - last;
    if (moved > LIMITS.clockJumpMs) this.#distrust(moved, LIMITS.clockStartHoldMs);
  }

  #distrust(moved: number, ms: number): void {
    this.#distrustedUntil = Math.max(this.#distrustedUntil ?? 0, this.#clock.elapsed() + ms);
    this.#log.warn(
      { days_ahead: Math.round(moved / 86_400_000), hours: ms / 3_600_000 },
      "the clock is far ahead of what was last seen: nothing is deleted by age for a while. Is it right?",
    );
  }
}
