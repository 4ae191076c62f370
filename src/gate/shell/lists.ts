/** Names written as one text, so that long lists stay readable. */
export function namesIn(...lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => line.split(" "));
}

export function setOf(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(namesIn(...lines));
}
