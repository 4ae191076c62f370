import type { SchemaElement } from "hyparquet";
import { Bits } from "./bits.ts";
import { isMissing, isText, type Column, type ExactTexts, type NumberColumn } from "./column.ts";
import type { Table } from "./table.ts";

interface ParquetColumn {
  readonly element: SchemaElement;
  readonly data: unknown[];
}

/** As a Parquet file (Snappy). Times in microseconds, decimals and large whole numbers exactly where Parquet can hold them, else as texts. */
export async function toParquet(table: Table, rows: Bits = Bits.all(table.rowCount)): Promise<ArrayBuffer> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const picked = rows.toArray();
  const columns = table.columns.map((column) => parquetColumn(column, picked));
  return parquetWriteBuffer({
    columnData: columns.map(({ element, data }) => ({ name: element.name, data })),
    schema: [{ name: "root", num_children: columns.length }, ...columns.map(({ element }) => element)],
    createdBy: "Sallyport workbench",
  });
}

function parquetColumn(column: Column, rows: Int32Array): ParquetColumn {
  const head = { name: column.name, repetition_type: "OPTIONAL" } as const;
  const values = <Value>(read: (row: number) => Value): (Value | null)[] =>
    Array.from(rows, (row) => (isMissing(column, row) ? null : read(row)));
  const texts = (of: ExactTexts): ParquetColumn => ({
    element: { ...head, type: "BYTE_ARRAY", converted_type: "UTF8" },
    data: values((row) => of.categories[of.codes[row] ?? -1] ?? ""),
  });
  if (isText(column)) {
    if (column.type !== "bigint" || !column.categories.every(fitsInt64)) return texts(column);
    return {
      element: { ...head, type: "INT64" },
      data: values((row) => BigInt(column.categories[column.codes[row] ?? -1] ?? "0")),
    };
  }
  if (column.exact !== undefined) {
    const { exact, scale } = column;
    if (scale === undefined || !exact.categories.every((text) => unitsOf(text, scale) !== undefined))
      return texts(exact);
    return {
      element: {
        ...head,
        type: "FIXED_LEN_BYTE_ARRAY",
        type_length: 16,
        converted_type: "DECIMAL",
        precision: DECIMAL_DIGITS,
        scale,
      },
      data: values((row) => unitsOf(exact.categories[exact.codes[row] ?? -1] ?? "", scale) ?? null),
    };
  }
  const number = (row: number): number => column.numbers[row] ?? Number.NaN;
  const { element, data } = numberElement(column, number, values);
  return { element: { ...head, ...element }, data };
}

type ReadValues = <Value>(read: (row: number) => Value) => (Value | null)[];

/** What Parquet holds of a decimal number. */
const DECIMAL_DIGITS = 38;
const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?$/;

/** Whole units of the last digit. Undefined: a decimal of this scale cannot hold it. */
function unitsOf(text: string, scale: number): bigint | undefined {
  const parts = DECIMAL.exec(text);
  const [, sign = "", whole = "", fraction = ""] = parts ?? [];
  if (parts === null || fraction.length > scale) return undefined;
  const digits = (whole + fraction.padEnd(scale, "0")).replace(/^0+(?=\d)/, "");
  return digits.length > DECIMAL_DIGITS ? undefined : BigInt(`${sign}${digits}`);
}

const INT64 = 2n ** 63n;

function fitsInt64(text: string): boolean {
  if (!/^-?\d{1,19}$/.test(text)) return false;
  const value = BigInt(text);
  return value >= -INT64 && value < INT64;
}

const INT32 = 2 ** 31;

function numberElement(
  column: NumberColumn,
  number: (row: number) => number,
  values: ReadValues,
): { readonly element: Omit<SchemaElement, "name">; readonly data: unknown[] } {
  switch (column.type) {
    case "bool":
      return { element: { type: "BOOLEAN" }, data: values((row) => number(row) !== 0) };
    case "double":
      return { element: { type: "DOUBLE" }, data: values(number) };
    case "datetime":
      return {
        element: { type: "INT64", converted_type: "TIMESTAMP_MICROS" },
        data: values((row) => BigInt(Math.floor(number(row))) * 1_000n + microsOf(number(row))),
      };
    case "int": {
      const data = values(number);
      const isSmall = data.every((value) => value === null || (value >= -INT32 && value < INT32));
      return isSmall
        ? { element: { type: "INT32" }, data }
        : { element: { type: "INT64" }, data: data.map((value) => (value === null ? null : BigInt(value))) };
    }
  }
}

/** Microseconds beyond the whole milliseconds; a double holds them only nearly. */
function microsOf(ms: number): bigint {
  return BigInt(Math.round((ms - Math.floor(ms)) * 1_000));
}
