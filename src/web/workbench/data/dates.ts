/** Days since 1970 of a day of the Gregorian calendar; faster than Date.UTC, and right for the years 0 to 99. */
function daysSince1970(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year;
  const era = Math.floor(shifted / 400);
  const yearOfEra = shifted - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  return (
    era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
  );
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const DAY = 86_400_000;

/** Milliseconds since 1970 (UTC); NaN where there is no such day. */
export function dayToTime(year: number, month: number, day: number): number {
  if (!(month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month))) return Number.NaN;
  return daysSince1970(year, month, day) * DAY;
}

const ZERO = 48;

function twoDigits(bytes: Uint8Array, at: number): number {
  const tens = (bytes[at] ?? 0) - ZERO;
  const units = (bytes[at + 1] ?? 0) - ZERO;
  return tens >= 0 && tens <= 9 && units >= 0 && units <= 9 ? tens * 10 + units : Number.NaN;
}

/** Year and month alone are taken for a date only where they look like one: `2024-05`, not `1234-12`. */
const FIRST_YEAR_OF_MONTHS = 1800;
const LAST_YEAR_OF_MONTHS = 2199;

/** `2024-05-17`, `2024/05/17`, `2024-05`, with or without `T12:30`, `12:30:05.250`, `Z`, `+02:00`. No zone means UTC. NaN where it is none. */
export function isoTime(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 7) return Number.NaN;
  const year = twoDigits(bytes, start) * 100 + twoDigits(bytes, start + 2);
  const separator = bytes[start + 4];
  if (Number.isNaN(year) || (separator !== 45 && separator !== 47)) return Number.NaN;
  const month = twoDigits(bytes, start + 5);
  if (end - start === 7) {
    return year >= FIRST_YEAR_OF_MONTHS && year <= LAST_YEAR_OF_MONTHS ? dayToTime(year, month, 1) : Number.NaN;
  }
  if (end - start < 10 || bytes[start + 7] !== separator) return Number.NaN;
  const day = dayToTime(year, month, twoDigits(bytes, start + 8));
  if (end - start === 10) return day;
  const gap = bytes[start + 10];
  return gap === 84 || gap === 116 || gap === 32 ? day + clockTime(bytes, start + 11, end) : Number.NaN;
}

/** `12:30`, `12:30:05`, `12:30:05.250`, then nothing, `Z` or an offset; in milliseconds. */
function clockTime(bytes: Uint8Array, start: number, end: number): number {
  const hour = twoDigits(bytes, start);
  const minute = twoDigits(bytes, start + 3);
  if (end - start < 5 || bytes[start + 2] !== 58 || !(hour < 24) || !(minute < 60)) return Number.NaN;
  let time = (hour * 60 + minute) * 60_000;
  let at = start + 5;
  if (bytes[at] === 58 && at < end) {
    const second = twoDigits(bytes, at + 1);
    if (at + 3 > end || !(second < 60)) return Number.NaN;
    time += second * 1_000;
    at += 3;
    if (at < end && (bytes[at] === 46 || bytes[at] === 44)) {
      at += 1;
      let micros = 0;
      let scale = 100_000;
      const first = at;
      while (at < end && (bytes[at] ?? 0) >= ZERO && (bytes[at] ?? 0) <= ZERO + 9) {
        // Finer than a microsecond is cut off: a double of milliseconds holds no more.
        if (scale >= 1) micros += ((bytes[at] ?? 0) - ZERO) * scale;
        scale /= 10;
        at += 1;
      }
      if (at === first) return Number.NaN;
      // The offset is whole, so nothing rounds twice.
      return time - zoneOffset(bytes, at, end) + micros / 1_000;
    }
  }
  return time - zoneOffset(bytes, at, end);
}

function zoneOffset(bytes: Uint8Array, start: number, end: number): number {
  if (start === end) return 0;
  const first = bytes[start];
  if (first === 90 || first === 122) return start + 1 === end ? 0 : Number.NaN;
  if (first !== 43 && first !== 45) return Number.NaN;
  const hours = twoDigits(bytes, start + 1);
  let minutes = 0;
  if (end - start === 6 && bytes[start + 3] === 58) minutes = twoDigits(bytes, start + 4);
  else if (end - start === 5) minutes = twoDigits(bytes, start + 3);
  else if (end - start !== 3) return Number.NaN;
  if (!(hours < 24) || !(minutes < 60)) return Number.NaN;
  return (first === 45 ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

const CLOCK = String.raw`(?:,?[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(?: ?([AaPp])[Mm])?)?$`;
const BY_NUMBERS = new RegExp(String.raw`^(\d{1,2})([/.-])(\d{1,2})\2(\d{4})` + CLOCK);
const DAY_FIRST = new RegExp(String.raw`^(\d{1,2})[ -]([A-Za-z]{3,9})\.?,?[ -](\d{4})` + CLOCK);
const MONTH_FIRST = new RegExp(String.raw`^([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4})` + CLOCK);

export const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

/** Longer texts are no dates; it bounds the work of the patterns. */
export const LONGEST_DATE = 40;

function monthOf(word: string): number {
  const lower = word.toLowerCase();
  if (lower === "sept") return 9;
  return MONTHS.map((name) => name.toLowerCase()).findIndex((name) => name === lower || name.slice(0, 3) === lower) + 1;
}

function clockOf(parts: readonly (string | undefined)[]): number {
  const [hours, minutes, seconds, fraction, half] = parts;
  if (hours === undefined) return 0;
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return Number.NaN;
    hour = (hour % 12) + (half.toLowerCase() === "p" ? 12 : 0);
  }
  const minute = Number(minutes);
  const second = Number(seconds ?? "0");
  if (hour > 23 || minute > 59 || second > 59) return Number.NaN;
  const micros = Number((fraction ?? "").slice(0, 6).padEnd(6, "0"));
  return ((hour * 60 + minute) * 60 + second) * 1_000 + micros / 1_000;
}

export interface CommonDate {
  /** `5/17/2024` read with the month first; NaN where it cannot be. */
  readonly monthFirst: number;
  /** `17/5/2024`, `17.5.2024`. */
  readonly dayFirst: number;
  /** `17 May 2024`, `May 17, 2024`. */
  readonly named: number;
}

/** What a text means in the forms that people write. Undefined: no date in any of them. */
export function commonDate(text: string): CommonDate | undefined {
  if (text.length > LONGEST_DATE) return undefined;
  const numbers = BY_NUMBERS.exec(text);
  if (numbers !== null) {
    const [, first, separator, second, year, ...clock] = numbers;
    const time = clockOf(clock);
    const dayFirst = dayToTime(Number(year), Number(second), Number(first)) + time;
    const monthFirst = separator === "." ? Number.NaN : dayToTime(Number(year), Number(first), Number(second)) + time;
    return { monthFirst, dayFirst, named: Number.NaN };
  }
  const named = DAY_FIRST.exec(text);
  if (named !== null) return onlyNamed(named[3], named[2], named[1], named.slice(4));
  const american = MONTH_FIRST.exec(text);
  return american === null ? undefined : onlyNamed(american[3], american[1], american[2], american.slice(4));
}

function onlyNamed(
  year: string | undefined,
  month: string | undefined,
  day: string | undefined,
  clock: readonly (string | undefined)[],
): CommonDate {
  const named = dayToTime(Number(year), monthOf(month ?? ""), Number(day)) + clockOf(clock);
  return { monthFirst: Number.NaN, dayFirst: Number.NaN, named };
}
