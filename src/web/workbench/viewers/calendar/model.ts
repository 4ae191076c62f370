import { Bits } from "../../data/bits.ts";
import { isNumeric } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { chosen, flagOf } from "../look.ts";
import type { Look } from "../viewer.ts";

const DAY_MS = 86_400_000;
/** Days from the first to the last: two centuries. */
const MOST_DAYS = 73_100;

export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;

export interface Day {
  /** Days since 1970, UTC. */
  readonly day: number;
  readonly year: number;
  /** From 0. */
  readonly month: number;
  /** From 1. */
  readonly date: number;
  /** 0: Monday. */
  readonly weekday: number;
  /** Rows that are counted. */
  readonly count: number;
  /** Of these, those that are selected. */
  readonly selected: number;
  /** Whether it is drawn in red. */
  readonly red: boolean;
  /** Share of the busiest day, 0 to 1. */
  readonly share: number;
}

export interface CalendarModel {
  /** Whole weeks from Monday, without gaps. */
  readonly weeks: number;
  /** The Monday of the first week, days since 1970. */
  readonly first: number;
  /** The first and the last day with rows, days since 1970. */
  readonly from: number;
  readonly to: number;
  /** By day from `first`. */
  readonly counts: Int32Array;
  readonly selected: Int32Array;
  /** Rows of the busiest day. */
  readonly busiest: number;
  readonly redWeekends: boolean;
  /** Rows without a date. */
  readonly without: number;
}

/** Words instead of a model where there is nothing to show. */
export function calendarOf(table: Table, look: Look, shown: Bits = table.filtered): CalendarModel | string {
  const column = chosen(table, look, "dateColumnName");
  if (column === undefined || !isNumeric(column) || column.type !== "datetime") return "Choose a column of dates.";
  const { numbers } = column;
  const onlyFiltered = flagOf(look, "showFilteredOnly");
  const rows = (onlyFiltered ? shown : Bits.all(table.rowCount)).toArray();
  const [from, to] = boundsOf(numbers, rows);
  if (from > to)
    return onlyFiltered ? `No row that is shown has a date in ${column.name}.` : `${column.name} is empty.`;
  const first = from - weekdayOf(from);
  const weeks = Math.ceil((to - first + 1) / 7);
  if (weeks * 7 > MOST_DAYS)
    return `${column.name} reaches from ${isoDay(from)} to ${isoDay(to)}, more than 200 years. Filter it.`;
  const counts = new Int32Array(weeks * 7);
  const selected = new Int32Array(weeks * 7);
  let without = 0;
  for (const row of rows) {
    const value = numbers[row] ?? Number.NaN;
    if (Number.isNaN(value)) {
      without += 1;
      continue;
    }
    const at = Math.floor(value / DAY_MS) - first;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  const marked = onlyFiltered ? table.selected.and(shown) : table.selected;
  for (const row of marked.toArray()) {
    const at = Math.floor((numbers[row] ?? Number.NaN) / DAY_MS) - first;
    if (!Number.isNaN(at)) selected[at] = (selected[at] ?? 0) + 1;
  }
  const busiest = counts.reduce((most, count) => Math.max(most, count), 0);
  return { weeks, first, from, to, counts, selected, busiest, redWeekends: flagOf(look, "redWeekends"), without };
}

/** The seven days of a week, Monday first. */
export function weekOf(model: CalendarModel, week: number): readonly Day[] {
  return WEEKDAYS.map((_, weekday) => {
    const at = week * 7 + weekday;
    const day = model.first + at;
    const date = new Date(day * DAY_MS);
    const count = model.counts[at] ?? 0;
    return {
      day,
      year: date.getUTCFullYear(),
      month: date.getUTCMonth(),
      date: date.getUTCDate(),
      weekday,
      count,
      selected: model.selected[at] ?? 0,
      red: model.redWeekends && weekday >= 5,
      share: model.busiest === 0 ? 0 : count / model.busiest,
    };
  });
}

/** The month that begins in a week, or the first week's: it is written beside that week. */
export function monthMark(days: readonly Day[], week: number): Day | undefined {
  return days.find(({ date }) => date === 1) ?? (week === 0 ? days[0] : undefined);
}

/** What was pointed at: a day, a month or a weekday. */
export type DateSpan =
  | { readonly kind: "day"; readonly day: number }
  | { readonly kind: "month"; readonly year: number; readonly month: number }
  | { readonly kind: "weekday"; readonly weekday: number };

export function rowsIn(table: Table, look: Look, span: DateSpan, shown: Bits = table.filtered): readonly number[] {
  const column = chosen(table, look, "dateColumnName");
  if (column === undefined || !isNumeric(column)) return [];
  const onlyFiltered = flagOf(look, "showFilteredOnly");
  const inside = insideOf(span);
  const rows: number[] = [];
  for (let row = 0; row < column.numbers.length; row += 1) {
    const value = column.numbers[row] ?? Number.NaN;
    if (!Number.isNaN(value) && inside(Math.floor(value / DAY_MS)) && (!onlyFiltered || shown.has(row))) rows.push(row);
  }
  return rows;
}

function insideOf(span: DateSpan): (day: number) => boolean {
  switch (span.kind) {
    case "day":
      return (day) => day === span.day;
    case "weekday":
      return (day) => weekdayOf(day) === span.weekday;
    case "month": {
      const from = Date.UTC(span.year, span.month, 1) / DAY_MS;
      const end = Date.UTC(span.year, span.month + 1, 1) / DAY_MS;
      return (day) => day >= from && day < end;
    }
  }
}

export function isoDay(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** 0: Monday. The first of January 1970 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

/** First and last day; the first is after the last where there is none. */
function boundsOf(numbers: Float64Array, rows: Int32Array): readonly [number, number] {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    const value = numbers[row] ?? Number.NaN;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [Math.floor(least / DAY_MS), Math.floor(most / DAY_MS)];
}
