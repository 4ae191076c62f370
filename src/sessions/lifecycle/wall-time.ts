import { LIMITS } from "../../protocol/index.ts";
import type { Clock } from "../dependencies.ts";

interface WallTimeWait {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly callback: () => void;
  /** The longest time between two checks of the clock. Absent: `expiryCheckMs`. */
  readonly checkMs?: number | undefined;
  /** Also calls back after this many milliseconds of elapsed time: a clock that was set back does not prolong the wait. Absent: never. */
  readonly atMostMs?: number | undefined;
}

/**
 * Calls back once when the wall clock shows `at`; call the returned function to cancel. One long timer would be late
 * after the machine slept or its clock was set, so the clock is checked repeatedly.
 */
export function atWallTime(clock: Clock, { at, callback, checkMs, atMostMs = Infinity }: WallTimeWait): () => void {
  const atMost = clock.elapsed() + atMostMs;
  let cancel = (): void => undefined;
  const look = (): void => {
    const left = Math.min(atMost - clock.elapsed(), at - clock.now(), checkMs ?? LIMITS.expiryCheckMs);
    cancel = clock.after(Math.max(0, left), () => {
      if (clock.elapsed() >= atMost || clock.now() >= at) callback();
      else look();
    });
  };
  look();
  return () => cancel();
}
