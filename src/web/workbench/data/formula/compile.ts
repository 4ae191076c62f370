import { isText } from "../column.ts";
import type { Column } from "../column.ts";
import type { Table } from "../table.ts";
import { choice } from "./choice.ts";
import { remembered, sourceOf } from "./code.ts";
import type { Code } from "./code.ts";
import { FormulaError, nearWords } from "./error.ts";
import type { FormulaFunction, FunctionResult } from "./function.ts";
import { OTHER_NAMES, ROW_FUNCTIONS } from "./functions.ts";
import { arithmetic, comparison, logic, negative, not, oneOf } from "./operate.ts";
import type { FormulaPart } from "./parse.ts";
import { COLUMN_FUNCTIONS, ofWholeColumn } from "./whole-column.ts";

type Columns = Pick<Table, "column" | "columns">;

/** Turns the parts of a formula into functions of a row. Throws a FormulaError where it does not fit the table. */
export function compilePart(part: FormulaPart, table: Columns): Code {
  switch (part.kind) {
    case "number":
      return plainNumber(part.value, Number.isSafeInteger(part.value) ? "int" : "double", part.at);
    case "bool":
      return plainNumber(Number(part.value), "bool", part.at);
    case "text":
      return { type: "string", position: part.at, source: "nothing", plain: true, at: () => part.value };
    case "null":
      return { type: "null", position: part.at, source: "nothing" };
    case "column":
      return columnCode(columnNamed(part.name, table, part.at), part.at);
    case "negative":
      return made(part.at, [part.of], table, ([code]) => negative(code));
    case "not":
      return made(part.at, [part.of], table, ([code]) => not(code));
    case "arithmetic":
      return made(part.at, [part.left, part.right], table, ([left, right]) =>
        arithmetic(part.sign, left, right, part.at),
      );
    case "comparison":
      return made(part.at, [part.left, part.right], table, ([left, right]) => comparison(part.sign, left, right));
    case "logic":
      return made(part.at, [part.left, part.right], table, ([left, right]) => logic(part.sign, left, right));
    case "in":
      return made(part.at, [part.value, ...part.list], table, ([value, ...list]) => oneOf(value, list));
    case "if":
      return made(part.at, [part.test, part.yes, part.no], table, ([test, yes, no]) => choice(test, yes, no, "`? :`"));
    case "call":
      return call(part, table);
  }
}

function plainNumber(value: number, type: "int" | "double" | "bool", position: number): Code {
  return { type, position, source: "nothing", plain: true, at: () => value };
}

/** The codes of some parts; as many as there are parts. */
type PartCodes<Parts extends readonly FormulaPart[]> = { readonly [Place in keyof Parts]: Code };

function made<const Parts extends readonly FormulaPart[]>(
  position: number,
  parts: Parts,
  table: Columns,
  make: (codes: PartCodes<Parts>) => FunctionResult,
): Code {
  const codes = parts.map((part) => compilePart(part, table));
  const source = sourceOf(codes);
  const ready = source === "rows" ? codes.map(remembered) : codes;
  return { position, source, ...make(ready as unknown as PartCodes<Parts>) };
}

function columnCode(column: Column, position: number): Code {
  if (isText(column)) {
    const { codes, categories } = column;
    return { type: "string", position, source: column, plain: true, at: (row) => categories[codes[row] ?? -1] ?? null };
  }
  const { numbers, type } = column;
  return { type, position, source: "rows", plain: true, at: (row) => numbers[row] ?? Number.NaN };
}

function columnNamed(name: string, table: Columns, position: number): Column {
  const column = table.column(name);
  if (column !== undefined) return column;
  const names = table.columns.map((each) => each.name);
  const alike = names.filter((other) => other.toLowerCase() === name.toLowerCase());
  if (alike.length > 1)
    throw new FormulaError(`"${name}" may be ${alike.join(" or ")}: write the letters as in the name.`, position);
  throw new FormulaError(`There is no column "${name}". ${nearWords(name, names, "columns")}`, position);
}

function call(part: FormulaPart & { readonly kind: "call" }, table: Columns): Code {
  const word = (OTHER_NAMES.get(part.name.toLowerCase()) ?? part.name).toLowerCase();
  const ofColumn = COLUMN_FUNCTIONS.find(({ name }) => name.toLowerCase() === word);
  if (ofColumn !== undefined) {
    const [given] = part.given;
    if (part.given.length !== 1 || given?.kind !== "column")
      throw new FormulaError(`${ofColumn.name} needs one column, such as ${ofColumn.name}([Column]).`, part.at);
    const column = columnNamed(given.name, table, given.at);
    const result = ofWholeColumn(ofColumn, column);
    if (result !== undefined) return { position: part.at, source: "nothing", ...result };
    throw new FormulaError(`${ofColumn.name} needs a column of numbers, "${column.name}" has texts.`, given.at);
  }
  const found = ROW_FUNCTIONS.find(({ name }) => name.toLowerCase() === word);
  if (found === undefined) {
    const names = [...ROW_FUNCTIONS, ...COLUMN_FUNCTIONS].map(({ name }) => name);
    throw new FormulaError(`There is no function "${part.name}". ${nearWords(part.name, names, "functions")}`, part.at);
  }
  checkCount(found, part);
  return made(part.at, part.given, table, (given) => found.make({ given, position: part.at }));
}

function checkCount(found: FormulaFunction, part: FormulaPart & { readonly kind: "call" }): void {
  const { length } = part.given;
  if (length >= found.least && length <= found.most) return;
  const wanted = found.least === found.most ? `${found.least}` : `${found.least} to ${found.most}`;
  throw new FormulaError(`${found.name} takes ${wanted} argument(s), not ${length}: ${found.form}.`, part.at);
}
