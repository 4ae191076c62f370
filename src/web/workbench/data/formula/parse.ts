import { FORMULA_BOUNDS, FormulaError } from "./error.ts";
import { tokensOf } from "./tokens.ts";
import type { FormulaToken } from "./tokens.ts";

export type Arithmetic = "+" | "-" | "*" | "/" | "%" | "^";
export type Comparison = "=" | "!=" | "<" | "<=" | ">" | ">=";

export type FormulaPart = { readonly at: number } & (
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "text"; readonly value: string }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "null" }
  | { readonly kind: "column"; readonly name: string }
  | { readonly kind: "negative"; readonly of: FormulaPart }
  | { readonly kind: "not"; readonly of: FormulaPart }
  | { readonly kind: "arithmetic"; readonly sign: Arithmetic; readonly left: FormulaPart; readonly right: FormulaPart }
  | { readonly kind: "comparison"; readonly sign: Comparison; readonly left: FormulaPart; readonly right: FormulaPart }
  | { readonly kind: "logic"; readonly sign: "and" | "or"; readonly left: FormulaPart; readonly right: FormulaPart }
  | { readonly kind: "in"; readonly value: FormulaPart; readonly list: readonly FormulaPart[] }
  | { readonly kind: "if"; readonly test: FormulaPart; readonly yes: FormulaPart; readonly no: FormulaPart }
  | { readonly kind: "call"; readonly name: string; readonly given: readonly FormulaPart[] }
);

/** How strongly a sign binds; a higher one binds first. */
const BINDING = { choice: 1, or: 2, and: 3, not: 4, comparison: 5, sum: 6, product: 7, negative: 8, power: 9 } as const;

type Infix =
  | { readonly kind: "choice" }
  | { readonly kind: "logic"; readonly sign: "and" | "or" }
  | { readonly kind: "comparison"; readonly sign: Comparison }
  | { readonly kind: "in" | "notIn" }
  | { readonly kind: "arithmetic"; readonly sign: Arithmetic };

const INFIX: Readonly<Record<string, readonly [number, Infix]>> = {
  "?": [BINDING.choice, { kind: "choice" }],
  or: [BINDING.or, { kind: "logic", sign: "or" }],
  "||": [BINDING.or, { kind: "logic", sign: "or" }],
  and: [BINDING.and, { kind: "logic", sign: "and" }],
  "&&": [BINDING.and, { kind: "logic", sign: "and" }],
  "=": [BINDING.comparison, { kind: "comparison", sign: "=" }],
  "==": [BINDING.comparison, { kind: "comparison", sign: "=" }],
  "!=": [BINDING.comparison, { kind: "comparison", sign: "!=" }],
  "<>": [BINDING.comparison, { kind: "comparison", sign: "!=" }],
  "<": [BINDING.comparison, { kind: "comparison", sign: "<" }],
  "<=": [BINDING.comparison, { kind: "comparison", sign: "<=" }],
  ">": [BINDING.comparison, { kind: "comparison", sign: ">" }],
  ">=": [BINDING.comparison, { kind: "comparison", sign: ">=" }],
  in: [BINDING.comparison, { kind: "in" }],
  not: [BINDING.comparison, { kind: "notIn" }],
  "+": [BINDING.sum, { kind: "arithmetic", sign: "+" }],
  "-": [BINDING.sum, { kind: "arithmetic", sign: "-" }],
  "*": [BINDING.product, { kind: "arithmetic", sign: "*" }],
  "/": [BINDING.product, { kind: "arithmetic", sign: "/" }],
  "%": [BINDING.product, { kind: "arithmetic", sign: "%" }],
  "^": [BINDING.power, { kind: "arithmetic", sign: "^" }],
};

/** Reads an expression. Throws a FormulaError where it cannot. */
export function parseFormula(expression: string): FormulaPart {
  return new FormulaParser(tokensOf(expression)).whole();
}

class FormulaParser {
  readonly #tokens: readonly FormulaToken[];
  #next = 0;
  #parts = 0;
  #depth = 0;

  constructor(tokens: readonly FormulaToken[]) {
    this.#tokens = tokens;
  }

  whole(): FormulaPart {
    if (this.#peek().kind === "end")
      throw new FormulaError("The formula is empty: write an expression such as [A] + 1.", 0);
    const part = this.#part(0);
    const rest = this.#peek();
    if (rest.kind !== "end")
      throw new FormulaError(`${wordsOf(rest)} is too much here: an operator may be missing.`, rest.at);
    return part;
  }

  /** What binds more strongly than the sign before it. */
  #part(binding: number): FormulaPart {
    this.#depth += 1;
    if (this.#depth > FORMULA_BOUNDS.depth)
      throw new FormulaError(
        `The formula is nested deeper than ${FORMULA_BOUNDS.depth}: split it into columns.`,
        this.#peek().at,
      );
    let left = this.#prefix();
    for (;;) {
      const token = this.#peek();
      const [strength, infix] = this.#infix(token) ?? [0, undefined];
      if (infix === undefined || strength <= binding) break;
      this.#next += 1;
      left = this.#counted(this.#join(left, infix, strength, token.at), token.at);
    }
    this.#depth -= 1;
    return left;
  }

  #infix(token: FormulaToken): readonly [number, Infix] | undefined {
    if (token.kind === "sign") return INFIX[token.sign];
    if (token.kind !== "name" || !Object.hasOwn(INFIX, token.name.toLowerCase())) return undefined;
    return INFIX[token.name.toLowerCase()];
  }

