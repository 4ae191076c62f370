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

/** A count; an invalid one counts as not reported. */
export function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.round(value) : undefined;
}
