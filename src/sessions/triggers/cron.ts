import { Failure, LIMITS } from "../../protocol/index.ts";

/** The minutes, hours, days and months of a cron expression. */
export interface Cron {
  readonly minutes: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  /** 0 is Sunday. */
  readonly weekdays: ReadonlySet<number>;
  /** Whether days of the month, or of the week, are named: if both are, either will do. */
  readonly namesDays: boolean;
  readonly namesWeekdays: boolean;
}

interface CronField {
  readonly what: string;
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const FIELDS = [
  { what: "minute", from: 0, to: 59 },
  { what: "hour", from: 0, to: 23 },
  { what: "day of the month", from: 1, to: 31 },
  { what: "month", from: 1, to: 12, names: MONTHS },
  { what: "day of the week", from: 0, to: 7, names: WEEKDAYS },
] as const satisfies readonly CronField[];

const SHORT: Readonly<Record<string, string>> = {
  "@hourly": "0 * * * *",
  "@daily": "0 0 * * *",
  "@weekly": "0 0 * * 0",
  "@monthly": "0 0 1 * *",
  "@yearly": "0 0 1 1 *",
};

/** A Failure names the field that cannot be read. */
export function parseCron(text: string): Cron {
  const name = text.trim().toLowerCase();
  const fields = ((Object.hasOwn(SHORT, name) ? SHORT[name] : undefined) ?? text).trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    throw mistake(`has ${fields.length} fields; it needs 5: minute, hour, day of the month, month, day of the week`);
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, index) =>
    parseField(fields[index] ?? "", field),
  ) as [Set<number>, Set<number>, Set<number>, Set<number>, Set<number>];
  if (weekdays.delete(7)) weekdays.add(0);
  const names = (index: number): boolean => !(fields[index] ?? "").startsWith("*");
  return { minutes, hours, days, months, weekdays, namesDays: names(2), namesWeekdays: names(4) };
}

function parseField(text: string, field: CronField): Set<number> {
  const found = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const by = step === undefined ? 1 : Number(step);
    if (range === "" || by < 1) throw mistake(`${field.what}: ${part} cannot be read`);
    const [low, high] = rangeOf(range, field, { isStepped: step !== undefined });
    for (let value = low; value <= high; value += by) found.add(value);
  }
  return found;
}

function rangeOf(
  text: string,
  field: CronField,
  { isStepped }: { readonly isStepped: boolean },
): readonly [number, number] {
  if (text === "*") return [field.from, field.what === "day of the week" ? 6 : field.to];
  const [first = "", last, more] = text.split("-");
  const low = valueOf(first, field);
  const high = last === undefined ? (isStepped ? field.to : low) : valueOf(last, field);
  if (more !== undefined || high < low) throw mistake(`${field.what}: ${text} is no range`);
  return [low, high];
}

function valueOf(text: string, { what, from, to, names }: CronField): number {
  const named = names?.indexOf(text.toLowerCase()) ?? -1;
  const value = named >= 0 ? named + from : Number(text);
  if (!/^\d+$/.test(text) && named < 0) throw mistake(`${what}: ${text} cannot be read`);
  if (value < from || value > to) throw mistake(`${what}: ${text} is not between ${from} and ${to}`);
  return value;
}

function mistake(why: string): Failure {
  return new Failure("invalid_request", `cron: ${why}`);
}

/** The local time of a zone, without its offset. */
interface LocalTime {
  readonly year: number;
  /** From 1. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

export type ZoneClock = (ms: number) => LocalTime;

/** Reads clocks in a time zone. A Failure if there is no such zone. */
export function zoneClock(time_zone: string): ZoneClock {
  const format = formatFor(time_zone);
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0 } = parts;
    return { year, month, day, hour, minute };
  };
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  const digits = { year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric" } as const;
  try {
    return new Intl.DateTimeFormat("en-US", { ...digits, calendar: "gregory", hourCycle: "h23", timeZone });
  } catch {
    throw new Failure(
      "invalid_request",
      `time_zone: there is no time zone ${timeZone}; write one such as Europe/Madrid`,
    );
  }
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/**
 * The first time after `after` (both milliseconds since the epoch). Undefined: there is none. A time that the clocks jump over
 * in spring counts at its offset of before; one that they show twice in autumn counts the first time.
 */
export function nextTime(cron: Cron, read: ZoneClock, after: number): number | undefined {
  const start = read(after);
  const hours = sorted(cron.hours);
  const minutes = sorted(cron.minutes);
  for (let days = 0; days <= LIMITS.cronSearchDays; days += 1) {
    const date = new Date(Date.UTC(start.year, start.month - 1, start.day + days));
    if (!isDay(cron, date)) continue;
    const locals = hours.flatMap((hour) =>
      minutes.map((minute) => date.getTime() + hour * HOUR_MS + minute * MINUTE_MS),
    );
    const best = firstAfter(read, locals, after);
    if (best !== undefined) return best;
  }
  return undefined;
}

/** The first of a day's local times that comes after `after`. */
function firstAfter(read: ZoneClock, locals: readonly number[], after: number): number | undefined {
  const { least, most, at } = offsetsAbout(read, locals[0] ?? 0);
  let best: number | undefined;
  for (const local of locals) {
    if (local - least <= after) continue;
    // None of the rest can be earlier.
    if (best !== undefined && local - most >= best) break;
    const ms = instantOf(at, local);
    if (ms > after && (best === undefined || ms < best)) best = ms;
  }
  return best;
}

/** The zone's offsets from UTC about a day, in milliseconds. */
interface Offsets {
  readonly least: number;
  readonly most: number;
  /** For moments from a day before its beginning to a day after its end. */
  readonly at: (ms: number) => number;
}

/** A clock is asked a few times for the whole day, not for each of its minutes: one look takes as long as a thousand sums. */
function offsetsAbout(read: ZoneClock, day: number): Offsets {
  let [from, to] = [day - DAY_MS, day + 2 * DAY_MS];
  const [before, later] = [offsetAt(read, from), offsetAt(read, to)];
  const [least, most] = [Math.min(before, later), Math.max(before, later)];
  if (before === later) return { least, most, at: () => before };
  // The minute in which the clocks change.
  while (to - from > MINUTE_MS) {
    const middle = Math.floor((from + to) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(read, middle) === before) from = middle;
    else to = middle;
  }
  return { least, most, at: (ms) => (ms < to ? before : later) };
}

function isDay({ days, months, weekdays, namesDays, namesWeekdays }: Cron, date: Date): boolean {
  if (!months.has(date.getUTCMonth() + 1)) return false;
  const [isDate, isWeekday] = [days.has(date.getUTCDate()), weekdays.has(date.getUTCDay())];
  return namesDays && namesWeekdays ? isDate || isWeekday : isDate && isWeekday;
}

/** The moment at which the zone's clocks show this time. `local`: that time as if it were UTC. */
function instantOf(offset: Offsets["at"], local: number): number {
  const before = offset(local - DAY_MS);
  const later = offset(local + DAY_MS);
  const found = [local - before, local - later].filter((ms) => offset(ms) === local - ms);
  return found.length === 0 ? local - before : Math.min(...found);
}

function offsetAt(read: ZoneClock, ms: number): number {
  const { year, month, day, hour, minute } = read(ms);
  return Date.UTC(year, month - 1, day, hour, minute) - Math.floor(ms / MINUTE_MS) * MINUTE_MS;
}

function sorted(values: ReadonlySet<number>): readonly number[] {
  return [...values].toSorted((one, other) => one - other);
}
