const MICRO_DIGITS = 6;
const SHAPE = /^\$?\s*(\d{1,3}(?:,\d{3})+|\d{1,9})(?:\.(\d{0,6}))?$/;

/** What a person writes as dollars, in micro-USD. Absent: it is no amount. Exact: no floating point on the way. */
export function parseDollars(text: string): number | undefined {
  const found = SHAPE.exec(text.trim());
  if (found === null) return undefined;
  return Number(`${(found[1] ?? "0").replaceAll(",", "")}${(found[2] ?? "").padEnd(MICRO_DIGITS, "0")}`);
}

const MICRO = 10 ** MICRO_DIGITS;
const CENT_MICRO = 10_000;

/** How many digits stand behind the point: so many at least, so many at most. */
type Digits = readonly [least: number, most: number];

/** Micro-USD as dollars in a language. */
export type DollarWriter = (microusd: number, digits: Digits) => string;

/** `locale`: the language with its region. */
export function dollarWriter(locale: string): DollarWriter {
  // Each takes longer to make than a row of a list to draw.
  const formats = new Map<string, Intl.NumberFormat>();
  return (microusd, [minimumFractionDigits, maximumFractionDigits]) => {
    const key = `${String(minimumFractionDigits)}-${String(maximumFractionDigits)}`;
    let format = formats.get(key);
    if (format === undefined) {
      const dollars = { style: "currency", currency: "USD", currencyDisplay: "narrowSymbol" } as const;
      format = new Intl.NumberFormat(locale, { ...dollars, minimumFractionDigits, maximumFractionDigits });
      formats.set(key, format);
    }
    // `$` alone in every language. Arabic has `US$`, whose parts change places in a line from right to left.
    return format.format(microusd / MICRO).replace("US$", "$");
  };
}

/** Cents, and more digits where cents would hide it. */
export const roundedDigits = (microusd: number): Digits =>
  microusd === 0 || Math.abs(microusd) >= CENT_MICRO ? [2, 2] : [4, 4];

/** Every digit that it has: `$3`, `$0.30`, `$0.075`. */
export const exactDigits = (microusd: number): Digits => [microusd % MICRO === 0 ? 0 : 2, MICRO_DIGITS];

/** Micro-USD as a person would write it into a field: `2.5`, `0.000001`. */
export function writeDollars(microusd: number): string {
  const digits = String(microusd).padStart(MICRO_DIGITS + 1, "0");
  const whole = digits.slice(0, -MICRO_DIGITS);
  const part = digits.slice(-MICRO_DIGITS).replace(/0+$/, "");
  if (part === "") return whole;
  return `${whole}.${part.padEnd(2, "0")}`;
}
