const AMOUNT = /^\$?\s*(\d{1,9})?(?:[.,](\d{0,6}))?$/;
const MICRO_DIGITS = 6;

/** An amount that a person wrote, in micro-USD: by its digits, so that nothing is rounded. Absent: it is none. */
export function microUsdOf(text: string): number | undefined {
  const match = AMOUNT.exec(text.trim());
  const [, whole = "", part = ""] = match ?? [];
  if (match === null || (whole === "" && part === "")) return undefined;
  return Number(whole + part.padEnd(MICRO_DIGITS, "0"));
}

/** The other way round, as short as it can be written. */
export function dollarText(microusd: number): string {
  const digits = String(microusd).padStart(MICRO_DIGITS + 1, "0");
  const part = digits.slice(-MICRO_DIGITS).replace(/0+$/, "");
  const whole = digits.slice(0, -MICRO_DIGITS);
  return part === "" ? whole : `${whole}.${part.padEnd(2, "0")}`;
}
