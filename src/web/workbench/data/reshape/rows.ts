import { isMissing, isText, type Column, type ExactTexts } from "../column.ts";
import { convertColumn } from "../convert.ts";
import { columnOfDecimals } from "../decimal.ts";
import { textAt } from "../format.ts";
import { READ_BOUNDS } from "../read/error.ts";
import { uniqueNames } from "../read/sniff.ts";
import { TextColumnMaker } from "../texts.ts";

/** The values of some rows, in their order; -1 is a missing value. It has no formula: the values are its own. */
export function takeRows(column: Column, rows: Int32Array): Column {
  if (isText(column)) {
    const { formula: _, ...texts } = column;
    return { ...texts, ...takeTexts(column, rows) };
  }
  const { formula: _, exact, ...plain } = column;
  const numbers = Float64Array.from(rows, (row) => column.numbers[row] ?? Number.NaN);
  return { ...plain, numbers, ...(exact === undefined ? {} : { exact: takeTexts(exact, rows) }) };
}

/** Only texts that a row has. */
function takeTexts({ codes, categories }: ExactTexts, rows: Int32Array): ExactTexts {
  const moved = new Int32Array(categories.length).fill(-1);
  const kept: string[] = [];
  const taken = Int32Array.from(rows, (row) => {
    const code = codes[row] ?? -1;
    if (code < 0) return -1;
    if (moved[code] === -1) moved[code] = kept.push(categories[code] ?? "") - 1;
    return moved[code] ?? -1;
  });
  return { codes: taken, categories: kept };
}

/** The values of one column below those of another, in the narrowest type that holds both. */
export function stacked(columns: readonly Column[], name = columns[0]?.name ?? ""): Column {
  const [first] = columns;
  if (first === undefined) throw new Error("there are no columns to put together");
  const type = columns.reduce((wide, column) => widerType(wide, column.type), first.type);
  const alike = columns.map((column) => (column.type === type ? column : convertColumn(column, type).column));
  const { format, units, semType } = first;
  const head = {
    ...(units === undefined ? {} : { units }),
    ...(semType === undefined ? {} : { semType }),
    ...(format === undefined || first.type !== type ? {} : { format }),
  };
  return { ...joined(alike, name), ...head };
}

function joined(columns: readonly Column[], name: string): Column {
  const texts = (): readonly (string | null)[] =>
    columns.flatMap((column) =>
      Array.from({ length: rowCountOf(column) }, (_, row) => (isMissing(column, row) ? null : textAt(column, row))),
    );
  const [first] = columns;
  if (first === undefined || isText(first)) {
    const all = texts();
    const maker = new TextColumnMaker(all.length);
    for (const text of all) maker.add(text);
    const isNested = columns.every((column) => isText(column) && column.nested === true);
    return { ...maker.finish(name, first?.type), ...(isNested ? { nested: true } : {}) };
  }
  if (columns.some((column) => !isText(column) && column.exact !== undefined)) return columnOfDecimals(name, texts());
  const numbers = new Float64Array(columns.reduce((sum, column) => sum + rowCountOf(column), 0));
  let at = 0;
  for (const column of columns) {
    if (isText(column)) continue;
    numbers.set(column.numbers, at);
    at += column.numbers.length;
  }
  return { name, type: first.type, numbers };
}

function widerType(one: Column["type"], other: Column["type"]): Column["type"] {
  if (one === other) return one;
  const both = new Set([one, other]);
  return both.has("int") && both.has("double") ? "double" : "string";
}

function rowCountOf(column: Column): number {
  return isText(column) ? column.codes.length : column.numbers.length;
}

/** Throws where a table would have more rows than one may have. */
export function checkRowCount(rows: number): void {
  if (rows > READ_BOUNDS.rows)
    throw new Error(
      `The table would have more than ${READ_BOUNDS.rows.toLocaleString("en-US")} rows. Filter the rows, or choose other columns.`,
    );
}

/** What a row has in some columns, as one text. Undefined: one of the values is missing. */
export function keyAt(columns: readonly Column[], row: number): string | undefined {
  const parts: string[] = [];
  for (const column of columns) {
    if (isMissing(column, row)) return undefined;
    parts.push(textAt(column, row));
  }
  // A length before each text: no two lists of texts give the same key.
  return parts.map((part) => `${part.length}:${part}`).join("");
}

/** As `keyAt`, where missing values are alike. */
export function groupKeyAt(columns: readonly Column[], row: number): string {
  return columns
    .map((column) => {
      const text = textAt(column, row);
      return isMissing(column, row) ? "-" : `${text.length}:${text}`;
    })
    .join("");
}

/** The columns, each with a name that no other has. */
export function uniquelyNamed(columns: readonly Column[]): readonly Column[] {
  const names = uniqueNames(columns.map(({ name }) => name));
  return columns.map((column, at) => withName(column, names[at] ?? column.name));
}

export function withName(column: Column, name: string): Column {
  return { ...column, name };
}
