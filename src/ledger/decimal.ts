const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * `value` × 10^`shift`, as a whole number, rounded up. Reads the digits that were written, so that 0.1 means a tenth and
 * not the double next to it. Absent: no whole number from 0 to 2^53 that a price could be.
 */
export function shifted(value: number, shift: number): number | undefined {
  const [, whole, fraction = "", exponent = "0"] = DECIMAL.exec(String(value)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const zeros = shift + Number(exponent) - fraction.length;
  const result = zeros >= 0 ? digits * 10n ** BigInt(zeros) : ceiling(digits, 10n ** BigInt(-zeros));
  return result > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(result);
}

/** The quotient of two numbers that are not negative, rounded up. */
export function ceiling(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
