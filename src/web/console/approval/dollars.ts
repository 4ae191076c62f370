const MICRO_DIGITS = 6;
const DOLLARS = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{0,6}))?$/;

/** Dollars as a person writes them, in micro-USD, exactly. Undefined: not an amount. */
export function microusdOf(text: string): number | undefined {
  const found = DOLLARS.exec(text.trim());
  if (found === null) return undefined;
  const whole = (found[1] ?? "").replaceAll(",", "");
  const part = (found[2] ?? "").padEnd(MICRO_DIGITS, "0");
  return Number(`${whole}${part}`);
}

/** Micro-USD as dollars for a field: all digits that count, at least cents. */
export function dollarsOf(microusd: number): string {
  const digits = String(microusd).padStart(MICRO_DIGITS + 1, "0");
  const part = digits.slice(-MICRO_DIGITS).replace(/0{1,4}$/, "");
  return `${digits.slice(0, -MICRO_DIGITS)}.${part}`;
}
