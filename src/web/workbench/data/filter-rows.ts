import { Bits } from "./bits.ts";
import { isText, numberAt } from "./column.ts";
import type { Column, ExactTexts } from "./column.ts";
import type { FilterSpec } from "./filter.ts";
import { compileFormula } from "./formula.ts";
import { numberText } from "./format.ts";
import type { FilterRows, Table } from "./table.ts";

/** Which rows meet a condition. Throws where it names no column of the table, or a formula is wrong. */
export const filterRows: FilterRows = (table, filter) => {
  switch (filter.kind) {
    case "range":
      return inRange(columnOfFilter(table, filter.column), filter);
    case "categories":
      return inCategories(columnOfFilter(table, filter.column), filter.values);
    case "contains":
      return containing(columnOfFilter(table, filter.column), filter.text);
    case "formula":
      return compileFormula(filter.expression, table).rows();
    case "rows":
      if (filter.rows.length !== table.rowCount)
        throw new Error(`The rows are of a table with ${filter.rows.length} rows, this one has ${table.rowCount}.`);
      return filter.rows;
  }
};

function columnOfFilter(table: Table, name: string): Column {
  const column = table.column(name);
  if (column !== undefined) return column;
  const names = table.columns.map((each) => each.name).join(", ");
  throw new Error(`There is no column "${name}" to filter by. Columns: ${names}.`);
}

function inRange(column: Column, filter: FilterSpec & { readonly kind: "range" }): Bits {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, missing = false } = filter;
  if (isText(column)) {
    const passes = column.categories.map((text) => text !== "" && Number(text) >= min && Number(text) <= max);
    return byCode(column, passes, missing);
  }
  const { numbers } = column;
  const rows = new Bits(numbers.length);
  for (let row = 0; row < numbers.length; row += 1) {
    const number = numbers[row] ?? Number.NaN;
    if (Number.isNaN(number) ? missing : number >= min && number <= max) rows.add(row);
  }
  return rows;
}

function inCategories(column: Column, values: readonly (string | null)[]): Bits {
  const wanted = new Set(values);
  if (isText(column))
    return byCode(
      column,
      column.categories.map((text) => wanted.has(text)),
      wanted.has(null),
    );
  const passes = (text: string): boolean => wanted.has(text);
  return column.exact === undefined
    ? byNumber(column, passes, wanted.has(null))
    : byCode(column.exact, column.exact.categories.map(passes), wanted.has(null));
}

/** Small and capital letters are the same here. */
function containing(column: Column, text: string): Bits {
  const wanted = text.toLowerCase();
  if (wanted === "") return Bits.all(isText(column) ? column.codes.length : column.numbers.length);
  const passes = (shown: string): boolean => shown.toLowerCase().includes(wanted);
  const texts = isText(column) ? column : column.exact;
  return texts === undefined ? byNumber(column, passes, false) : byCode(texts, texts.categories.map(passes), false);
}

function byCode(column: ExactTexts, passes: readonly boolean[], missing: boolean): Bits {
  const { codes } = column;
  const rows = new Bits(codes.length);
  for (let row = 0; row < codes.length; row += 1) {
    const code = codes[row] ?? -1;
    if (code < 0 ? missing : passes[code] === true) rows.add(row);
  }
  return rows;
}

/** Each different number is put into words once. */
function byNumber(column: Column, passes: (text: string) => boolean, missing: boolean): Bits {
  const known = new Map<number, boolean>();
  const type = column.type as "int" | "double" | "bool" | "datetime";
  const length = isText(column) ? 0 : column.numbers.length;
  return Bits.where(length, (row) => {
    const number = numberAt(column, row);
    if (Number.isNaN(number)) return missing;
    let pass = known.get(number);
    if (pass === undefined) {
      pass = passes(numberText(type, number));
      known.set(number, pass);
    }
    return pass;
  });
}
