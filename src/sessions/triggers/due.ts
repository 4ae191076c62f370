import { LIMITS } from "../../protocol/index.ts";
import { nextTime, parseCron, zoneClock } from "./cron.ts";

/** When something is due. */
export interface Timetable {
  readonly cron?: string | undefined;
  /** Once, at this time. */
  readonly at?: string | undefined;
  readonly time_zone: string;
}

/** What is due now. All times are milliseconds since the epoch. */
export interface Due {
  /** The latest time that has come. */
  readonly at: number;
  /** Earlier times that have come since `after`, counted up to `scheduleMissedCounted`. */
  readonly missed: number;
  /** Whether that time is so long ago that it was missed, too. */
  readonly isLate: boolean;
}

/** The first time after `after`. Undefined: there is none. */
export function timeAfter(timetable: Timetable, after: number): number | undefined {
  if (timetable.at !== undefined) {
    const at = Date.parse(timetable.at);
    return at > after ? at : undefined;
  }
  return nextTime(parseCron(timetable.cron ?? ""), zoneClock(timetable.time_zone), after);
}

export function timesAfter(timetable: Timetable, after: number): readonly number[] {
  const times: number[] = [];
  for (let last = after; times.length < LIMITS.scheduleTimesShown;) {
    const next = timeAfter(timetable, last);
    if (next === undefined) break;
    times.push(next);
    last = next;
  }
  return times;
}

/** Undefined: nothing has come since `after`. */
export function dueAt(timetable: Timetable, after: number, now: number): Due | undefined {
  let at = timeAfter(timetable, after);
  if (at === undefined || at > now) return undefined;
  let missed = 0;
  for (;;) {
    const next = timeAfter(timetable, at);
    if (next === undefined || next > now) break;
    missed += 1;
    // Enough is known; the newest one is found from the other end.
    if (missed >= LIMITS.scheduleMissedCounted) {
      at = Math.max(next, newestBefore(timetable, now) ?? next);
      break;
    }
    at = next;
  }
  return { at, missed, isLate: now - at > LIMITS.scheduleLateMs };
}

/** The newest time within the last day, if there is one: enough for what comes so often. */
function newestBefore(timetable: Timetable, now: number): number | undefined {
  let newest: number | undefined;
  for (let at = timeAfter(timetable, now - 86_400_000); at !== undefined && at <= now;) {
    newest = at;
    at = timeAfter(timetable, at);
  }
  return newest;
}
