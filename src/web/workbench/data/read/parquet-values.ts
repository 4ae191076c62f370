import type { SchemaElement, SchemaTree } from "hyparquet";
import { clockText, intervalText } from "../clock.ts";
import { dateText } from "../format.ts";
import { decimalText, exactNumber } from "../decimal.ts";

/** How the stored values of a field are turned into values of a table. */
export type LeafKind =
  | { readonly kind: "decimal"; readonly scale: number }
  | { readonly kind: "interval" }
  /** A moment; units of a second. */
  | { readonly kind: "moment"; readonly perSecond: bigint }
  /** A time of day; units of a second. */
  | { readonly kind: "clock"; readonly perSecond: bigint }
  | { readonly kind: "bytes" };

const UNITS: Readonly<Record<string, bigint>> = { MILLIS: 1_000n, MICROS: 1_000_000n, NANOS: 1_000_000_000n };
const CONVERTED: Readonly<Record<string, LeafKind>> = {
  INTERVAL: { kind: "interval" },
  TIMESTAMP_MILLIS: { kind: "moment", perSecond: 1_000n },
  TIMESTAMP_MICROS: { kind: "moment", perSecond: 1_000_000n },
  TIME_MILLIS: { kind: "clock", perSecond: 1_000n },
  TIME_MICROS: { kind: "clock", perSecond: 1_000_000n },
  BSON: { kind: "bytes" },
};

/** Undefined: the library's own value is right. */
export function leafKind(element: SchemaElement): LeafKind | undefined {
  const { logical_type: logical, converted_type: converted, type } = element;
  if (element.num_children !== undefined) return undefined;
  if (converted === "DECIMAL" || logical?.type === "DECIMAL") {
    const scale = element.scale ?? (logical?.type === "DECIMAL" ? logical.scale : 0);
    return { kind: "decimal", scale };
  }
  if (logical?.type === "TIMESTAMP") return { kind: "moment", perSecond: UNITS[logical.unit] ?? 1_000n };
  if (logical?.type === "TIME") return { kind: "clock", perSecond: UNITS[logical.unit] ?? 1_000n };
  if (type === "INT96") return { kind: "moment", perSecond: 1_000_000_000n };
  return CONVERTED[converted ?? ""];
}

/** Without what makes the library convert or refuse it: the stored value comes as it is. */
export function asStored(element: SchemaElement): SchemaElement {
  if (leafKind(element) === undefined) return element;
  const { converted_type: _converted, logical_type: _logical, ...stored } = element;
  return stored;
}

/** Whole units of a decimal: of a number, or of bytes with the highest first. */
export function unitsOfStored(value: unknown): bigint | number | null {
  if (typeof value === "number" || typeof value === "bigint") return value;
  if (!(value instanceof Uint8Array)) return null;
  let units = 0n;
  for (const byte of value) units = (units << 8n) | BigInt(byte);
  return BigInt.asIntN(Math.max(8, value.length * 8), units);
}

/** Milliseconds since 1970, microseconds as a fraction. NaN: none. */
export function momentOf(value: unknown, perSecond: bigint): number {
  if (typeof value !== "bigint" && typeof value !== "number") return Number.NaN;
  const micros = perSecond > 1_000_000n ? floorDivided(BigInt(value), perSecond / 1_000_000n) : BigInt(value);
  if (perSecond < 1_000_000n) return Number(micros);
  const ms = floorDivided(micros, 1_000n);
  return Number(ms) + Number(micros - ms * 1_000n) / 1_000;
}

function floorDivided(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value % by < 0n ? quotient - 1n : quotient;
}

/** Null: none. */
export function storedClock(value: unknown, perSecond: bigint): string | null {
  return typeof value === "bigint" || typeof value === "number" ? clockText(BigInt(value), perSecond) : null;
}

/** Months, days and milliseconds, four bytes each. Null: none. */
export function storedInterval(value: unknown): string | null {
  if (!(value instanceof Uint8Array) || value.length !== 12) return null;
  const view = new DataView(value.buffer, value.byteOffset, 12);
  return intervalText({
    months: view.getUint32(0, true),
    days: view.getUint32(4, true),
    clock: BigInt(view.getUint32(8, true)),
    perSecond: 1_000n,
  });
}

/** A value inside a list or an object: exact, as text where JSON has no such value. */
function nestedLeaf(value: unknown, leaf: LeafKind): unknown {
  if (value === null || value === undefined) return value;
  switch (leaf.kind) {
    case "decimal": {
      const units = unitsOfStored(value);
      if (units === null) return null;
      return exactNumber(decimalText(BigInt(units), leaf.scale));
    }
    case "interval":
      return storedInterval(value);
    case "moment":
      return dateText(momentOf(value, leaf.perSecond));
    case "clock":
      return storedClock(value, leaf.perSecond);
    case "bytes":
      return value;
  }
}

/** Turns the stored values within lists, maps and objects. */
export function nestedValue(value: unknown, tree: SchemaTree): unknown {
  if (value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((part: unknown) => nestedValue(part, memberOf(tree)));
  if (tree.children.length === 0) {
    const leaf = leafKind(tree.element);
    return leaf === undefined ? value : nestedLeaf(value, leaf);
  }
  if (!isRecord(value)) return value;
  const values = mapValues(tree);
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const child = values ?? tree.children.find(({ element }) => element.name === name);
      return [name, child === undefined ? part : nestedValue(part, child)];
    }),
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** What a list holds: beneath one or two groups that only say that it is a list. */
function memberOf(tree: SchemaTree): SchemaTree {
  if (!isListTree(tree)) return tree;
  const repeated = tree.children[0];
  if (repeated === undefined) return tree;
  return repeated.children.length === 1 ? (repeated.children[0] ?? repeated) : repeated;
}

function isListTree({ element, children }: SchemaTree): boolean {
  return (element.converted_type === "LIST" || element.logical_type?.type === "LIST") && children.length === 1;
}

function mapValues({ element, children }: SchemaTree): SchemaTree | undefined {
  const isMap =
    element.converted_type === "MAP" ||
    element.converted_type === "MAP_KEY_VALUE" ||
    element.logical_type?.type === "MAP";
  return isMap ? children[0]?.children[1] : undefined;
}
