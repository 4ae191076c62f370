import { gzipSync } from "node:zlib";

/** Just enough of Parquet to write files for tests: one page a column and row group, plain values. */
export interface ParquetColumn {
  readonly name: string;
  readonly type: "BOOLEAN" | "INT32" | "INT64" | "DOUBLE" | "BYTE_ARRAY";
  /** UTF8 0, DECIMAL 5, DATE 6, TIMESTAMP_MILLIS 9, TIMESTAMP_MICROS 10. */
  readonly converted?: number;
  readonly scale?: number;
  readonly precision?: number;
  /** The name of a group that it is the only field of. */
  readonly within?: string;
  /** null needs `optional`. */
  readonly optional?: boolean;
  readonly values: readonly (number | bigint | string | boolean | null)[];
}

const TYPES = { BOOLEAN: 0, INT32: 1, INT64: 2, DOUBLE: 5, BYTE_ARRAY: 6 } as const;

type Field =
  | readonly ["i32" | "i64", number]
  | readonly ["text", string]
  | readonly ["struct", Struct]
  | readonly ["structs", readonly Struct[]]
  | readonly ["texts", readonly string[]]
  | readonly ["i32s", readonly number[]];
/** By field number, in ascending order. */
type Struct = Readonly<Record<number, Field>>;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

const zigzag = (value: number): number[] => varint(value >= 0 ? value * 2 : -value * 2 - 1);
const text = (value: string): number[] => {
  const bytes = [...new TextEncoder().encode(value)];
  return [...varint(bytes.length), ...bytes];
};
const list = (count: number, type: number): number[] =>
  count < 15 ? [count * 16 + type] : [0xf0 + type, ...varint(count)];

function field(value: Field): readonly [number, number[]] {
  switch (value[0]) {
    case "i32":
      return [5, zigzag(value[1])];
    case "i64":
      return [6, zigzag(value[1])];
    case "text":
      return [8, text(value[1])];
    case "struct":
      return [12, struct(value[1])];
    case "structs":
      return [9, [...list(value[1].length, 12), ...value[1].flatMap(struct)]];
    case "texts":
      return [9, [...list(value[1].length, 8), ...value[1].flatMap(text)]];
    case "i32s":
      return [9, [...list(value[1].length, 5), ...value[1].flatMap(zigzag)]];
  }
}

function struct(fields: Struct): number[] {
  let last = 0;
  const bytes: number[] = [];
  for (const [number, value] of Object.entries(fields)) {
    const [type, body] = field(value);
    bytes.push((Number(number) - last) * 16 + type, ...body);
    last = Number(number);
  }
  bytes.push(0);
  return bytes;
}

function plain(type: ParquetColumn["type"], values: ParquetColumn["values"]): number[] {
  const set = values.filter((value) => value !== null);
  if (type === "BOOLEAN") {
    const bytes = Array.from({ length: Math.ceil(set.length / 8) }, () => 0);
    set.forEach((value, index) => {
      if (value === true) bytes[index >> 3] = (bytes[index >> 3] ?? 0) | (1 << (index & 7));
    });
    return bytes;
  }
  return set.flatMap((value) => Array.from(plainValue(type, value)));
}

function plainValue(type: ParquetColumn["type"], value: number | bigint | string | boolean): Uint8Array {
  if (type === "BYTE_ARRAY") {
    const text = new TextEncoder().encode(String(value));
    const bytes = new Uint8Array(4 + text.length);
    new DataView(bytes.buffer).setUint32(0, text.length, true);
    bytes.set(text, 4);
    return bytes;
  }
  const view = new DataView(new ArrayBuffer(type === "INT32" ? 4 : 8));
  if (type === "INT64") view.setBigInt64(0, BigInt(value), true);
  else if (type === "DOUBLE") view.setFloat64(0, Number(value), true);
  else view.setInt32(0, Number(value), true);
  return new Uint8Array(view.buffer);
}

/** Which rows have a value, as runs of one: the length doubled, then the level. */
function levels(values: ParquetColumn["values"]): number[] {
  const runs = values.flatMap((value) => [2, value === null ? 0 : 1]);
  const length = new Uint8Array(new Uint32Array([runs.length]).buffer);
  return [...length, ...runs];
}

function page(
  column: ParquetColumn,
  values: ParquetColumn["values"],
  gzip: boolean,
): { header: number[]; body: number[]; size: number } {
  const raw = [...(column.optional === true ? levels(values) : []), ...plain(column.type, values)];
  const body = gzip ? [...gzipSync(Uint8Array.from(raw))] : raw;
  const data: Struct = { 1: ["i32", values.length], 2: ["i32", 0], 3: ["i32", 3], 4: ["i32", 3] };
  const header = struct({ 1: ["i32", 0], 2: ["i32", raw.length], 3: ["i32", body.length], 5: ["struct", data] });
  return { header, body, size: raw.length };
}

function schemaOf(columns: readonly ParquetColumn[]): Struct[] {
  const fields = columns.flatMap((column): Struct[] => {
    const leaf: Struct = {
      1: ["i32", TYPES[column.type]],
      3: ["i32", column.optional === true ? 1 : 0],
      4: ["text", column.name],
      ...(column.converted === undefined ? {} : { 6: ["i32", column.converted] as const }),
      ...(column.scale === undefined ? {} : { 7: ["i32", column.scale] as const }),
      ...(column.precision === undefined ? {} : { 8: ["i32", column.precision] as const }),
    };
    return column.within === undefined ? [leaf] : [{ 3: ["i32", 0], 4: ["text", column.within], 5: ["i32", 1] }, leaf];
  });
  return [{ 4: ["text", "root"], 5: ["i32", columns.length] }, ...fields];
}

/** `groupRows`: rows of a row group. */
export function writeParquet(
  columns: readonly ParquetColumn[],
  options: { groupRows: number; gzip?: boolean },
): ArrayBuffer {
  const rows = columns[0]?.values.length ?? 0;
  const bytes = [0x50, 0x41, 0x52, 0x31];
  const groups: Struct[] = [];
  for (let start = 0; start < rows; start += options.groupRows) {
    const chunks = columns.map((column): Struct => {
      const values = column.values.slice(start, start + options.groupRows);
      const { header, body, size } = page(column, values, options.gzip === true);
      const offset = bytes.length;
      for (const byte of [...header, ...body]) bytes.push(byte);
      const path = column.within === undefined ? [column.name] : [column.within, column.name];
      const data: Struct = {
        1: ["i32", TYPES[column.type]],
        2: ["i32s", [0, 3]],
        3: ["texts", path],
        4: ["i32", options.gzip === true ? 2 : 0],
        5: ["i64", values.length],
        6: ["i64", header.length + size],
        7: ["i64", header.length + body.length],
        9: ["i64", offset],
      };
      return { 2: ["i64", offset], 3: ["struct", data] };
    });
    groups.push({ 1: ["structs", chunks], 2: ["i64", 0], 3: ["i64", Math.min(options.groupRows, rows - start)] });
  }
  const metadata = struct({
    1: ["i32", 1],
    2: ["structs", schemaOf(columns)],
    3: ["i64", rows],
    4: ["structs", groups],
  });
  const length = new Uint8Array(new Uint32Array([metadata.length]).buffer);
  return Uint8Array.from([...bytes, ...metadata, ...length, 0x50, 0x41, 0x52, 0x31]).buffer;
}
