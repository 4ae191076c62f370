import { quantile, varianceOf } from "../../data/stats.ts";

export interface BoxStatistics {
  readonly count: number;
  readonly min: number;
  readonly max: number;
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly mean: number;
  readonly stdev: number;
  /** The last values within one and a half box lengths of the box. */
  readonly lower: number;
  readonly upper: number;
}

/** Of numbers in ascending order; NaN where there are none. */
export function boxStatistics(sorted: Float64Array): BoxStatistics {
  const [q1, median, q3] = [0.25, 0.5, 0.75].map((share) => quantile(sorted, share)) as [number, number, number];
  const reach = 1.5 * (q3 - q1);
  const lower = sorted.find((value) => value >= q1 - reach) ?? Number.NaN;
  const upper = sorted.findLast((value) => value <= q3 + reach) ?? Number.NaN;
  return {
    count: sorted.length,
    min: sorted[0] ?? Number.NaN,
    max: sorted.at(-1) ?? Number.NaN,
    q1,
    median,
    q3,
    mean: sumOf(sorted) / sorted.length,
    stdev: Math.sqrt(varianceOf(sorted)),
    lower,
    upper,
  };
}

function sumOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
}

/** How likely means as different as these are by chance: the p value of a one-way analysis of variance. NaN: cannot be said. */
export function anovaP(groups: readonly Float64Array[]): number {
  const known = groups.filter((group) => group.length > 0);
  const count = known.reduce((sum, group) => sum + group.length, 0);
  const [between, within] = [known.length - 1, count - known.length];
  if (between < 1 || within < 1) return Number.NaN;
  const mean = known.reduce((sum, group) => sum + sumOf(group), 0) / count;
  let [squaresBetween, squaresWithin] = [0, 0];
  for (const group of known) {
    const own = sumOf(group) / group.length;
    squaresBetween += group.length * (own - mean) ** 2;
    for (const value of group) squaresWithin += (value - own) ** 2;
  }
  if (squaresWithin === 0) return squaresBetween === 0 ? Number.NaN : 0;
  const ratio = squaresBetween / between / (squaresWithin / within);
  return incompleteBeta(within / (within + between * ratio), within / 2, between / 2);
}

/** The regularised incomplete beta function, by its continued fraction (Lentz's way). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x));
  // The fraction converges fast only on one side of this.
  return x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
}

const MOST_STEPS = 300;
const TINY = 1e-300;

function fraction(x: number, a: number, b: number): number {
  const safe = (value: number): number => (Math.abs(value) < TINY ? TINY : value);
  let c = 1;
  let d = 1 / safe(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let step = 1; step <= MOST_STEPS; step += 1) {
    const even = (step * (b - step) * x) / ((a + 2 * step - 1) * (a + 2 * step));
    d = 1 / safe(1 + even * d);
    c = safe(1 + even / c);
    result *= d * c;
    const odd = (-(a + step) * (a + b + step) * x) / ((a + 2 * step) * (a + 2 * step + 1));
    d = 1 / safe(1 + odd * d);
    c = safe(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < 1e-14) break;
  }
  return result;
}

const LANCZOS = [
  0.999_999_999_999_809_9, 676.520_368_121_885_1, -1259.139_216_722_402_8, 771.323_428_777_653_1,
  -176.615_029_162_140_6, 12.507_343_278_686_905, -0.138_571_095_265_720_12, 9.984_369_578_019_572e-6,
  1.505_632_735_149_311_6e-7,
] as const;

/** For numbers above 0.5, which is all that is asked for. */
function logGamma(x: number): number {
  const z = x - 1;
  const t = z + 7.5;
  const sum = LANCZOS.reduce((total, part, index) => (index === 0 ? part : total + part / (z + index)), 0);
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** A smooth curve of how dense the values lie, at evenly spread places; the densest is 1. Numbers in ascending order. */
export function densityCurve(
  sorted: Float64Array,
  places: number,
): readonly { readonly at: number; readonly density: number }[] {
  const [min, max] = [sorted[0] ?? 0, sorted.at(-1) ?? 0];
  const counts = new Float64Array(places);
  const step = (max - min) / Math.max(1, places - 1);
  for (const value of sorted) {
    const place = step > 0 ? Math.round((value - min) / step) : 0;
    counts[place] = (counts[place] ?? 0) + 1;
  }
  const spread = Math.min(
    Math.sqrt(varianceOf(sorted)),
    (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.34 || Infinity,
  );
  const breadth = Math.max((0.9 * (spread || 1)) / sorted.length ** 0.2, step);
  const curve = Array.from({ length: places }, (_, place) => {
    let density = 0;
    for (let other = 0; other < places; other += 1)
      density += (counts[other] ?? 0) * Math.exp(-0.5 * (((place - other) * step) / breadth) ** 2);
    return { at: min + place * step, density };
  });
  const most = Math.max(...curve.map(({ density }) => density), TINY);
  return curve.map(({ at, density }) => ({ at, density: density / most }));
}
