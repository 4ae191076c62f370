import type { Column, ColumnType } from "./column.ts";
import { filterRows } from "./filter-rows.ts";
import { dateText } from "./format.ts";
import { Table } from "./table.ts";
import { numberOfText, timeOfText } from "./text-value.ts";
import { TextColumnMaker } from "./texts.ts";

export { timeOfText };

export type AnyValue = string | number | boolean | Date | null | undefined | bigint;

/** Absent type: that of the values; texts stay texts, and values of different kinds become texts. A value that a given type cannot hold is missing. */
export function columnOf(name: string, values: readonly AnyValue[], type: ColumnType = typeOfValues(values)): Column {
  if (type === "string" || type === "bigint") {
    const maker = new TextColumnMaker(values.length);
    for (const value of values) maker.add(textOfValue(value, type));
    return maker.finish(name, type);
  }
  const numbers = new Float64Array(values.length);
  const read = numberReader(type);
  for (let row = 0; row < values.length; row += 1) numbers[row] = read(values[row]);
  return { name, type, numbers };
}

function isAbsent(value: AnyValue): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === "number") return Number.isNaN(value);
  return value instanceof Date && Number.isNaN(value.getTime());
}

function typeOfValue(value: AnyValue): ColumnType {
  switch (typeof value) {
    case "boolean":
      return "bool";
    case "bigint":
      return Number.isSafeInteger(Number(value)) ? "int" : "bigint";
    case "number":
      return Number.isSafeInteger(value) ? "int" : "double";
    default:
      return value instanceof Date ? "datetime" : "string";
  }
}

function typeOfValues(values: readonly AnyValue[]): ColumnType {
  let type: ColumnType | undefined;
  for (const value of values) {
    if (isAbsent(value)) continue;
    const next = typeOfValue(value);
    if (type === undefined || type === next) type = next;
    else if (isCount(type) && isCount(next)) type = widerOf(type, next);
    else return "string";
  }
  return type ?? "string";
}

function isCount(type: ColumnType): boolean {
  return type === "int" || type === "double" || type === "bigint";
}

/** A bigint among fractions becomes a double: no exact text fits both. */
function widerOf(left: ColumnType, right: ColumnType): ColumnType {
  return left === "double" || right === "double" ? "double" : "bigint";
}

const WHOLE = /^-?\d+$/;

function textOfValue(value: AnyValue, type: "string" | "bigint"): string | null {
  if (value === null || value === undefined || isAbsent(value)) return null;
  const text = value instanceof Date ? dateText(value.getTime()) : String(value);
  return type === "bigint" && !WHOLE.test(text) ? null : text;
}

function numberReader(type: "int" | "double" | "bool" | "datetime"): (value: AnyValue) => number {
  const fit = fitOf(type);
  const readText = type === "datetime" ? timeOfText : type === "bool" ? truthOfText : numberOfText;
  return (value) => {
    if (value === null || value === undefined) return Number.NaN;
    if (typeof value === "string") return fit(readText(value));
    return fit(value instanceof Date ? value.getTime() : Number(value));
  };
}

function truthOfText(text: string): number {
  const word = text.trim().toLowerCase();
  if (word === "true" || word === "false") return Number(word === "true");
  return numberOfText(text);
}

function fitOf(type: "int" | "double" | "bool" | "datetime"): (number: number) => number {
  switch (type) {
    case "int":
      return (number) => (Number.isSafeInteger(Math.round(number)) ? Math.round(number) : Number.NaN);
    case "bool":
      return (number) => (Number.isNaN(number) ? number : Number(number !== 0));
    case "double":
    case "datetime":
      return (number) => number;
  }
}

const ID_LETTERS = "abcdefghijklmnopqrstuvwxyz234567";

function newTableId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `table-${Array.from(bytes, (byte) => ID_LETTERS[byte & 31]).join("")}`;
}

/** Throws where two columns have one name, or they are not equally long. */
export function newTable(name: string, columns: readonly Column[]): Table {
  const names = new Set<string>();
  const rowCount = columns[0] === undefined ? 0 : lengthOf(columns[0]);
  for (const column of columns) {
    if (names.has(column.name)) throw new Error(`Two columns are named "${column.name}": give one another name.`);
    names.add(column.name);
    if (lengthOf(column) !== rowCount)
      throw new Error(`The column "${column.name}" has ${lengthOf(column)} rows, the others have ${rowCount}.`);
  }
  return new Table({ id: newTableId(), name, rowCount, columns, filterRows });
}

function lengthOf(column: Column): number {
  return "codes" in column ? column.codes.length : column.numbers.length;
}
