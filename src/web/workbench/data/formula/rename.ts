import type { Table } from "../table.ts";
import { tokensOf, type FormulaToken } from "./tokens.ts";

/** Words of the language: a column of that name is written in brackets. */
const WORDS = new Set(["and", "or", "not", "in", "true", "false", "null"]);

/**
 * The same formula after a column got another name. What cannot be read stays as it is: it did not work before either.
 * The table has the column by its former name.
 */
export function renamedFormula(
  expression: string,
  table: Pick<Table, "column">,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  const tokens = tokensIn(expression);
  let written = "";
  let done = 0;
  for (const [index, token] of tokens.entries()) {
    if (!isColumn(token, tokens[index + 1]) || table.column(token.name)?.name !== from) continue;
    const next = tokens[index + 1]?.at ?? expression.length;
    const end = token.at + expression.slice(token.at, next).trimEnd().length;
    written += `${expression.slice(done, token.at)}\${${to.replaceAll(/[\\}]/g, String.raw`\$&`)}}`;
    done = end;
  }
  return written + expression.slice(done);
}

/** The columns that a formula names. */
export function columnsIn(expression: string, table: Pick<Table, "column">): readonly string[] {
  const tokens = tokensIn(expression);
  return tokens.flatMap((token, index) => {
    const column = isColumn(token, tokens[index + 1]) ? table.column(token.name) : undefined;
    return column === undefined ? [] : [column.name];
  });
}

/** None where it cannot be read. */
function tokensIn(expression: string): readonly FormulaToken[] {
  try {
    return tokensOf(expression);
  } catch {
    return [];
  }
}

function isColumn(
  token: FormulaToken,
  next: FormulaToken | undefined,
): token is Extract<FormulaToken, { kind: "column" | "name" }> {
  if (token.kind === "column") return true;
  const isCall = next?.kind === "sign" && next.sign === "(";
  return token.kind === "name" && !isCall && !WORDS.has(token.name.toLowerCase());
}
