import { globMatches } from "../protocol/index.ts";

/** The value of the most specific glob that matches any of `names`: the one with the most characters other than `*`. */
export function mostSpecific<Value>(
  entries: Iterable<readonly [glob: string, value: Value]>,
  names: readonly string[],
): Value | undefined {
  let best: { readonly value: Value; readonly weight: number } | undefined;
  for (const [glob, value] of entries) {
    const weight = glob.replaceAll("*", "").length;
    if (best !== undefined && best.weight >= weight) continue;
    if (names.some((name) => globMatches(glob, name))) best = { value, weight };
  }
  return best?.value;
}
