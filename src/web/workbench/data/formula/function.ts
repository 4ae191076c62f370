import type { Code, NumberCode, ValueSource } from "./code.ts";
import { asNumber, asText } from "./code.ts";

/** What a function makes of its arguments; absent source: that of the arguments. */
export type FunctionResult = { readonly source?: ValueSource } & (
  | { readonly type: NumberCode["type"]; readonly at: (row: number) => number }
  | { readonly type: "string"; readonly at: (row: number) => string | null }
);

export interface FunctionCall {
  readonly given: readonly Code[];
  /** Where the call stands. */
  readonly position: number;
}

export interface FormulaFunction {
  readonly name: string;
  /** How it is written: `Round(x, digits?)`. */
  readonly form: string;
  /** What it gives, in a few words. */
  readonly about: string;
  readonly least: number;
  /** Arguments at most. */
  readonly most: number;
  readonly make: (call: FunctionCall) => FunctionResult;
}

/** `form`: how it is written, its name first. `counts`: arguments at least and at most. */
export function formulaFunction(
  form: string,
  about: string,
  [least, most]: readonly [least: number, most: number],
  make: FormulaFunction["make"],
): FormulaFunction {
  return { name: form.slice(0, form.indexOf("(")), form, about, least, most, make };
}

/** As many arguments as anyone writes by hand. */
export const MANY = 100;

const NOTHING: Code = { type: "null", position: 0, source: "nothing" };

export function argument({ given }: FunctionCall, index: number): Code {
  return given[index] ?? NOTHING;
}

/** What is not a finite number is missing. */
export function finite(number: number): number {
  return Number.isFinite(number) ? number : Number.NaN;
}

type NumberFunction = (number: number) => number;

export function ofNumber(name: string, about: string, type: "int" | "double", work: NumberFunction): FormulaFunction {
  const make = (call: FunctionCall): FunctionResult => {
    const { at } = asNumber(argument(call, 0), name);
    return { type, at: (row) => finite(work(at(row))) };
  };
  return { name, form: `${name}(x)`, about, least: 1, most: 1, make };
}

/** A function of one text that gives a text or a number. */
export function ofText(name: string, about: string, work: (text: string) => string): FormulaFunction {
  const make = (call: FunctionCall): FunctionResult => {
    const { at } = asText(argument(call, 0), name);
    return {
      type: "string",
      at: (row) => {
        const text = at(row);
        return text === null ? null : work(text);
      },
    };
  };
  return { name, form: `${name}(text)`, about, least: 1, most: 1, make };
}

/** Whether two texts have something to do with each other. */
export function ofTexts(name: string, about: string, work: (text: string, other: string) => boolean): FormulaFunction {
  const make = (call: FunctionCall): FunctionResult => {
    const text = asText(argument(call, 0), name).at;
    const other = asText(argument(call, 1), name).at;
    return {
      type: "bool",
      at: (row) => {
        const left = text(row);
        const right = other(row);
        return left === null || right === null ? Number.NaN : Number(work(left, right));
      },
    };
  };
  return { name, form: `${name}(text, part)`, about, least: 2, most: 2, make };
}
