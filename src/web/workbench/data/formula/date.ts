import { dayToTime } from "../dates.ts";
import { asDate, asNumber, asText } from "./code.ts";
import type { Code } from "./code.ts";
import { FormulaError } from "./error.ts";
import { argument, formulaFunction } from "./function.ts";
import type { FunctionCall, FormulaFunction, FunctionResult } from "./function.ts";
import { timeOfText } from "../text-value.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Milliseconds; months have no fixed length and are counted by the calendar. */
const LENGTHS: Readonly<Record<string, number>> = {
  second: SECOND,
  minute: MINUTE,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
};
const MONTHS: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };
const UNITS = [...Object.keys(LENGTHS), ...Object.keys(MONTHS)];

/** The last time that a Date can hold. */
const LAST_TIME = 8.64e15;

function inRange(time: number): number {
  return Math.abs(time) <= LAST_TIME ? time : Number.NaN;
}

function ofDate(name: string, about: string, work: (date: Date) => number): FormulaFunction {
  const make = (call: FunctionCall): FunctionResult => {
    const { at } = asDate(argument(call, 0), name);
    return {
      type: "int",
      at: (row) => {
        const time = at(row);
        return Number.isNaN(time) ? time : work(new Date(time));
      },
    };
  };
  return { name, form: `${name}(date)`, about, least: 1, most: 1, make };
}

/** The unit is written in the formula, so that a wrong one is found before the first row. */
function unitOf(code: Code, name: string): string {
  const text = code.source === "nothing" ? asText(code, name).at(0) : null;
  const unit = text?.toLowerCase().replace(/s$/, "") ?? "";
  if (!UNITS.includes(unit)) throw new FormulaError(`${name} needs a unit: "${UNITS.join('", "')}".`, code.position);
  return unit;
}

function addMonths(time: number, months: number): number {
  const date = new Date(time);
  const target = date.getUTCFullYear() * 12 + date.getUTCMonth() + months;
  const year = Math.floor(target / 12);
  const month = target - year * 12 + 1;
  // The 31st of a shorter month is its last day.
  for (let day = date.getUTCDate(); day > 27; day -= 1) {
    const start = dayToTime(year, month, day);
    if (!Number.isNaN(start)) return inRange(start + (time - Math.floor(time / DAY) * DAY));
  }
  return inRange(dayToTime(year, month, date.getUTCDate()) + (time - Math.floor(time / DAY) * DAY));
}

function makeAdd(call: FunctionCall): FunctionResult {
  const date = asDate(argument(call, 0), "DateAdd").at;
  const amount = asNumber(argument(call, 1), "DateAdd").at;
  const unit = call.given.length < 3 ? "day" : unitOf(argument(call, 2), "DateAdd");
  const length = LENGTHS[unit];
  if (length !== undefined) return { type: "datetime", at: (row) => inRange(date(row) + amount(row) * length) };
  const months = MONTHS[unit] ?? 1;
  return { type: "datetime", at: (row) => addMonths(date(row), Math.trunc(amount(row) * months)) };
}

/** Whole months between, fewer by one where the last is not full. */
function monthsBetween(from: number, to: number): number {
  if (Number.isNaN(from) || Number.isNaN(to)) return Number.NaN;
  if (to < from) return -monthsBetween(to, from);
  const start = new Date(from);
  const end = new Date(to);
  const months = (end.getUTCFullYear() - start.getUTCFullYear()) * 12 + end.getUTCMonth() - start.getUTCMonth();
  return addMonths(from, months) > to ? months - 1 : months;
}

function makeDiff(call: FunctionCall): FunctionResult {
  const from = asDate(argument(call, 0), "DateDiff").at;
  const to = asDate(argument(call, 1), "DateDiff").at;
  const unit = call.given.length < 3 ? "day" : unitOf(argument(call, 2), "DateDiff");
  const length = LENGTHS[unit];
  if (length !== undefined) return { type: "double", at: (row) => (to(row) - from(row)) / length };
  const months = MONTHS[unit] ?? 1;
  return { type: "int", at: (row) => Math.trunc(monthsBetween(from(row), to(row)) / months) };
}

function makeDate(call: FunctionCall): FunctionResult {
  if (call.given.length === 2)
    throw new FormulaError("Date needs a text, or year, month and day.", argument(call, 1).position);
  if (call.given.length === 1) {
    const given = argument(call, 0);
    if (given.type === "datetime") return { type: "datetime", at: given.at };
    const text = asText(given, "Date").at;
    return {
      type: "datetime",
      at: (row) => {
        const whole = text(row);
        return whole === null ? Number.NaN : timeOfText(whole);
      },
    };
  }
  const year = asNumber(argument(call, 0), "Date").at;
  const month = asNumber(argument(call, 1), "Date").at;
  const day = asNumber(argument(call, 2), "Date").at;
  return {
    type: "datetime",
    at: (row) => inRange(dayToTime(Math.trunc(year(row)), Math.trunc(month(row)), Math.trunc(day(row)))),
  };
}

export const DATE: readonly FormulaFunction[] = [
  ofDate("Year", "2024", (date) => date.getUTCFullYear()),
  ofDate("Quarter", "1 to 4", (date) => Math.floor(date.getUTCMonth() / 3) + 1),
  ofDate("Month", "1 to 12", (date) => date.getUTCMonth() + 1),
  ofDate("Day", "day of the month", (date) => date.getUTCDate()),
  ofDate("DayOfWeek", "1 is Monday, 7 is Sunday", (date) => date.getUTCDay() || 7),
  ofDate("Hour", "0 to 23", (date) => date.getUTCHours()),
  ofDate("Minute", "0 to 59", (date) => date.getUTCMinutes()),
  ofDate("Second", "0 to 59", (date) => date.getUTCSeconds()),
  formulaFunction("Date(text) or Date(year, month, day)", "a date; of a text without a zone in UTC", [1, 3], makeDate),
  formulaFunction(
    'DateAdd(date, amount, unit = "day")',
    "a later date; an earlier one for a negative amount",
    [2, 3],
    makeAdd,
  ),
  formulaFunction(
    'DateDiff(from, to, unit = "day")',
    "time between; months, quarters and years are counted in full ones",
    [2, 3],
    makeDiff,
  ),
];
