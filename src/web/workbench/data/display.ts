import type { ColumnFormat, DateFormat, NumberFormat } from "./column-format.ts";
import { isMissing, isText, type Column } from "./column.ts";
import { MONTHS } from "./dates.ts";
import { dateText, textAt } from "./format.ts";

/** What a person sees of a cell: in the column's format, else as `textAt`. "" where it is missing. */
export function shownAt(column: Column, row: number): string {
  const { format } = column;
  if (format === undefined || isMissing(column, row)) return textAt(column, row);
  if (!isText(column) && column.exact === undefined) return showerOf(format)(column.numbers[row] ?? Number.NaN);
  // Decimals and large whole numbers keep all their digits.
  const text = textAt(column, row);
  return isPlainNumber(text) ? showerOf(format)(text) : text;
}

/** A number or a time in a format; NaN is "". */
export function formatted(value: number, format: ColumnFormat): string {
  return Number.isNaN(value) ? "" : showerOf(format)(value);
}

/** A number for `Intl`, which takes texts of decimal numbers exactly. */
type ShownNumber = number | `${number}`;
type Shower = (value: ShownNumber) => string;

function isPlainNumber(text: string): text is `${number}` {
  return /^-?\d+(?:\.\d+)?$/.test(text);
}

/** Formats are frozen data: what shows them is made once for each. */
const showers = new WeakMap<ColumnFormat, Shower>();

function showerOf(format: ColumnFormat): Shower {
  const known = showers.get(format);
  if (known !== undefined) return known;
  const made = format.kind === "number" ? numberShower(format) : dateShower(format);
  showers.set(format, made);
  return made;
}

/** Languages that part digits in this way. */
const LANGUAGES: Readonly<Record<NumberFormat["groups"], string>> = {
  comma: "en-US",
  point: "de-DE",
  space: "fr-FR",
  apostrophe: "de-CH",
  none: "en-US",
};
/** Digits behind the point where none are asked for: as many as a double can have. */
const ALL_DIGITS = 20;
const SHORT_DIGITS = 2;

function numberShower({ style, groups, digits, currency = "USD" }: NumberFormat): Shower {
  const most = style === "currency" || style === "short" ? SHORT_DIGITS : ALL_DIGITS;
  const least = style === "currency" ? SHORT_DIGITS : 0;
  const intl = new Intl.NumberFormat(LANGUAGES[groups], {
    useGrouping: groups === "none" ? false : "always",
    minimumFractionDigits: digits ?? least,
    maximumFractionDigits: digits ?? most,
    ...(style === "percent" ? { style } : {}),
    ...(style === "currency" ? { style, currency, currencyDisplay: "narrowSymbol" } : {}),
    ...(style === "scientific" ? { notation: style } : {}),
    ...(style === "short" ? { notation: "compact" } : {}),
  });
  return (value) => intl.format(value);
}

function dateShower({ style, zone }: DateFormat): Shower {
  const shift = zone === undefined ? (ms: number) => ms : zoneShift(zone);
  return (value) => {
    const ms = shift(Number(value));
    const text = new Date(ms);
    return Number.isNaN(text.getTime()) ? "" : dateIn(style, ms);
  };
}

function dateIn(style: DateFormat["style"], ms: number): string {
  const date = new Date(ms);
  const [day = "", clock = ""] = date.toISOString().slice(0, -1).split("T");
  const [year, month, dayOfMonth] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  const two = (number: number): string => String(number).padStart(2, "0");
  switch (style) {
    case "full":
      return dateText(ms);
    case "day":
      return day;
    case "minute":
      return `${day} ${clock.slice(0, 5)}`;
    case "second":
      return `${day} ${clock.slice(0, 8)}`;
    case "us":
      return `${month + 1}/${dayOfMonth}/${year}`;
    case "european":
      return `${two(dayOfMonth)}.${two(month + 1)}.${year}`;
    case "long":
      return `${dayOfMonth} ${MONTHS[month] ?? ""} ${year}`;
    case "month":
      return `${MONTHS[month] ?? ""} ${year}`;
    case "year":
      return String(year);
    case "time":
      return clock.slice(0, 8);
  }
}

const SECOND_MS = 1_000;
/** 0001-01-01: before it `Intl` counts years backwards. */
const FIRST_YEAR_MS = -62_135_596_800_000;

/** What clocks of a zone show, as a time in UTC. */
function zoneShift(zone: string): (ms: number) => number {
  const intl = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (ms) => {
    if (!(ms >= FIRST_YEAR_MS)) return ms;
    const part = new Map(intl.formatToParts(ms).map(({ type, value }) => [type, Number(value)]));
    const clock = new Date(0);
    clock.setUTCFullYear(part.get("year") ?? 0, (part.get("month") ?? 1) - 1, part.get("day") ?? 1);
    clock.setUTCHours(part.get("hour") ?? 0, part.get("minute") ?? 0, part.get("second") ?? 0);
    return clock.getTime() + (ms - Math.floor(ms / SECOND_MS) * SECOND_MS);
  };
}
