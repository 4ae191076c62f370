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

type TimesOf = (after: number) => number | undefined;

/** Gives the first time after a moment; undefined: there is none. What it is made of is read once. */
function timesOf({ at, cron = "", time_zone }: Timetable): TimesOf {
  if (at !== undefined) {
    const once = Date.parse(at);
    return (after) => (once > after ? once : undefined);
  }
  const [parsed, clock] = [parseCron(cron), zoneClock(time_zone)];
  return (after) => nextTime(parsed, clock, after);
}

/** The first time after `after`. Undefined: there is none. */
export function timeAfter(timetable: Timetable, after: number): number | undefined {
  return timesOf(timetable)(after);
}

export function timesAfter(timetable: Timetable, after: number): readonly number[] {
  const times: number[] = [];
  const nextOf = timesOf(timetable);
  for (let last = after; times.length < LIMITS.scheduleTimesShown;) {
    const next = nextOf(last);
    if (next === undefined) break;
    times.push(next);
    last = next;
  }
  return times;
}

/** Undefined: nothing has come since `after`. */
export function dueAt(timetable: Timetable, after: number, now: number): Due | undefined {
  const nextOf = timesOf(timetable);
  let at = nextOf(after);
  if (at === undefined || at > now) return undefined;
  let missed = 0;
  for (;;) {
    const next = nextOf(at);
    if (next === undefined || next > now) break;
    missed += 1;
    // Enough is known; the newest one is found from the other end.
    if (missed >= LIMITS.scheduleMissedCounted) {
      at = Math.max(next, newestBefore(nextOf, now) ?? next);
      break;
    }
    at = next;
  }
  return { at, missed, isLate: now - at > LIMITS.scheduleLateMs };
}

const DAY_MS = 86_400_000;
/** Less than lies between two times of any schedule. */
const CLOSE_MS = 30_000;

/** The newest time within the last day, if there is one: enough for what comes so often. Halves that day until one time is left. */
function newestBefore(nextOf: TimesOf, now: number): number | undefined {
  const hasTimeAfter = (ms: number): boolean => (nextOf(ms) ?? Infinity) <= now;
  let [from, to] = [now - DAY_MS, now];
  if (!hasTimeAfter(from)) return undefined;
  while (to - from > CLOSE_MS) {
    const middle = Math.floor((from + to) / 2);
    if (hasTimeAfter(middle)) from = middle;
    else to = middle;
  }
  return nextOf(from);
}
