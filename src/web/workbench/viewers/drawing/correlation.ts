/** A straight line through points: y = slope · x + intercept. */
export interface RegressionLine {
  readonly slope: number;
  readonly intercept: number;
  /** Pearson's correlation. */
  readonly r: number;
  readonly count: number;
}

/** By least squares, over the rows that have both. In two passes, because squares of large numbers lose the small differences. */
export function regression(x: Float64Array, y: Float64Array, rows: Iterable<number>): RegressionLine {
  const list = rows instanceof Int32Array ? rows : Int32Array.from(rows);
  let [count, sumX, sumY] = [0, 0, 0];
  for (const row of list) {
    const [a, b] = [x[row] ?? Number.NaN, y[row] ?? Number.NaN];
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    count += 1;
    sumX += a;
    sumY += b;
  }
  const [meanX, meanY] = [sumX / count, sumY / count];
  let [xx, yy, xy] = [0, 0, 0];
  for (const row of list) {
    const [a, b] = [(x[row] ?? Number.NaN) - meanX, (y[row] ?? Number.NaN) - meanY];
    if (Number.isNaN(a) || Number.isNaN(b)) continue;
    xx += a * a;
    yy += b * b;
    xy += a * b;
  }
  const slope = xy / xx;
  return { slope, intercept: meanY - slope * meanX, r: correlation(xx, yy, xy), count };
}

function correlation(xx: number, yy: number, xy: number): number {
  return Math.max(-1, Math.min(1, xy / Math.sqrt(xx * yy)));
}

/** Pearson's r over the rows that have both; NaN where one does not vary. */
export function pearson(x: Float64Array, y: Float64Array, rows: Iterable<number>): number {
  return regression(x, y, rows).r;
}

/** Spearman's ρ: Pearson's r of the ranks, over the rows that have both. */
export function spearman(x: Float64Array, y: Float64Array, rows: Iterable<number>): number {
  const both: number[] = [];
  for (const row of rows)
    if (!Number.isNaN(x[row] ?? Number.NaN) && !Number.isNaN(y[row] ?? Number.NaN)) both.push(row);
  const list = Int32Array.from(both);
  const all = list.map((_, index) => index);
  return pearson(ranks(x, list), ranks(y, list), all);
}

/** The rank of each row's value, from 1; equal values share the middle of their ranks. */
export function ranks(values: Float64Array, rows: Int32Array): Float64Array {
  const own = Float64Array.from(rows, (row) => values[row] ?? Number.NaN);
  const sorted = own.toSorted();
  const result = new Float64Array(rows.length);
  for (let index = 0; index < own.length; index += 1) {
    const value = own[index] ?? 0;
    const less = countBefore(sorted, (other) => other < value);
    result[index] = (less + 1 + countBefore(sorted, (other) => other <= value)) / 2;
  }
  return result;
}

/** How many values of an ascending list come before something. */
function countBefore(sorted: Float64Array, isBefore: (value: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(sorted[middle] ?? 0)) low = middle + 1;
    else high = middle;
  }
  return low;
}
