import type { Extent } from "./scale.ts";

/** The least and most finite of some numbers. Infinity and -Infinity where there are none. */
export function extentIn(values: Iterable<number>): Extent {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

/** The same; absent where there are none. */
export function rangeOf(values: Iterable<number>): Extent | undefined {
  const extent = extentIn(values);
  return extent.min > extent.max ? undefined : extent;
}
