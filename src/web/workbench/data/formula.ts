import { Bits } from "./bits.ts";
import type { Column, ColumnType } from "./column.ts";
import { remembered } from "./formula/code.ts";
import type { NumberCode } from "./formula/code.ts";
import { compilePart } from "./formula/compile.ts";
import { FormulaError } from "./formula/error.ts";
import { ROW_FUNCTIONS } from "./formula/functions.ts";
import { parseFormula } from "./formula/parse.ts";
import { COLUMN_FUNCTIONS } from "./formula/whole-column.ts";
import type { Table } from "./table.ts";
import { TextColumnMaker } from "./texts.ts";

export { FormulaError };

export interface Formula {
  readonly type: ColumnType;
  /** The values at all rows. Whole numbers that grow past 2^53 make it a column of doubles. */
  column(name: string): Column;
  /** The rows where it is true. Throws where it is neither true nor false. */
  rows(): Bits;
}

/** Makes an expression ready to be worked out. Throws a FormulaError where it cannot be read or does not fit the table. */
export function compileFormula(expression: string, table: Table): Formula {
  const code = remembered(compilePart(parseFormula(expression), table));
  if (code.type === "null") throw new FormulaError("The formula gives nothing at any row.", code.position);
  const { rowCount } = table;
  const column = (name: string): Column => {
    if (code.type !== "string") return { ...numbersOf(name, code, rowCount), formula: expression };
    const maker = new TextColumnMaker(rowCount);
    for (let row = 0; row < rowCount; row += 1) maker.add(code.at(row));
    return { ...maker.finish(name), formula: expression };
  };
  const rows = (): Bits => {
    if (code.type !== "bool")
      throw new FormulaError("A condition must give true or false, such as [Age] > 30.", code.position);
    return Bits.where(rowCount, (row) => code.at(row) === 1);
  };
  return { type: code.type, column, rows };
}

function numbersOf(name: string, code: NumberCode, rowCount: number): Column {
  const numbers = new Float64Array(rowCount);
  let whole = true;
  for (let row = 0; row < rowCount; row += 1) {
    const number = code.at(row);
    numbers[row] = Number.isFinite(number) ? number : Number.NaN;
    if (code.type === "int" && number === number && !Number.isSafeInteger(number)) whole = false;
  }
  return { name, type: whole ? code.type : "double", numbers };
}

/** What can be called in a formula, for help. */
export const FORMULA_FUNCTIONS: readonly { readonly name: string; readonly form: string; readonly about: string }[] = [
  ...ROW_FUNCTIONS.map(({ name, form, about }) => ({ name, form, about })),
  ...COLUMN_FUNCTIONS.map(({ name, about }) => ({ name, form: `${name}([Column])`, about: `${about}, over all rows` })),
];
