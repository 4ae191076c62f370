import { forEachChild, type ArithmeticExpression, type SyntaxNode, type Word, type WordPart } from "unbash";
import { countsOnly } from "./counting.ts";
import type { Calculation } from "./reading.ts";

const NUMBER = /^(0[xX][\da-fA-F]+|\d+|\d+#[\w@]+)$/;
const NAME = /^[A-Za-z_]\w*$/;
const ASSIGNS = /^(=|[-+*/%&|^]=|<<=|>>=)$/;

interface ArithmeticNames {
  readonly names: string[];
  readonly assigned: string[];
  dynamic: boolean;
}

/** The names that an arithmetic expression reads and sets. A missing expression was not understood. */
export function calculationOf(
  expression: ArithmeticExpression | undefined,
  text: string,
): { readonly calculation: Calculation; readonly assigned: readonly string[] } {
  const found: ArithmeticNames = { names: [], assigned: [], dynamic: false };
  if (expression !== undefined) collect(expression, found);
  else if (!/^(\$\(\(\s*\)\)|\$\[\s*\]|\s*|for \(\( … \)\))$/.test(text)) found.dynamic = true;
  return { calculation: { text, names: found.names, dynamic: found.dynamic }, assigned: found.assigned };
}

/** The same for a word that the shell calculates with: a subscript, a slice, an operand of `-eq`. */
export function numericWord(word: Word): Calculation {
  const found: ArithmeticNames = { names: [], assigned: [], dynamic: false };
  operand(word.value, word.parts, found);
  return { text: word.text, names: found.names, dynamic: found.dynamic };
}

function collect(node: ArithmeticExpression, found: ArithmeticNames): void {
  // Iterative: a sum of many numbers is a deep tree.
  const pending: SyntaxNode[] = [node];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next.type === "ArithmeticWord") operand(next.value, next.parts, found);
    else if (next.type === "ArithmeticCommandExpansion") found.dynamic ||= !countsOnly(next.script);
    else {
      const target = assignee(next);
      if (target !== undefined) found.assigned.push(target);
      forEachChild(next, (child) => void pending.push(child));
    }
  }
}

function assignee(node: SyntaxNode): string | undefined {
  if (node.type === "ArithmeticBinary" && ASSIGNS.test(node.operator) && node.left.type === "ArithmeticWord")
    return node.left.value;
  if (node.type === "ArithmeticUnary" && /^(\+\+|--)$/.test(node.operator) && node.operand.type === "ArithmeticWord") {
    return node.operand.value;
  }
  return undefined;
}

function operand(value: string, parts: readonly WordPart[] | undefined, found: ArithmeticNames): void {
  const text = value.trim();
  if (parts === undefined) {
    const name = text.startsWith("$") ? text.slice(1) : text;
    if (text === "" || NUMBER.test(text)) return;
    if (NAME.test(name) || /^\$[?#$!]$/.test(text)) found.names.push(name);
    else if (/^[-+*/%<>=!&|^~?:,()\w\s]*$/.test(text)) found.names.push(...(text.match(/[A-Za-z_]\w*/g) ?? []));
    else found.dynamic = true;
    return;
  }
  for (const part of parts) {
    switch (part.type) {
      case "Literal":
      case "SingleQuoted":
        operand(part.value, undefined, found);
        break;
      case "DoubleQuoted":
        operand("", part.parts, found);
        break;
      case "SimpleExpansion":
        found.names.push(part.text.slice(1));
        break;
      case "ParameterExpansion":
        if (part.prefix === "#") break;
        if (part.prefix !== undefined || part.index !== undefined || part.operation !== undefined) found.dynamic = true;
        else found.names.push(part.parameter);
        break;
      case "CommandExpansion":
        found.dynamic ||= !countsOnly(part.script);
        break;
      case "ArithmeticExpansion":
        // Judged on its own; its result is a number.
        break;
      default:
        found.dynamic = true;
    }
  }
}
