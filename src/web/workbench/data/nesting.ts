/** Whether lists and objects lie deeper inside each other than `levels`. Goes without recursion: what somebody brings may be deeper than a program can follow. */
export function nestsDeeper(value: unknown, levels: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > levels) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

/** Lists and objects that it holds itself. */
function partsOf(value: unknown): readonly object[] {
  return typeof value === "object" && value !== null
    ? Object.values(value).filter((part) => typeof part === "object" && part !== null)
    : [];
}
