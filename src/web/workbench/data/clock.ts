/** A time of day as people write it: a table has no type for it. `perSecond`: units of a second. */
export function clockText(units: bigint, perSecond: bigint): string {
  if (units < 0n) return `-${clockText(-units, perSecond)}`;
  const seconds = units / perSecond;
  const parts = [seconds / 3_600n, (seconds / 60n) % 60n, seconds % 60n].map((part) => String(part).padStart(2, "0"));
  return `${parts.join(":")}${fractionText(units % perSecond, perSecond)}`;
}

function fractionText(rest: bigint, perSecond: bigint): string {
  if (rest === 0n) return "";
  const digits = String(rest).padStart(String(perSecond).length - 1, "0");
  return `.${digits.replace(/0+$/, "")}`;
}

export interface Interval {
  readonly months: number;
  readonly days: number;
  readonly clock: bigint;
  /** Units of the clock in a second. */
  readonly perSecond: bigint;
}

/** As DuckDB writes them: `1 year 2 months 3 days 02:00:00`. */
export function intervalText({ months, days, clock, perSecond }: Interval): string {
  const parts = [
    [Math.trunc(months / 12), "year"],
    [months % 12, "month"],
    [days, "day"],
  ] as const;
  const words = parts
    .filter(([count]) => count !== 0)
    .map(([count, unit]) => `${count} ${unit}${count === 1 || count === -1 ? "" : "s"}`);
  if (clock !== 0n || words.length === 0) words.push(clockText(clock, perSecond));
  return words.join(" ");
}
