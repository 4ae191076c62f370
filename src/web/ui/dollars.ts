const MICRO_DIGITS = 6;
const SHAPE = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{0,6}))?$/;

/** What a person writes as dollars, in micro-USD. Absent: it is no amount. Exact: no floating point on the way. */
export function parseDollars(text: string): number | undefined {
  const found = SHAPE.exec(text.trim());
  if (found === null) return undefined;
  return Number(`${(found[1] ?? "0").replaceAll(",", "")}${(found[2] ?? "").padEnd(MICRO_DIGITS, "0")}`);
}

/** Micro-USD as a person would write it into a field: `2.5`, `0.000001`. */
export function writeDollars(microusd: number): string {
  const digits = String(microusd).padStart(MICRO_DIGITS + 1, "0");
  const whole = digits.slice(0, -MICRO_DIGITS);
  const part = digits.slice(-MICRO_DIGITS).replace(/0+$/, "");
  if (part === "") return whole;
  return `${whole}.${part.padEnd(2, "0")}`;
}
