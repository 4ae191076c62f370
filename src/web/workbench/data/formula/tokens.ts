import { FORMULA_BOUNDS, FormulaError } from "./error.ts";

export type FormulaToken = { readonly at: number } & (
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  /** `${…}` or `[…]`. */
  | { readonly kind: "column"; readonly name: string }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "sign"; readonly sign: string }
  | { readonly kind: "end" }
);

const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const NAME = /[\p{L}_][\p{L}\p{N}_]*/uy;
const SIGN = /==|!=|<>|<=|>=|&&|\|\||[-+*/%^(),<>=?:!\]]/y;
const SPACE = /\s+/y;

export function tokensOf(expression: string): readonly FormulaToken[] {
  if (expression.length > FORMULA_BOUNDS.characters)
    throw new FormulaError(`The formula is longer than ${FORMULA_BOUNDS.characters} characters: shorten it.`, 0);
  const tokens: FormulaToken[] = [];
  let at = 0;
  while (at < expression.length) {
    const space = match(SPACE, expression, at);
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const read = tokenAt(expression, at, tokens.at(-1));
    tokens.push(read.token);
    at = read.next;
  }
  tokens.push({ kind: "end", at: expression.length });
  return tokens;
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

interface ReadToken {
  readonly token: FormulaToken;
  readonly next: number;
}

function tokenAt(expression: string, at: number, previous: FormulaToken | undefined): ReadToken {
  const first = expression.charAt(at);
  if (first === '"' || first === "'") return quoted(expression, at, first);
  if (expression.startsWith("${", at)) return columnName(expression, at, at + 2, "}");
  if (first === "[") {
    // After `in` it opens a list, elsewhere it is the name of a column.
    const opensList = previous?.kind === "name" && previous.name.toLowerCase() === "in";
    return opensList
      ? { token: { kind: "sign", sign: "[", at }, next: at + 1 }
      : columnName(expression, at, at + 1, "]");
  }
  const number = match(NUMBER, expression, at);
  if (number !== undefined) return { token: { kind: "number", value: Number(number), at }, next: at + number.length };
  const name = match(NAME, expression, at);
  if (name !== undefined) return { token: { kind: "name", name, at }, next: at + name.length };
  const sign = match(SIGN, expression, at);
  if (sign !== undefined) return { token: { kind: "sign", sign, at }, next: at + sign.length };
  throw new FormulaError(
    `"${first}" is not understood here. Known: + - * / % ^ = != < <= > >= and or not in ? : ( ) , \${Column} [Column] "text".`,
    at,
  );
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };

function quoted(expression: string, start: number, quote: string): ReadToken {
  let value = "";
  for (let at = start + 1; at < expression.length; at += 1) {
    const letter = expression.charAt(at);
    if (letter === "\\" && at + 1 < expression.length) {
      at += 1;
      value += ESCAPES[expression.charAt(at)] ?? expression.charAt(at);
    } else if (letter === quote && expression.charAt(at + 1) === quote) {
      at += 1;
      value += quote;
    } else if (letter === quote) return { token: { kind: "text", value, at: start }, next: at + 1 };
    else value += letter;
  }
  throw new FormulaError(`The text that begins here has no end: close it with ${quote}.`, start);
}

function columnName(expression: string, start: number, from: number, close: string): ReadToken {
  let name = "";
  for (let at = from; at < expression.length; at += 1) {
    const letter = expression.charAt(at);
    if (letter === "\\" && at + 1 < expression.length) {
      at += 1;
      name += expression.charAt(at);
    } else if (letter === close) return { token: { kind: "column", name, at: start }, next: at + 1 };
    else name += letter;
  }
  throw new FormulaError(`The column name that begins here has no end: close it with ${close}.`, start);
}
