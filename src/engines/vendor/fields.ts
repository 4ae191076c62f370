import { createHash } from "node:crypto";
import { canonicalJson, LIMITS } from "../../protocol/index.ts";

/** The fields of a JSON object that a vendor's program wrote: nothing is known of them yet. */
export type VendorFields = Readonly<Record<string, unknown>>;

/** An object; empty where it is none. */
export function record(value: unknown): VendorFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as VendorFields) : {};
}

/** A text; an empty one counts as not there. */
export function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A count; an invalid one, or one that nothing here can have, counts as not reported. */
export function count(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 && value <= MOST ? Math.round(value) : undefined;
}

/** Of a count, also of milliseconds since the epoch. Sums of such counts stay exact. */
const MOST = 1e13;

/** Whether a value has more levels than that. What goes through all levels of a deeper one would end with an exception. */
export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

/** The same for inputs that say the same, whatever the order of their fields; short, however long they are. */
export function keyOf(input: VendorFields): string {
  return createHash("sha256").update(canonicalJson(input)).digest("hex");
}

/** What a program wrote as JSON. Undefined: it is none, or nests too deep. */
export function parsedJson(json: string): unknown {
  try {
    const value = JSON.parse(json) as unknown;
    return isDeeper(value, LIMITS.engineNesting) ? undefined : value;
  } catch {
    return undefined;
  }
}
