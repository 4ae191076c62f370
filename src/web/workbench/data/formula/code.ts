import type { TextColumn } from "../column.ts";
import { FORMULA_BOUNDS, FormulaError } from "./error.ts";

/** What a value depends on. A text column: on that alone, so that each different text is worked out once. */
export type ValueSource = TextColumn | "nothing" | "rows";

interface CodeHead {
  /** Where it stands in the expression, for errors. */
  readonly position: number;
  readonly source: ValueSource;
  /** A column or a value as it is written: there is nothing to work out. */
  readonly plain?: true;
}

/** Numbers, truth (0 and 1) and times (milliseconds); NaN is missing. */
export interface NumberCode extends CodeHead {
  readonly type: "int" | "double" | "bool" | "datetime";
  readonly at: (row: number) => number;
}

export interface TextCode extends CodeHead {
  readonly type: "string";
  readonly at: (row: number) => string | null;
}

/** Nothing: what `null` stands for, of any type. */
interface NullCode extends CodeHead {
  readonly type: "null";
}

export type Code = NumberCode | TextCode | NullCode;

const WORDS = {
  int: "a number",
  double: "a number",
  bool: "true or false",
  datetime: "a date",
  string: "a text",
  null: "nothing",
} as const;

export function wordsOfType(code: Code): string {
  return WORDS[code.type];
}

function mustBe(code: Code, wanted: string, where: string): never {
  throw new FormulaError(`${where} needs ${wanted}, not ${wordsOfType(code)}.`, code.position);
}

/** As numbers; null is missing at each row. */
export function asNumber(code: Code, where: string): NumberCode {
  if (code.type === "int" || code.type === "double") return code;
  if (code.type === "null") return { ...code, type: "int", at: () => Number.NaN };
  return mustBe(code, "a number", where);
}

export function asBool(code: Code, where: string): NumberCode {
  if (code.type === "bool") return code;
  if (code.type === "null") return { ...code, type: "bool", at: () => Number.NaN };
  return mustBe(code, "true or false", where);
}

export function asDate(code: Code, where: string): NumberCode {
  if (code.type === "datetime") return code;
  if (code.type === "null") return { ...code, type: "datetime", at: () => Number.NaN };
  return mustBe(code, "a date", where);
}

export function asText(code: Code, where: string): TextCode {
  if (code.type === "string") return code;
  if (code.type === "null") return { ...code, type: "string", at: () => null };
  return mustBe(code, "a text", where);
}

export function sourceOf(codes: readonly Code[]): ValueSource {
  let source: ValueSource = "nothing";
  for (const code of codes) {
    if (code.source === "nothing" || code.source === source) continue;
    if (source !== "nothing") return "rows";
    source = code.source;
  }
  return source;
}

/** What depends on one text column alone is worked out once for each different text; what depends on nothing, once. */
export function remembered(code: Code): Code {
  const { source } = code;
  if (code.type === "null" || code.plain === true || source === "rows") return code;
  return code.type === "string" ? { ...code, at: once(source, code.at) } : { ...code, at: once(source, code.at) };
}

function once<Value>(source: TextColumn | "nothing", at: (row: number) => Value): (row: number) => Value {
  const codes = source === "nothing" ? undefined : source.codes;
  const known = new Uint8Array(source === "nothing" ? 1 : source.categories.length + 1);
  const values: Value[] = [];
  return (row) => {
    const place = codes === undefined ? 0 : (codes[row] ?? -1) + 1;
    if (known[place] === 0) {
      values[place] = at(row);
      known[place] = 1;
    }
    return values[place] as Value;
  };
}

/** Texts that grow without end would fill the page's memory. */
export function bounded(text: string, position: number): string {
  if (text.length > FORMULA_BOUNDS.text)
    throw new FormulaError(`It makes a text of more than ${FORMULA_BOUNDS.text} characters.`, position);
  return text;
}