  #join(left: FormulaPart, infix: Infix, strength: number, at: number): FormulaPart {
    switch (infix.kind) {
      case "choice": {
        const yes = this.#part(0);
        this.#expect(":", "The choice `test ? yes : no` needs its colon");
        // The second of two choices belongs to the `no` of the first.
        return { kind: "if", test: left, yes, no: this.#part(strength - 1), at };
      }
      case "logic":
        return { kind: "logic", sign: infix.sign, left, right: this.#part(strength), at };
      case "comparison":
        return { kind: "comparison", sign: infix.sign, left, right: this.#part(strength), at };
      case "in":
        return { kind: "in", value: left, list: this.#list(), at };
      case "notIn": {
        const word = this.#take();
        if (word.kind !== "name" || word.name.toLowerCase() !== "in")
          throw new FormulaError("After a value, `not` must be followed by `in`.", word.at);
        return { kind: "not", of: { kind: "in", value: left, list: this.#list(), at }, at };
      }
      case "arithmetic":
        // 2 ^ 3 ^ 2 is 2 ^ (3 ^ 2).
        return {
          kind: "arithmetic",
          sign: infix.sign,
          left,
          right: this.#part(infix.sign === "^" ? strength - 1 : strength),
          at,
        };
    }
  }

  #prefix(): FormulaPart {
    const token = this.#take();
    switch (token.kind) {
      case "number":
      case "text":
      case "column":
        return this.#counted(token, token.at);
      case "name":
        return this.#counted(this.#name(token.name, token.at), token.at);
      case "sign":
        return this.#counted(this.#sign(token.sign, token.at), token.at);
      case "end":
        throw new FormulaError("The formula ends where a value should follow.", token.at);
    }
  }

  #name(name: string, at: number): FormulaPart {
    const next = this.#peek();
    const word = name.toLowerCase();
    if (word === "not") return { kind: "not", of: this.#part(BINDING.not), at };
    if (next.kind === "sign" && next.sign === "(") {
      this.#next += 1;
      return { kind: "call", name, given: this.#items(")"), at };
    }
    if (word === "true" || word === "false") return { kind: "bool", value: word === "true", at };
    return word === "null" ? { kind: "null", at } : { kind: "column", name, at };
  }

  #sign(sign: string, at: number): FormulaPart {
    if (sign === "-") return { kind: "negative", of: this.#part(BINDING.negative), at };
    if (sign === "+") return this.#part(BINDING.negative);
    if (sign === "!") return { kind: "not", of: this.#part(BINDING.negative), at };
    if (sign !== "(") throw new FormulaError(`A value should stand before "${sign}".`, at);
    const inner = this.#part(0);
    this.#expect(")", "A parenthesis is not closed");
    return inner;
  }

  /** `(1, 2)` or `[1, 2]`. */
  #list(): readonly FormulaPart[] {
    const token = this.#take();
    const sign = token.kind === "sign" ? token.sign : "";
    if (sign !== "(" && sign !== "[") throw new FormulaError('`in` needs a list, such as in ("A", "B").', token.at);
    return this.#items(sign === "(" ? ")" : "]");
  }

  #items(close: string): readonly FormulaPart[] {
    const items: FormulaPart[] = [];
    const first = this.#peek();
    if (first.kind === "sign" && first.sign === close) {
      this.#next += 1;
      return items;
    }
    for (;;) {
      items.push(this.#part(0));
      const token = this.#take();
      if (token.kind === "sign" && token.sign === close) return items;
      if (token.kind !== "sign" || token.sign !== ",")
        throw new FormulaError(`Expected "," or "${close}", not ${wordsOf(token)}.`, token.at);
    }
  }

  #expect(sign: string, words: string): void {
    const token = this.#take();
    if (token.kind !== "sign" || token.sign !== sign)
      throw new FormulaError(`${words}: expected "${sign}", not ${wordsOf(token)}.`, token.at);
  }

  #counted(part: FormulaPart, at: number): FormulaPart {
    this.#parts += 1;
    if (this.#parts > FORMULA_BOUNDS.parts)
      throw new FormulaError(`The formula has more than ${FORMULA_BOUNDS.parts} parts: split it into columns.`, at);
    return part;
  }

  #peek(): FormulaToken {
    return this.#tokens[this.#next] ?? { kind: "end", at: this.#tokens.at(-1)?.at ?? 0 };
  }

  #take(): FormulaToken {
    const token = this.#peek();
    this.#next += 1;
    return token;
  }
}

function wordsOf(token: FormulaToken): string {
  switch (token.kind) {
    case "number":
      return String(token.value);
    case "text":
      return `"${token.value}"`;
    case "column":
    case "name":
      return `"${token.name}"`;
    case "sign":
      return `"${token.sign}"`;
    case "end":
      return "the end";
  }
}
