import { asBool } from "./code.ts";
import type { Code, NumberCode } from "./code.ts";
import { FormulaError } from "./error.ts";
import { argument, formulaFunction, MANY } from "./function.ts";
import type { FunctionCall, FormulaFunction, FunctionResult } from "./function.ts";
import { wordsOfType } from "./code.ts";

type Unified =
  | { readonly type: "string"; readonly ats: readonly ((row: number) => string | null)[] }
  | { readonly type: NumberCode["type"]; readonly ats: readonly ((row: number) => number)[] };

/** Several values as one type: all alike, whole numbers among fractions as fractions, nothing as any. */
export function unified(codes: readonly Code[], where: string): Unified {
  const set = codes.filter((code) => code.type !== "null");
  const first = set[0];
  if (first === undefined || first.type === "string") {
    return {
      type: "string",
      ats: codes.map((code) => (code.type === "string" ? code.at : noText(code, first, where))),
    };
  }
  const isCount = first.type === "int" || first.type === "double";
  const ats = codes.map((code) => {
    if (code.type === "null") return () => Number.NaN;
    const fits = isCount ? code.type === "int" || code.type === "double" : code.type === first.type;
    if (code.type === "string" || !fits) return mixed(code, first, where);
    return code.at;
  });
  return { type: set.some((code) => code.type === "double") ? "double" : first.type, ats };
}

function noText(code: Code, first: Code | undefined, where: string): () => null {
  return code.type === "null" || first === undefined ? () => null : mixed(code, first, where);
}

function mixed(code: Code, first: Code, where: string): never {
  throw new FormulaError(
    `${where} has ${wordsOfType(first)} and ${wordsOfType(code)}: make them one kind, such as with Text(x).`,
    code.position,
  );
}

/** Where the test is missing, so is the result. */
export function choice(test: Code, yes: Code, no: Code, where: string): FunctionResult {
  const truth = asBool(test, where).at;
  const both = unified([yes, no], where);
  if (both.type === "string") {
    const [first = () => null, second = () => null] = both.ats;
    return {
      type: "string",
      at: (row) => {
        const is = truth(row);
        if (Number.isNaN(is)) return null;
        return is === 0 ? second(row) : first(row);
      },
    };
  }
  const [first = Number, second = Number] = both.ats;
  return {
    type: both.type,
    at: (row) => {
      const is = truth(row);
      if (Number.isNaN(is)) return is;
      return is === 0 ? second(row) : first(row);
    },
  };
}

function makeCoalesce(call: FunctionCall): FunctionResult {
  const all = unified(call.given, "Coalesce");
  if (all.type === "string") {
    return {
      type: "string",
      at: (row) => {
        for (const at of all.ats) {
          const text = at(row);
          if (text !== null) return text;
        }
        return null;
      },
    };
  }
  return {
    type: all.type,
    at: (row) => {
      for (const at of all.ats) {
        const number = at(row);
        if (!Number.isNaN(number)) return number;
      }
      return Number.NaN;
    },
  };
}

export function isNull(code: Code): (row: number) => number {
  if (code.type === "null") return () => 1;
  if (code.type === "string") return (row) => Number(code.at(row) === null);
  return (row) => Number(Number.isNaN(code.at(row)));
}

function makeIsEmpty(call: FunctionCall): FunctionResult {
  const code = argument(call, 0);
  if (code.type !== "string") return { type: "bool", at: isNull(code) };
  return { type: "bool", at: (row) => Number((code.at(row) ?? "") === "") };
}

export const CHOICE: readonly FormulaFunction[] = [
  formulaFunction("If(test, yes, no?)", "one of two values; without `no`, nothing", [2, 3], (call) =>
    choice(argument(call, 0), argument(call, 1), argument(call, 2), "If"),
  ),
  formulaFunction("IsNull(x)", "whether the value is missing", [1, 1], (call) => ({
    type: "bool",
    at: isNull(argument(call, 0)),
  })),
  formulaFunction("IsEmpty(x)", "whether it is missing or an empty text", [1, 1], makeIsEmpty),
  formulaFunction("Coalesce(x, y, …)", "the first that is not missing", [1, MANY], makeCoalesce),
  formulaFunction("Row()", "the number of the row, from 1", [0, 0], () => ({
    type: "int",
    source: "rows",
    at: (row) => row + 1,
  })),
];
