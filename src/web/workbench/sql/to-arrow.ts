import {
  Bool,
  Decimal,
  Dictionary,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchStreamWriter,
  Schema,
  Struct,
  TimestampMicrosecond,
  TimestampMillisecond,
  Utf8,
  Vector,
  type Data,
} from "apache-arrow";
import { isMissing, isText, type Column, type NumberColumn, type TextColumn } from "../data/column.ts";
import { fractionOf, unitsOf } from "../data/decimal.ts";
import type { Table } from "../data/table.ts";
import { bits, encoded, newData } from "./arrow-data.ts";
import { nestedValues } from "./nested-arrow.ts";
import { SQL_LIMITS } from "./limits.ts";
import { newRest } from "./rest.ts";

/** A column that is ready to be written batch by batch. */
interface ReadyColumn {
  readonly field: Field;
  readonly data: (from: number, to: number) => Data;
}

/**
 * A table as Arrow streams of some rows each, made when they are asked for. Each is whole in itself: the engine would otherwise read from memory
 * that it has given back between two parts of a stream.
 */
export async function* arrowStreams(table: Table): AsyncGenerator<Uint8Array> {
  const rest = newRest();
  const columns: ReadyColumn[] = [];
  for (const column of table.columns) {
    columns.push(readyColumn(column));
    await rest();
  }
  const schema = new Schema(columns.map(({ field }) => field));
  for (let from = 0; from === 0 || from < table.rowCount; from += SQL_LIMITS.batchRows) {
    const to = Math.min(table.rowCount, from + SQL_LIMITS.batchRows);
    const children: Data[] = [];
    for (const { data } of columns) {
      children.push(data(from, to));
      await rest();
    }
    const struct = makeData({ type: new Struct(schema.fields), length: to - from, nullCount: 0, children });
    yield RecordBatchStreamWriter.writeAll([new RecordBatch(schema, struct)]).toUint8Array(true);
  }
}

function readyColumn(column: Column): ReadyColumn {
  if (isText(column)) return readyTexts(column);
  switch (column.type) {
    case "double":
      return readyDecimals(column) ?? numbers(column, new Float64(), (from, to) => column.numbers.slice(from, to));
    case "int":
      return fitsInt32(column.numbers)
        ? numbers(column, new Int32(), (from, to) => Int32Array.from(column.numbers.subarray(from, to)))
        : numbers(column, new Int64(), (from, to) => longs(column.numbers.subarray(from, to)));
    case "datetime":
      return isFinerThanMilliseconds(column.numbers)
        ? numbers(column, new TimestampMicrosecond(), (from, to) =>
            longs(column.numbers.subarray(from, to).map((ms) => Math.round(ms * 1_000))),
          )
        : numbers(column, new TimestampMillisecond(), (from, to) => longs(column.numbers.subarray(from, to)));
    case "bool":
      return numbers(column, new Bool(), (from, to) => bits(to - from, (index) => column.numbers[from + index] === 1));
  }
}

function numbers(
  column: NumberColumn,
  type: Bool | Float64 | Int32 | Int64 | TimestampMicrosecond | TimestampMillisecond,
  values: (from: number, to: number) => ArrayBufferView,
): ReadyColumn {
  const data = (from: number, to: number): Data => {
    const part = column.numbers.subarray(from, to);
    return newData(type, {
      length: part.length,
      values: values(from, to),
      present: (index) => part[index] === part[index],
    });
  };
  return { field: new Field(column.name, type, true), data };
}

function isFinerThanMilliseconds(times: Float64Array): boolean {
  return times.some((time) => Number.isFinite(time) && !Number.isInteger(time));
}

/** Digits that a decimal of 128 bits holds. */
const DECIMAL_DIGITS = 38;
const FEW_DIGITS = 18;

function digitsOf(unit: bigint): number {
  return String(unit < 0n ? -unit : unit).length;
}

function mostOf(counts: readonly number[]): number {
  return counts.reduce((most, count) => Math.max(most, count), 0);
}

