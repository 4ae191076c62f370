import { asNumber } from "./code.ts";
import { argument, formulaFunction, finite, MANY, ofNumber } from "./function.ts";
import type { FunctionCall, FormulaFunction, FunctionResult } from "./function.ts";

function ofTwo(
  name: string,
  form: string,
  about: string,
  work: (left: number, right: number) => number,
): FormulaFunction {
  const make = (call: FunctionCall): FunctionResult => {
    const left = asNumber(argument(call, 0), name).at;
    const right = asNumber(argument(call, 1), name).at;
    return { type: "double", at: (row) => finite(work(left(row), right(row))) };
  };
  return { name, form, about, least: 2, most: 2, make };
}

/** Of all its arguments. */
function ofMany(
  name: string,
  about: string,
  work: (sofar: number, number: number) => number,
  end: (result: number, count: number) => number = (result) => result,
): FormulaFunction {
  const make = (call: FunctionCall): FunctionResult => {
    const codes = call.given.map((code) => asNumber(code, name));
    const [first, ...others] = codes.map(({ at }) => at);
    const whole = name !== "Avg" && codes.every(({ type }) => type === "int");
    return {
      type: whole ? "int" : "double",
      at: (row) => {
        let result = first?.(row) ?? Number.NaN;
        for (const at of others) result = work(result, at(row));
        return finite(end(result, codes.length));
      },
    };
  };
  return { name, form: `${name}(x, y, …)`, about, least: 1, most: MANY, make };
}

const MOST_DIGITS = 15;
const POWERS = Array.from({ length: MOST_DIGITS + 1 }, (_, power) => 10 ** power);
/** As near to a half, the binary fraction does not tell which way the decimal number goes. */
const NEAR_HALF = 1e-6;
const LARGEST_SCALED = 2 ** 50;

/** Halves go away from zero; by the decimal digits, so that 1.005 becomes 1.01. */
function roundTo(number: number, digits: number): number {
  if (!Number.isFinite(number) || !Number.isFinite(digits)) return Number.NaN;
  const places = Math.max(-MOST_DIGITS, Math.min(MOST_DIGITS, Math.trunc(digits)));
  const size = Math.abs(number);
  const power = POWERS[places];
  if (power !== undefined) {
    const scaled = size * power;
    if (scaled < LARGEST_SCALED && Math.abs(scaled - Math.floor(scaled) - 0.5) > NEAR_HALF)
      return Math.sign(number) * (Math.round(scaled) / power);
  }
  const shifted = shift(size, places);
  const whole = Math.floor(shifted) + (shifted - Math.floor(shifted) >= 0.5 ? 1 : 0);
  return Math.sign(number) * shift(whole, -places);
}

/** Moves the decimal point of what the number reads as. */
function shift(number: number, places: number): number {
  const [digits = "0", power = "0"] = String(number).split("e");
  return Number(`${digits}e${Number(power) + places}`);
}

function makeRound(call: FunctionCall): FunctionResult {
  const number = asNumber(argument(call, 0), "Round").at;
  if (call.given.length < 2) return { type: "int", at: (row) => roundTo(number(row), 0) };
  const digits = asNumber(argument(call, 1), "Round").at;
  return { type: "double", at: (row) => roundTo(number(row), digits(row)) };
}

function makeLog(call: FunctionCall): FunctionResult {
  const number = asNumber(argument(call, 0), "Log").at;
  if (call.given.length < 2) return { type: "double", at: (row) => finite(Math.log(number(row))) };
  const base = asNumber(argument(call, 1), "Log").at;
  return { type: "double", at: (row) => finite(Math.log(number(row)) / Math.log(base(row))) };
}

export const MATH: readonly FormulaFunction[] = [
  {
    ...ofNumber("Abs", "the size without the sign", "double", Math.abs),
    make: (call) => {
      const { type, at } = asNumber(argument(call, 0), "Abs");
      return { type, at: (row) => Math.abs(at(row)) };
    },
  },
  ofNumber("Ceil", "the next whole number above", "int", Math.ceil),
  ofNumber("Floor", "the next whole number below", "int", Math.floor),
  ofNumber("Trunc", "without what is behind the point", "int", Math.trunc),
  ofNumber("Sign", "-1, 0 or 1", "int", Math.sign),
  formulaFunction("Round(x, digits?)", "rounded, halves away from zero", [1, 2], makeRound),
  ofNumber("Sqrt", "square root", "double", Math.sqrt),
  ofTwo("Pow", "Pow(x, power)", "x ^ power", (left, right) => left ** right),
  ofTwo(
    "Mod",
    "Mod(x, y)",
    "what is left of x / y, with the sign of y",
    (left, right) => left - right * Math.floor(left / right),
  ),
  ofNumber("Exp", "e ^ x", "double", Math.exp),
  ofNumber("Ln", "natural logarithm", "double", Math.log),
  formulaFunction("Log(x, base?)", "logarithm, natural without a base", [1, 2], makeLog),
  ofNumber("Log10", "logarithm of base 10", "double", Math.log10),
  ofNumber("Log2", "logarithm of base 2", "double", Math.log2),
  ofNumber("Sin", "sine of radians", "double", Math.sin),
  ofNumber("Cos", "cosine of radians", "double", Math.cos),
  ofNumber("Tan", "tangent of radians", "double", Math.tan),
  ofNumber("Asin", "arc sine, radians", "double", Math.asin),
  ofNumber("Acos", "arc cosine, radians", "double", Math.acos),
  ofNumber("Atan", "arc tangent, radians", "double", Math.atan),
  ofTwo("Atan2", "Atan2(y, x)", "angle of a point, radians", Math.atan2),
  // Not Math.min: it is missing where one of them is.
  ofMany("Min", "the least of its arguments", (least, number) =>
    number < least || Number.isNaN(number) ? number : least,
  ),
  ofMany("Max", "the greatest of its arguments", (most, number) =>
    number > most || Number.isNaN(number) ? number : most,
  ),
  ofMany("Sum", "its arguments added up", (sum, number) => sum + number),
  ofMany(
    "Avg",
    "the mean of its arguments",
    (sum, number) => sum + number,
    (sum, count) => sum / count,
  ),
  ofTwo("Bin", "Bin(x, width)", "the lower end of the bin that x falls into", (left, right) =>
    right > 0 ? Math.floor(left / right) * right : Number.NaN,
  ),
];
