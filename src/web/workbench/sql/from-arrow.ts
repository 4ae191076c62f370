import { DataType, type Field, type RecordBatch, type Schema, type Vector } from "apache-arrow";
import type { Column, NumberColumn, TextColumn } from "../data/column.ts";
import { columnOfUnits } from "../data/decimal.ts";
import { newTable } from "../data/make.ts";
import type { Table } from "../data/table.ts";
import { TextColumnMaker } from "../data/texts.ts";
import { distinctNames } from "./names.ts";
import { decimalOf, intervalTexts, textReader } from "./arrow-values.ts";
import { newRest } from "./rest.ts";

/** The batches of an answer as a table, up to a number of rows. */
export async function tableFrom(
  schema: Schema,
  batches: readonly RecordBatch[],
  options: { readonly name: string; readonly rows: number },
): Promise<Table> {
  const rest = newRest();
  const names = distinctNames(schema.fields.map(({ name }) => name));
  const columns: Column[] = [];
  for (const [index, field] of schema.fields.entries()) {
    const parts = batches.map((batch) => batch.getChildAt(index)).filter((part) => part !== null);
    columns.push(await columnFrom(field, { name: names[index] ?? field.name, parts, rows: options.rows, rest }));
  }
  return newTable(options.name, columns);
}

interface Answered {
  readonly name: string;
  readonly parts: readonly Vector[];
  readonly rows: number;
  readonly rest: () => Promise<void> | undefined;
}

function columnFrom({ type }: Field, answered: Answered): Promise<Column> {
  if (DataType.isBool(type)) return numberColumn("bool", answered, (value) => (value === true ? 1 : 0));
  if (DataType.isFloat(type)) return plainColumn("double", answered);
  if (DataType.isInt(type) && type.bitWidth < 64) return plainColumn("int", answered);
  if (DataType.isInt(type)) return wholeColumn(answered, (value) => value as bigint);
  if (DataType.isDecimal(type)) {
    return type.scale === 0 ? wholeColumn(answered, decimalOf) : decimalColumn(answered, type.scale);
  }
  // Arrow's own reading of these is in milliseconds, whatever they are kept in, with finer parts as a fraction.
  if (DataType.isDate(type) || DataType.isTimestamp(type)) return numberColumn("datetime", answered, Number);
  if (DataType.isUtf8(type)) return textColumn(answered, wholeTexts);
  if (DataType.isInterval(type)) return textColumn(answered, intervalTexts);
  if (DataType.isList(type) || DataType.isFixedSizeList(type) || DataType.isStruct(type) || DataType.isMap(type))
    return nestedColumn(answered, type);
  return textColumn(answered, oneByOne(textReader(type)));
}

async function nestedColumn(answered: Answered, type: DataType): Promise<Column> {
  const column = await textColumn(answered, oneByOne(textReader(type)));
  return { ...column, nested: true };
}

async function decimalColumn(answered: Answered, scale: number): Promise<Column> {
  const units: (bigint | null)[] = [];
  await each(answered, (part, _row, length) => {
    for (let index = 0; index < length; index += 1) {
      const value: unknown = part.get(index);
      units.push(value === null || value === undefined ? null : decimalOf(value));
    }
  });
  return columnOfUnits(answered.name, units, scale);
}

/** Every part with the row that it begins at; of the last only what is still wanted. */
async function each(
  { parts, rows, rest }: Answered,
  take: (part: Vector, row: number, length: number) => void,
): Promise<void> {
  let row = 0;
  for (const part of parts) {
    const length = Math.min(part.length, rows - row);
    take(part, row, length);
    row += length;
    await rest();
  }
}

/** Numbers as they lie in memory. */
async function plainColumn(type: "int" | "double", answered: Answered): Promise<NumberColumn> {
  const numbers = new Float64Array(answered.rows);
  await each(answered, (part, row, length) => {
    numbers.set((part.toArray() as Float64Array).subarray(0, length), row);
    if (part.nullCount === 0) return;
    for (let index = 0; index < length; index += 1) if (!part.isValid(index)) numbers[row + index] = Number.NaN;
  });
  return { name: answered.name, type, numbers };
}

async function numberColumn(
  type: NumberColumn["type"],
  answered: Answered,
  numberOf: (value: unknown) => number,
): Promise<NumberColumn> {
  const numbers = new Float64Array(answered.rows).fill(Number.NaN);
  await each(answered, (part, row, length) => {
    for (let index = 0; index < length; index += 1) {
      const value: unknown = part.get(index);
      if (value !== null && value !== undefined) numbers[row + index] = numberOf(value);
    }
  });
  return { name: answered.name, type, numbers };
}

/** Numbers where a double holds them all, else their exact texts. */
async function wholeColumn(answered: Answered, bigOf: (value: unknown) => bigint): Promise<Column> {
  const column = await numberColumn("int", answered, (value) => Number(bigOf(value)));
  if (column.numbers.every((number) => Number.isNaN(number) || Number.isSafeInteger(number))) return column;
  return textColumn(
    answered,
    oneByOne((value) => String(bigOf(value))),
    "bigint",
  );
}

type PartTexts = (part: Vector) => (index: number) => string | null;

async function textColumn(
  answered: Answered,
  texts: PartTexts,
  type: "string" | "bigint" = "string",
): Promise<TextColumn> {
  const maker = new TextColumnMaker(answered.rows);
  await each(answered, (part, _row, length) => {
    const textAt = texts(part);
    for (let index = 0; index < length; index += 1) maker.add(textAt(index));
  });
  return maker.finish(answered.name, type);
}

function oneByOne(text: (value: unknown) => string): PartTexts {
  return (part) => (index) => {
    const value: unknown = part.get(index);
    return value === null || value === undefined ? null : text(value);
  };
}

/** Decoding a thousand short texts takes much longer than one long text; where each letter is a byte, they can be cut out of it. */
function wholeTexts(part: Vector): (index: number) => string | null {
  const [data] = part.data;
  const one = oneByOne(String)(part);
  const offsets = data?.valueOffsets;
  if (data === undefined || offsets === undefined || part.data.length !== 1) return one;
  const first = offsets[0] ?? 0;
  const bytes = (data.values as Uint8Array).subarray(first, offsets[part.length] ?? first);
  const all = new TextDecoder().decode(bytes);
  if (all.length !== bytes.length) return one;
  return (index) =>
    part.nullCount > 0 && !part.isValid(index)
      ? null
      : all.slice((offsets[index] ?? 0) - first, (offsets[index + 1] ?? 0) - first);
}
