import { isText } from "./column.ts";
import type { Column } from "./column.ts";

/** Digits of a double that are shown: enough to tell apart what was measured, and none of the noise of binary fractions. */
const SHOWN_DIGITS = 12;

/** What the grid shows of a cell; "" where it is missing. */
export function textAt(column: Column, row: number): string {
  if (isText(column)) return column.categories[column.codes[row] ?? -1] ?? "";
  const number = column.numbers[row] ?? Number.NaN;
  return Number.isNaN(number) ? "" : numberText(column.type, number);
}

/** What the grid shows of a number in a column of a type. */
export function numberText(type: "int" | "double" | "bool" | "datetime", number: number): string {
  switch (type) {
    case "int":
      return String(number);
    case "double":
      return String(Number(number.toPrecision(SHOWN_DIGITS)));
    case "bool":
      return number === 0 ? "false" : "true";
    case "datetime":
      return dateText(number);
  }
}

const STEPS = [
  { from: 1e12, divisor: 1e12, letter: "T" },
  { from: 1e9, divisor: 1e9, letter: "B" },
  { from: 1e6, divisor: 1e6, letter: "M" },
  { from: 1e4, divisor: 1e3, letter: "k" },
] as const;
const LARGEST = 1e15;
const SMALLEST = 1e-4;

/** For axes and labels: `1.23M`, `12.3k`, `0.25`, `1.2e-7`; "" for none. */
export function shortNumber(value: number): string {
  if (Number.isNaN(value)) return "";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "-∞";
  const size = Math.abs(value);
  if (size !== 0 && (size >= LARGEST || size < SMALLEST)) return exponential(value);
  const step = STEPS.find(({ from }) => size >= from);
  if (step === undefined) return String(Number(value.toPrecision(4)));
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
  const text = date.toISOString();
  const at = text.indexOf("T");
  const day = text.slice(0, at);
  if (text.endsWith("T00:00:00.000Z")) return day;
  const clock = text.slice(at + 1, -1);
  if (!clock.endsWith(".000")) return `${day} ${clock}`;
  return `${day} ${clock.endsWith(":00.000") ? clock.slice(0, 5) : clock.slice(0, 8)}`;
}
