import { DataType, type Vector } from "apache-arrow";
import { clockText, intervalText } from "../data/clock.ts";
import { decimalText, exactNumber } from "../data/decimal.ts";
import { dateText } from "../data/format.ts";

/** By Arrow's numbers of units: seconds, milliseconds, microseconds, nanoseconds. */
const PER_SECOND = [1n, 1_000n, 1_000_000n, 1_000_000_000n] as const;

/** What is neither number, time, nor plain text, as text: nothing is rounded. */
export function textReader(type: DataType): (value: unknown) => string {
  return (value) => {
    const plain = plainOf(value, type);
    return typeof plain === "string" ? plain : JSON.stringify(plain);
  };
}

/** A value as JSON can hold it. What JSON cannot hold exactly is a text. */
function plainOf(value: unknown, type: DataType): unknown {
  if (value === null || value === undefined) return null;
  if (DataType.isDecimal(type)) return exactNumber(decimalText(decimalOf(value), type.scale));
  if (DataType.isDate(type) || DataType.isTimestamp(type)) return dateText(Number(value));
  if (DataType.isTime(type)) return clockText(BigInt(value as bigint | number), PER_SECOND[type.unit] ?? 1n);
  if (DataType.isMap(type)) return plainMap(value as Iterable<readonly [unknown, unknown]>, type);
  if (DataType.isList(type) || DataType.isFixedSizeList(type)) {
    const [member] = type.children;
    return member === undefined ? [] : Array.from(value as Vector, (part: unknown) => plainOf(part, member.type));
  }
  if (DataType.isStruct(type)) {
    const row = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(type.children.map((child) => [child.name, plainOf(row[child.name], child.type)]));
  }
  if (value instanceof Uint8Array)
    return `\\x${Array.from(value, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return value;
}

function plainMap(value: Iterable<readonly [unknown, unknown]>, type: DataType): unknown {
  const [key, member] = (type.children[0]?.type as DataType | undefined)?.children ?? [];
  if (key === undefined || member === undefined) return {};
  return Object.fromEntries(
    [...value].map(([name, part]) => [String(plainOf(name, key.type)), plainOf(part, member.type)]),
  );
}

/** 128 bits in four words, the lowest first, the uppermost signed. */
export function decimalOf(value: unknown): bigint {
  const words = value as Uint32Array;
  let whole = 0n;
  for (const word of [...words].toReversed()) whole = (whole << 32n) | BigInt(word);
  return BigInt.asIntN(words.length * 32, whole);
}

/** DuckDB's intervals: months and days of 32 bits, nanoseconds of 64. The library has no reader for them. */
export function intervalTexts(part: Vector): (index: number) => string | null {
  const [data] = part.data;
  const values: unknown = data?.values;
  if (part.data.length !== 1 || !(values instanceof Int32Array) || values.length < part.length * 4)
    return () => "interval: cast it to VARCHAR to see it";
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength);
  return (index) => {
    if (!part.isValid(index)) return null;
    const at = index * 16;
    return intervalText({
      months: view.getInt32(at, true),
      days: view.getInt32(at + 4, true),
      clock: view.getBigInt64(at + 8, true),
      perSecond: 1_000_000_000n,
    });
  };
}
