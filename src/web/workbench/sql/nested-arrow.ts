import { Bool, Field, Float64, Int64, List, makeData, Struct, Utf8, type Data, type DataType } from "apache-arrow";
import { bits, encoded, newData } from "./arrow-data.ts";

/** The Arrow type of values of JSON, so that SQL can look inside them. Where values do not agree, their texts. */
type JsonShape =
  | { readonly kind: "none" | "bool" | "whole" | "number" | "text" }
  | { readonly kind: "list"; readonly of: JsonShape }
  | { readonly kind: "object"; readonly fields: ReadonlyMap<string, JsonShape> };

/** More names of one object than this are texts: maps by key, not records. */
const MOST_FIELDS = 200;

function shapeOf(value: unknown): JsonShape {
  if (value === null || value === undefined) return { kind: "none" };
  if (typeof value === "boolean") return { kind: "bool" };
  if (typeof value === "number") return { kind: Number.isSafeInteger(value) ? "whole" : "number" };
  if (Array.isArray(value)) return { kind: "list", of: value.map(shapeOf).reduce(merged, { kind: "none" }) };
  if (typeof value !== "object") return { kind: "text" };
  const fields = new Map(Object.entries(value).map(([name, part]) => [name, shapeOf(part)]));
  // Arrow has no object without names.
  return fields.size === 0 ? { kind: "text" } : { kind: "object", fields };
}

function merged(left: JsonShape, right: JsonShape): JsonShape {
  if (left.kind === "none") return right;
  if (right.kind === "none") return left;
  if (left.kind === "list" && right.kind === "list") return { kind: "list", of: merged(left.of, right.of) };
  if (left.kind === "object" && right.kind === "object") return mergedObjects(left.fields, right.fields);
  if (left.kind === right.kind) return left;
  const isNumber = (kind: JsonShape["kind"]): boolean => kind === "whole" || kind === "number";
  return isNumber(left.kind) && isNumber(right.kind) ? { kind: "number" } : { kind: "text" };
}

function mergedObjects(left: ReadonlyMap<string, JsonShape>, right: ReadonlyMap<string, JsonShape>): JsonShape {
  const fields = new Map(left);
  for (const [name, shape] of right) {
    const before = fields.get(name);
    fields.set(name, before === undefined ? shape : merged(before, shape));
  }
  return fields.size > MOST_FIELDS ? { kind: "text" } : { kind: "object", fields };
}

function typeOf(shape: JsonShape): DataType {
  switch (shape.kind) {
    case "none":
    case "text":
      return new Utf8();
    case "bool":
      return new Bool();
    case "whole":
      return new Int64();
    case "number":
      return new Float64();
    case "list":
      return new List(new Field("item", typeOf(shape.of), true));
    case "object":
      return new Struct([...shape.fields].map(([name, of]) => new Field(name, typeOf(of), true)));
  }
}

function fitted(value: unknown, shape: JsonShape): unknown {
  if (value === null || value === undefined) return null;
  switch (shape.kind) {
    case "none":
    case "text":
      return typeof value === "string" ? value : JSON.stringify(value);
    case "whole":
      return BigInt(value as number);
    case "bool":
    case "number":
      return value;
    case "list":
      return (value as readonly unknown[]).map((part) => fitted(part, shape.of));
    case "object": {
      const row = value as Readonly<Record<string, unknown>>;
      return Object.fromEntries([...shape.fields].map(([name, of]) => [name, fitted(row[name], of)]));
    }
  }
}

export interface NestedValues {
  readonly type: DataType;
  /** By the code of the text; null: none. */
  readonly values: readonly unknown[];
  /** Values of some rows as Arrow holds them. */
  readonly dataOf: (rows: readonly unknown[]) => Data;
}

function dataOf(rows: readonly unknown[], shape: JsonShape): Data {
  const { length } = rows;
  const present = (index: number): boolean => rows[index] !== null && rows[index] !== undefined;
  switch (shape.kind) {
    case "none":
    case "text":
      return newData(new Utf8(), { length, present, ...encoded(rows.map((row) => (row ?? "") as string)) });
    case "bool":
      return newData(new Bool(), { length, present, values: bits(length, (index) => rows[index] === true) });
    case "whole":
      return newData(new Int64(), {
        length,
        present,
        values: BigInt64Array.from(rows, (row) => (row ?? 0n) as bigint),
      });
    case "number":
      return newData(new Float64(), {
        length,
        present,
        values: Float64Array.from(rows, (row) => (row ?? 0) as number),
      });
    case "list":
    case "object":
      return groupData(rows, shape);
  }
}

function groupData(rows: readonly unknown[], shape: JsonShape & { readonly kind: "list" | "object" }): Data {
  const { length } = rows;
  const nullCount = rows.filter((row) => row === null || row === undefined).length;
  const nullBitmap = bits(length, (index) => rows[index] !== null && rows[index] !== undefined);
  const shared = { length, nullCount, nullBitmap: nullCount === 0 ? undefined : nullBitmap };
  if (shape.kind === "object") {
    const children = [...shape.fields].map(([name, of]) =>
      dataOf(
        rows.map((row) => (row as Readonly<Record<string, unknown>> | null)?.[name]),
        of,
      ),
    );
    return makeData({ ...shared, type: typeOf(shape) as Struct, children });
  }
  const lists = rows.map((row) => (row ?? []) as readonly unknown[]);
  const valueOffsets = new Int32Array(length + 1);
  lists.forEach((list, index) => {
    valueOffsets[index + 1] = (valueOffsets[index] ?? 0) + list.length;
  });
  return makeData({ ...shared, type: typeOf(shape) as List, valueOffsets, child: dataOf(lists.flat(), shape.of) });
}

/** Texts of JSON as values that Arrow can hold. Undefined: they are no lists or objects of one kind, so they stay texts. */
export function nestedValues(texts: readonly string[]): NestedValues | undefined {
  let shape: JsonShape = { kind: "none" };
  const parsed: unknown[] = [];
  try {
    for (const text of texts) {
      const value: unknown = JSON.parse(text);
      parsed.push(value);
      shape = merged(shape, shapeOf(value));
    }
  } catch {
    return undefined;
  }
  if (shape.kind !== "list" && shape.kind !== "object") return undefined;
  const whole = shape;
  return {
    type: typeOf(whole),
    values: parsed.map((value) => fitted(value, whole)),
    dataOf: (rows) => dataOf(rows, whole),
  };
}
