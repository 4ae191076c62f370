import { numberText } from "../format.ts";
import { numberOfText } from "../text-value.ts";
import { asNumber, asText, bounded } from "./code.ts";
import type { Code } from "./code.ts";
import { argument, formulaFunction, MANY, ofText, ofTexts } from "./function.ts";
import type { FunctionCall, FormulaFunction, FunctionResult } from "./function.ts";

/** What the grid would show of it; missing stays missing. */
function shownText(code: Code): (row: number) => string | null {
  if (code.type === "null") return () => null;
  if (code.type === "string") return code.at;
  const { type, at } = code;
  return (row) => {
    const number = at(row);
    return Number.isNaN(number) ? null : numberText(type, number);
  };
}

export function concatenated(codes: readonly Code[], position: number): FunctionResult {
  const parts = codes.map(shownText);
  return {
    type: "string",
    at: (row) => {
      let whole = "";
      for (const part of parts) {
        const text = part(row);
        if (text === null) return null;
        whole += text;
      }
      return bounded(whole, position);
    },
  };
}

/** Letters from a place, counted from 0; a negative place counts from the end. */
function makeSubstring(call: FunctionCall): FunctionResult {
  const text = asText(argument(call, 0), "Substring").at;
  const start = asNumber(argument(call, 1), "Substring").at;
  const end = call.given.length < 3 ? () => Number.POSITIVE_INFINITY : asNumber(argument(call, 2), "Substring").at;
  return {
    type: "string",
    at: (row) => {
      const whole = text(row);
      const from = start(row);
      const to = end(row);
      return whole === null || Number.isNaN(from) || Number.isNaN(to)
        ? null
        : whole.slice(from, Math.min(to, whole.length));
    },
  };
}

function makeEnd(name: "Left" | "Right"): (call: FunctionCall) => FunctionResult {
  return (call) => {
    const text = asText(argument(call, 0), name).at;
    const count = asNumber(argument(call, 1), name).at;
    return {
      type: "string",
      at: (row) => {
        const whole = text(row);
        const letters = count(row);
        if (whole === null || Number.isNaN(letters)) return null;
        const kept = Math.max(0, Math.trunc(letters));
        return name === "Left" ? whole.slice(0, kept) : whole.slice(Math.max(0, whole.length - kept));
      },
    };
  };
}

function makeReplace(call: FunctionCall): FunctionResult {
  const text = asText(argument(call, 0), "Replace").at;
  const old = asText(argument(call, 1), "Replace").at;
  const put = asText(argument(call, 2), "Replace").at;
  return {
    type: "string",
    at: (row) => {
      const whole = text(row);
      const search = old(row);
      const replacement = put(row);
      if (whole === null || search === null || replacement === null) return null;
      if (search === "") return whole;
      return joined(whole.split(search), replacement, call.position);
    },
  };
}

/** Each step is bounded, so that a text that would be too long is never made. */
function joined(parts: readonly string[], put: string, position: number): string {
  let whole = "";
  parts.forEach((part, index) => {
    whole = bounded(index === 0 ? part : whole + put + part, position);
  });
  return whole;
}

function makePart(call: FunctionCall): FunctionResult {
  const text = asText(argument(call, 0), "SplitPart").at;
  const separator = asText(argument(call, 1), "SplitPart").at;
  const place = asNumber(argument(call, 2), "SplitPart").at;
  return {
    type: "string",
    at: (row) => {
      const whole = text(row);
      const between = separator(row);
      const index = place(row);
      if (whole === null || between === null || Number.isNaN(index)) return null;
      const parts = between === "" ? [whole] : whole.split(between);
      return parts.at(index > 0 ? index - 1 : index) ?? null;
    },
  };
}

function makeLength(call: FunctionCall): FunctionResult {
  const text = asText(argument(call, 0), "Length").at;
  return { type: "int", at: (row) => text(row)?.length ?? Number.NaN };
}

function makeIndexOf(call: FunctionCall): FunctionResult {
  const text = asText(argument(call, 0), "IndexOf").at;
  const part = asText(argument(call, 1), "IndexOf").at;
  return {
    type: "int",
    at: (row) => {
      const whole = text(row);
      const search = part(row);
      return whole === null || search === null ? Number.NaN : whole.indexOf(search);
    },
  };
}

function makeNumber(call: FunctionCall): FunctionResult {
  const given = argument(call, 0);
  if (given.type === "bool" || given.type === "datetime" || given.type === "int" || given.type === "double")
    return { type: given.type === "bool" ? "int" : "double", at: given.at };
  const text = asText(given, "Number").at;
  return {
    type: "double",
    at: (row) => {
      const whole = text(row);
      return whole === null ? Number.NaN : numberOfText(whole);
    },
  };
}

export const TEXT: readonly FormulaFunction[] = [
  formulaFunction("Length(text)", "how many letters", [1, 1], makeLength),
  ofText("Lower", "in small letters", (text) => text.toLowerCase()),
  ofText("Upper", "in capital letters", (text) => text.toUpperCase()),
  ofText("Trim", "without spaces at both ends", (text) => text.trim()),
  formulaFunction(
    "Substring(text, start, end?)",
    "letters from start (0 is the first) up to end, which is not included",
    [2, 3],
    makeSubstring,
  ),
  formulaFunction("Left(text, count)", "the first letters", [2, 2], makeEnd("Left")),
  formulaFunction("Right(text, count)", "the last letters", [2, 2], makeEnd("Right")),
  ofTexts("Contains", "whether the part is in the text", (text, part) => text.includes(part)),
  ofTexts("StartsWith", "whether the text begins with it", (text, part) => text.startsWith(part)),
  ofTexts("EndsWith", "whether the text ends with it", (text, part) => text.endsWith(part)),
  formulaFunction("IndexOf(text, part)", "where the part begins, from 0; -1: nowhere", [2, 2], makeIndexOf),
  formulaFunction("Replace(text, old, new)", "each old replaced", [3, 3], makeReplace),
  formulaFunction("Concat(x, y, …)", "all of them as one text", [1, MANY], (call) =>
    concatenated(call.given, call.position),
  ),
  formulaFunction(
    "SplitPart(text, separator, place)",
    "one part of a split text; 1 is the first, -1 the last",
    [3, 3],
    makePart,
  ),
  formulaFunction("Text(x)", "as the grid shows it", [1, 1], (call) =>
    concatenated([argument(call, 0)], call.position),
  ),
  formulaFunction("Number(x)", "the number that a text reads as", [1, 1], makeNumber),
];
