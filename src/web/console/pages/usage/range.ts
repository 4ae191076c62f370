import { t } from "../../../ui/language/t.ts";

/** Days, `2026-11-15`, UTC, both inclusive. */
export interface DayRange {
  readonly from: string;
  readonly to: string;
}

export const PRESETS = [7, 30, 90] as const;
const DAY_MS = 86_400_000;
/** More bars than this are too thin to point at: months instead. */
const MAX_DAY_BARS = 100;
/** Months that a chart shows at most; older ones are in the table and the file. */
const MAX_MONTH_BARS = 120;

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** The last `days` days, including today. */
export function lastDays(days: number, now: number): DayRange {
  return { from: dayOf(now - (days - 1) * DAY_MS), to: dayOf(now) };
}

/** What is wrong with a typed range; absent: nothing. */
export function rangeProblem({ from, to }: DayRange): string | undefined {
  if (!isDay(from) || !isDay(to)) return t("Both must be days, such as 2026-11-15.");
  return from > to ? t("The first day must not be after the last one.") : undefined;
}

function isDay(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(Date.parse(text)) && dayOf(Date.parse(text)) === text;
}

/** Every position of the time axis: days, or months if there are too many days. */
export function placesOf({ from, to }: DayRange): { readonly places: readonly string[]; readonly months: boolean } {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  if (days <= MAX_DAY_BARS) {
    const start = Date.parse(from);
    return { places: Array.from({ length: days }, (_, index) => dayOf(start + index * DAY_MS)), months: false };
  }
  const last = monthNumber(to);
  const first = Math.max(monthNumber(from), last - MAX_MONTH_BARS + 1);
  return { places: Array.from({ length: last - first + 1 }, (_, index) => monthName(first + index)), months: true };
}

function monthNumber(day: string): number {
  return Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;
}

function monthName(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;
}
