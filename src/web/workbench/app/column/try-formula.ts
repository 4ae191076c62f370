import { compileFormula, FormulaError, type Formula } from "../../data/formula.ts";
import type { Table } from "../../data/table.ts";

/** What a formula that is being written comes to. */
export type TriedFormula =
  | { readonly kind: "empty" }
  | { readonly kind: "ready"; readonly formula: Formula }
  /** `position`: where in the text, from 0; absent: nowhere in particular. */
  | { readonly kind: "wrong"; readonly words: string; readonly position?: number };

export function tryFormula(expression: string, table: Table): TriedFormula {
  if (expression.trim() === "") return { kind: "empty" };
  try {
    return { kind: "ready", formula: compileFormula(expression, table) };
  } catch (error) {
    if (error instanceof FormulaError) return { kind: "wrong", words: error.message, position: error.position };
    return { kind: "wrong", words: error instanceof Error ? error.message : String(error) };
  }
}