/** Decimal types stay decimal, so that sums are exact. Undefined: doubles, or more digits than there is room for. */
function readyDecimals(column: NumberColumn): ReadyColumn | undefined {
  const { exact, numbers: doubles } = column;
  const scale = column.scale ?? (exact === undefined ? undefined : mostOf(exact.categories.map(fractionOf)));
  if (scale === undefined || scale > DECIMAL_DIGITS) return undefined;
  const units = exact?.categories.map((text) => unitsOf(text, scale));
  if (units?.some((unit) => unit === undefined || digitsOf(unit) > DECIMAL_DIGITS) === true) return undefined;
  if (units === undefined && doubles.some((number) => Math.abs(number) * 10 ** scale > Number.MAX_SAFE_INTEGER))
    return undefined;
  const unitsAt = (row: number): bigint => {
    if (units !== undefined) return units[exact?.codes[row] ?? -1] ?? 0n;
    const number = doubles[row] ?? Number.NaN;
    return Number.isNaN(number) ? 0n : BigInt(Math.round(number * 10 ** scale));
  };
  // Few digits leave room for products.
  const digits = mostOf(units?.map((unit) => digitsOf(unit ?? 0n)) ?? []);
  const type = new Decimal(scale, Math.max(scale, digits > FEW_DIGITS ? DECIMAL_DIGITS : FEW_DIGITS), 128);
  const data = (from: number, to: number): Data => {
    const values = new BigUint64Array((to - from) * 2);
    for (let row = from; row < to; row += 1) {
      const unit = unitsAt(row);
      values[(row - from) * 2] = BigInt.asUintN(64, unit);
      values[(row - from) * 2 + 1] = BigInt.asUintN(64, unit >> 64n);
    }
    return newData(type, {
      length: to - from,
      values: new Uint32Array(values.buffer),
      present: (index) => !isMissing(column, from + index),
    });
  };
  return { field: new Field(column.name, type, true), data };
}

/** Lists and objects become Arrow's own, so that SQL can look inside. Undefined: they stay texts. */
function readyNested({ name, codes, categories }: TextColumn): ReadyColumn | undefined {
  if (categories.length > SQL_LIMITS.nested) return undefined;
  const nested = nestedValues(categories);
  if (nested === undefined) return undefined;
  const { type, values, dataOf } = nested;
  const data = (from: number, to: number): Data =>
    dataOf(Array.from(codes.subarray(from, to), (code) => values[code] ?? null));
  return { field: new Field(name, type, true), data };
}

/** Few different texts stay what they are, each once and codes; many go row by row. Whole numbers that fit become 64 bit ones. */
function readyTexts(column: TextColumn): ReadyColumn {
  const nested = column.nested === true ? readyNested(column) : undefined;
  if (nested !== undefined) return nested;
  const { codes, name, categories } = column;
  const present = (from: number) => (index: number) => (codes[from + index] ?? -1) >= 0;
  const whole = column.type === "bigint" ? wholeNumbers(categories) : undefined;
  if (whole !== undefined) {
    const type = new Int64();
    const data = (from: number, to: number): Data => {
      const values = BigInt64Array.from({ length: to - from }, (_, index) => whole[codes[from + index] ?? -1] ?? 0n);
      return newData(type, { length: to - from, values, present: present(from) });
    };
    return { field: new Field(name, type, true), data };
  }
  if (categories.length > SQL_LIMITS.dictionary) {
    const type = new Utf8();
    const data = (from: number, to: number): Data => {
      const texts = Array.from(codes.subarray(from, to), (code) => categories[code] ?? "");
      return newData(type, { length: to - from, ...encoded(texts), present: present(from) });
    };
    return { field: new Field(name, type, true), data };
  }
  const type = new Dictionary(new Utf8(), new Int32());
  const dictionary = new Vector([
    newData(new Utf8(), { length: categories.length, ...encoded(categories), present: () => true }),
  ]);
  const data = (from: number, to: number): Data => {
    // A missing one has a code too in Arrow, which is not looked at.
    const values = codes.slice(from, to).map((code) => Math.max(0, code));
    return newData(type, { length: to - from, values, present: present(from), dictionary });
  };
  return { field: new Field(name, type, true), data };
}

function fitsInt32(values: Float64Array): boolean {
  for (const value of values) if (value > 2 ** 31 - 1 || value < -(2 ** 31)) return false;
  return true;
}

/** Without a BigInt for each: the lower and the upper half of 64 bits. */
function longs(values: Float64Array): BigInt64Array {
  const halves = new Int32Array(values.length * 2);
  for (let index = 0; index < values.length; index += 1) {
    const value = Math.round(values[index] ?? 0);
    if (Number.isNaN(value)) continue;
    const upper = Math.floor(value / 2 ** 32);
    halves[index * 2] = (value - upper * 2 ** 32) | 0;
    halves[index * 2 + 1] = upper;
  }
  return new BigInt64Array(halves.buffer);
}

/** Absent where one of them needs more than 64 bits: then they stay texts. */
function wholeNumbers(texts: readonly string[]): readonly bigint[] | undefined {
  const values = texts.map(BigInt);
  return values.every((value) => BigInt.asIntN(64, value) === value) ? values : undefined;
}
