const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/;

/**
 * `value` × 10^`shift`, as an integer, rounded up. Works on the written digits, so that 0.1 means a tenth and not the
 * double next to it. Absent: not an integer from 0 to 2^53, so not a price.
 */
export function shifted(value: number, shift: number): number | undefined {
  const [, whole, fraction = "", exponent = "0"] = DECIMAL.exec(String(value)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const zeros = shift + Number(exponent) - fraction.length;
  const result = zeros >= 0 ? digits * 10n ** BigInt(zeros) : ceiling(digits, 10n ** BigInt(-zeros));
  return result > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(result);
}

/** The quotient of two non-negative numbers, rounded up. */
export function ceiling(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
