import { isText } from "./column.ts";
import type { Column } from "./column.ts";

/** What the grid shows of a cell; "" where it is missing. */
export function textAt(column: Column, row: number): string {
  if (isText(column)) return column.categories[column.codes[row] ?? -1] ?? "";
  if (column.exact !== undefined) return column.exact.categories[column.exact.codes[row] ?? -1] ?? "";
  const number = column.numbers[row] ?? Number.NaN;
  return Number.isNaN(number) ? "" : numberText(column.type, number);
}

/** What the grid shows of a number in a column of a type. */
export function numberText(type: "int" | "double" | "bool" | "datetime", number: number): string {
  switch (type) {
    case "int":
    case "double":
      // The shortest digits that mean this double and no other.
      return String(number);
    case "bool":
      return number === 0 ? "false" : "true";
    case "datetime":
      return dateText(number);
  }
}

/** Digits of a figure that was computed, such as a mean. Digits before the point are all shown. */
const FIGURE_DIGITS = 10;
/** Beyond these a double holds only the noise of binary fractions. */
const SURE_DIGITS = 15;
const LEAST_FRACTION = 2;
const MOST_FRACTION = 20;

/**
 * A computed number for statistics, tooltips and sentences: digits in groups, none invented, `≈` before it where digits are left out.
 * "" for none.
 */
export function figure(value: number): string {
  if (Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size > Number.MAX_SAFE_INTEGER || (size !== 0 && size < SMALLEST)) return marked(value, wideFigure(value));
  const before = size < 1 ? 0 : Math.floor(Math.log10(size)) + 1;
  const fraction = Math.min(MOST_FRACTION, Math.max(LEAST_FRACTION, FIGURE_DIGITS - before));
  const digits = Number(value.toFixed(fraction));
  const text = value.toLocaleString("en", { maximumFractionDigits: fraction, useGrouping: "min2" });
  return marked(value, { digits, text });
}

function wideFigure(value: number): { readonly digits: number; readonly text: string } {
  const digits = Number(value.toPrecision(FIGURE_DIGITS));
  return { digits, text: digits.toExponential().replace("e+", "e") };
}

function marked(value: number, shown: { readonly digits: number; readonly text: string }): string {
  const isWhole = value === shown.digits || Number(value.toPrecision(SURE_DIGITS)) === shown.digits;
  return isWhole ? shown.text : `≈${shown.text}`;
}

const STEPS = [
  { from: 1e12, divisor: 1e12, letter: "T" },
  { from: 1e9, divisor: 1e9, letter: "B" },
  { from: 1e6, divisor: 1e6, letter: "M" },
  { from: 1e4, divisor: 1e3, letter: "k" },
] as const;
const LARGEST = 1e15;
const SMALLEST = 1e-4;

/** For axes and for labels in pictures, where there is little room: `1.23M`, `12.3k`, `0.25`, `1.2e-7`; "" for none. */
export function shortNumber(value: number): string {
  if (Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size !== 0 && (size >= LARGEST || size < SMALLEST)) return exponential(value);
  if (size < 1e4) {
    const few = Number(value.toPrecision(4));
    if (Math.abs(few) < 1e4) return String(few);
  }
  // 999,999 is 1M, not 1000k: the step is that of the rounded number.
  const rounded = Math.abs(Number(value.toPrecision(3)));
  const step = STEPS.find(({ from }) => rounded >= from);
  if (step === undefined) return exponential(value);
  return `${String(Number((value / step.divisor).toPrecision(3)))}${step.letter}`;
}

function exponential(value: number): string {
  const [digits = "", power = ""] = value.toExponential(2).split("e");
  return `${String(Number(digits))}e${power.replace("+", "")}`;
}

/** In UTC: the day alone at midnight, else with the time as fine as it is; "" for none. */
export function dateText(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return "";
  // Rounding first: a microsecond is a fraction that a double holds only nearly.
  const micros = Math.round((ms - Math.floor(ms)) * 1_000);
  if (micros !== 0) return microText(Math.floor(ms), micros);
  const text = date.toISOString();
  const at = text.indexOf("T");
  const day = text.slice(0, at);
  if (text.endsWith("T00:00:00.000Z")) return day;
  const clock = text.slice(at + 1, -1);
  if (!clock.endsWith(".000")) return `${day} ${clock}`;
  return `${day} ${clock.endsWith(":00.000") ? clock.slice(0, 5) : clock.slice(0, 8)}`;
}

function microText(ms: number, micros: number): string {
  if (micros === 1_000) return dateText(ms + 1);
  const text = new Date(ms).toISOString();
  return `${text.slice(0, -1).replace("T", " ")}${String(micros).padStart(3, "0").replace(/0+$/, "")}`;
}
