interface AxisEnds {
  readonly min: number;
  readonly max: number;
}

/** The share of the rows that may be beyond each end. */
const TAIL = 0.005;
/** The axis is cut only where all other rows need less than this share of it. */
const WORTH = 0.25;
/** Room beside what is kept, as a share of it. */
const MARGIN = 0.05;
/** Fewer rows have no tails. */
const LEAST_ROWS = 50;
const FINE_BINS = 1_024;
/** One look narrows the ends at most a thousandfold. */
const MOST_LOOKS = 6;

/** AxisEnds of an axis that a few far values do not stretch. The same ends: there are none, or they do not harm. */
export function withoutOutliers(numbers: Float64Array, rows: Int32Array, own: AxisEnds): AxisEnds {
  let ends = own;
  for (let look = 0; look < MOST_LOOKS; look += 1) {
    const narrower = narrowed(numbers, rows, ends);
    if (narrower === undefined) break;
    const isFine = narrower.max - narrower.min > (ends.max - ends.min) / 2;
    ends = narrower;
    if (isFine) break;
  }
  if (!(ends.max - ends.min < (own.max - own.min) * WORTH) || !(ends.max > ends.min)) return own;
  const margin = (ends.max - ends.min) * MARGIN;
  return { min: Math.max(own.min, ends.min - margin), max: Math.min(own.max, ends.max + margin) };
}

/** The bins between the tails; undefined: there are too few rows. */
function narrowed(numbers: Float64Array, rows: Int32Array, { min, max }: AxisEnds): AxisEnds | undefined {
  const width = (max - min) / FINE_BINS;
  if (!(width > 0)) return undefined;
  const counts = new Float64Array(FINE_BINS);
  let [below, total] = [0, 0];
  for (const row of rows) {
    const value = numbers[row] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    total += 1;
    if (value < min) below += 1;
    else if (value <= max) {
      const bin = Math.min(FINE_BINS - 1, Math.floor((value - min) / width));
      counts[bin] = (counts[bin] ?? 0) + 1;
    }
  }
  if (total < LEAST_ROWS) return undefined;
  let [first, last, seen] = [0, FINE_BINS - 1, below];
  while (first < last && seen + (counts[first] ?? 0) <= total * TAIL) {
    seen += counts[first] ?? 0;
    first += 1;
  }
  let kept = below + counts.reduce((sum, count) => sum + count, 0);
  while (last > first && total - (kept - (counts[last] ?? 0)) <= total * TAIL) {
    kept -= counts[last] ?? 0;
    last -= 1;
  }
  return { min: min + first * width, max: last === FINE_BINS - 1 ? max : min + (last + 1) * width };
}
