import { isNull, unified } from "./choice.ts";
import { asBool, asNumber, wordsOfType } from "./code.ts";
import type { Code, NumberCode } from "./code.ts";
import { FormulaError } from "./error.ts";
import { finite } from "./function.ts";
import type { FunctionResult } from "./function.ts";
import { timeOfText } from "../text-value.ts";
import type { Arithmetic, Comparison } from "./parse.ts";
import { concatenated } from "./text.ts";

const DAY = 86_400_000;

export function arithmetic(sign: Arithmetic, left: Code, right: Code, position: number): FunctionResult {
  if (sign === "+" && (left.type === "string" || right.type === "string")) return concatenated([left, right], position);
  const dates = dateArithmetic(sign, left, right);
  if (dates !== undefined) return dates;
  const where = `"${sign}"`;
  const first = asNumber(left, where);
  const second = asNumber(right, where);
  const whole = first.type === "int" && second.type === "int" && sign !== "/" && sign !== "^";
  return { type: whole ? "int" : "double", at: numberArithmetic(sign, first.at, second.at) };
}

type At = (row: number) => number;

/** What is no finite number, such as 1 / 0, is missing. */
function numberArithmetic(sign: Arithmetic, left: At, right: At): At {
  switch (sign) {
    case "+":
      return (row) => left(row) + right(row);
    case "-":
      return (row) => left(row) - right(row);
    case "*":
      return (row) => left(row) * right(row);
    case "/":
      return (row) => finite(left(row) / right(row));
    case "%":
      return (row) => left(row) % right(row);
    case "^":
      return (row) => finite(left(row) ** right(row));
  }
}

/** A date and a number of days, or the days between two dates. Undefined: no dates. */
function dateArithmetic(sign: Arithmetic, left: Code, right: Code): FunctionResult | undefined {
  if (left.type !== "datetime" && right.type !== "datetime") return undefined;
  if (sign === "-" && left.type === "datetime" && right.type === "datetime")
    return { type: "double", at: (row) => (left.at(row) - right.at(row)) / DAY };
  const [date, days] = left.type === "datetime" ? [left, right] : [right, left];
  if (date.type !== "datetime" || (sign !== "+" && !(sign === "-" && date === left)))
    throw new FormulaError(
      `"${sign}" cannot be done with a date: use date + days, date - days, date - date.`,
      right.position,
    );
  const { at } = asNumber(days, `A date "${sign}"`);
  const scale = sign === "+" ? DAY : -DAY;
  return { type: "datetime", at: (row) => date.at(row) + at(row) * scale };
}

export function negative(code: Code): FunctionResult {
  const { type, at } = asNumber(code, 'A "-" before a value');
  return { type, at: (row) => -at(row) };
}

export function not(code: Code): FunctionResult {
  const { at } = asBool(code, "`not`");
  return { type: "bool", at: (row) => 1 - at(row) };
}

/** A missing side does not matter where the other decides: false and missing is false. */
export function logic(sign: "and" | "or", left: Code, right: Code): FunctionResult {
  const first = asBool(left, `\`${sign}\``).at;
  const second = asBool(right, `\`${sign}\``).at;
  const deciding = sign === "and" ? 0 : 1;
  return {
    type: "bool",
    at: (row) => {
      const one = first(row);
      if (one === deciding) return deciding;
      const other = second(row);
      return other === deciding ? deciding : one + other - (sign === "and" ? 1 : 0);
    },
  };
}

/** A text beside a date is read as a date, if it is written in the formula. */
function asDatesWhereOneIs(codes: readonly Code[]): readonly Code[] {
  if (!codes.some((code) => code.type === "datetime")) return codes;
  return codes.map((code) => {
    if (code.type !== "string" || code.source !== "nothing") return code;
    const text = code.at(0);
    const time = text === null ? Number.NaN : timeOfText(text);
    if (Number.isNaN(time))
      throw new FormulaError(`"${text ?? ""}" is not a date: write it as "2024-05-17".`, code.position);
    const date: NumberCode = { type: "datetime", position: code.position, source: "nothing", at: () => time };
    return date;
  });
}

export function comparison(sign: Comparison, left: Code, right: Code): FunctionResult {
  if (left.type === "null" || right.type === "null")
    return withNull(sign, left.type === "null" ? right : left, left.position);
  const both = unified(asDatesWhereOneIs([left, right]), `"${sign}"`);
  if (both.type === "string") {
    const [first = () => null, second = () => null] = both.ats;
    return { type: "bool", at: textComparison(sign, first, second) };
  }
  if (both.type === "bool" && sign !== "=" && sign !== "!=")
    throw new FormulaError(`"${sign}" cannot order ${wordsOfType(left)}: use = or !=.`, left.position);
  const [first = Number, second = Number] = both.ats;
  return { type: "bool", at: numberComparison(sign, first, second) };
}

function withNull(sign: Comparison, code: Code, position: number): FunctionResult {
  const missing = isNull(code);
  if (sign === "=") return { type: "bool", at: missing };
  if (sign === "!=") return { type: "bool", at: (row) => 1 - missing(row) };
  throw new FormulaError(`"${sign}" cannot be done with null: use IsNull(x).`, position);
}

function numberComparison(sign: Comparison, left: At, right: At): At {
  const compare = (is: (one: number, other: number) => boolean): At => {
    return (row) => {
      const one = left(row);
      const other = right(row);
      // NaN is not itself.
      return one !== one || other !== other ? Number.NaN : is(one, other) ? 1 : 0;
    };
  };
  switch (sign) {
    case "=":
      return compare((one, other) => one === other);
    case "!=":
      return compare((one, other) => one !== other);
    case "<":
      return compare((one, other) => one < other);
    case "<=":
      return compare((one, other) => one <= other);
    case ">":
      return compare((one, other) => one > other);
    case ">=":
      return compare((one, other) => one >= other);
  }
}

type TextAt = (row: number) => string | null;

const TEXT_COMPARISONS: Readonly<Record<Comparison, (one: string, other: string) => boolean>> = {
  "=": (one, other) => one === other,
  "!=": (one, other) => one !== other,
  "<": (one, other) => one < other,
  "<=": (one, other) => one <= other,
  ">": (one, other) => one > other,
  ">=": (one, other) => one >= other,
};

function textComparison(sign: Comparison, left: TextAt, right: TextAt): At {
  const is = TEXT_COMPARISONS[sign];
  return (row) => {
    const one = left(row);
    const other = right(row);
    return one === null || other === null ? Number.NaN : Number(is(one, other));
  };
}

/** Whether a value is one of a list; `null` in the list stands for a missing one. */
export function oneOf(value: Code, list: readonly Code[]): FunctionResult {
  const takesNull = list.some((code) => code.type === "null");
  const others = list.filter((code) => code.type !== "null");
  const all = unified(asDatesWhereOneIs([value, ...others]), "`in`");
  const absent = takesNull ? 1 : Number.NaN;
  if (all.type === "string") {
    const [own = () => null, ...ats] = all.ats;
    return {
      type: "bool",
      at: (row) => {
        const text = own(row);
        return text === null ? absent : Number(ats.some((at) => at(row) === text));
      },
    };
  }
  const [own = Number, ...ats] = all.ats;
  return {
    type: "bool",
    at: (row) => {
      const number = own(row);
      return Number.isNaN(number) ? absent : Number(ats.some((at) => at(row) === number));
    },
  };
}
