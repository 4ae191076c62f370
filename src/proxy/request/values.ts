export type RequestFields = Readonly<Record<string, unknown>>;

export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** A whole number above 0; undefined when it is something else. */
export function wholeNumber(value: unknown): number | undefined {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

const NOTHING: readonly RequestFields[] = [];

/** The objects of a list; empty when it is not a list. */
export function objectsOf(value: unknown): readonly RequestFields[] {
  if (!Array.isArray(value) || value.length === 0) return NOTHING;
  return value.filter(
    (item): item is RequestFields => typeof item === "object" && item !== null && !Array.isArray(item),
  );
}
