import { isMissing, isText, numberAt, type Column } from "../data/column.ts";
import { quantile } from "../data/stats.ts";

/** The colour behind a cell; undefined: none. It lets the page shine through, so that the text reads well, light and dark. */
export type CellTint = (row: number) => string | undefined;

/** Values that the ends of the colours are found by. */
const SAMPLE = 10_000;
/** A few far values would leave one colour to all others. */
const ENDS = { low: 0.02, high: 0.98 } as const;
/** Percent of the colour at the least and at the most. */
const STRENGTH = { least: 4, most: 46 } as const;
/** Degrees from one category's hue to the next: neighbours differ much, and it is long before they come again. */
const GOLDEN = 137.508;
const CATEGORY_ALPHA = 0.24;

/** Columns never change: what tints them is made once for each. */
const tints = new WeakMap<Column, CellTint>();

/** Numbers and times from little to much, everything else by what it is. */
export function tintOf(column: Column): CellTint {
  const known = tints.get(column);
  if (known !== undefined) return known;
  const made = column.type === "string" || column.type === "bool" ? byCategory(column) : byNumber(column);
  tints.set(column, made);
  return made;
}

function byCategory(column: Column): CellTint {
  const codeOf = isText(column)
    ? (row: number) => column.codes[row] ?? -1
    : (row: number) => column.numbers[row] ?? Number.NaN;
  return (row) => {
    if (isMissing(column, row)) return undefined;
    const hue = Math.round((210 + codeOf(row) * GOLDEN) % 360);
    return `hsl(${hue} 65% 50% / ${CATEGORY_ALPHA})`;
  };
}

function byNumber(column: Column): CellTint {
  const { low, high } = endsOf(column);
  return (row) => {
    const number = numberAt(column, row);
    if (Number.isNaN(number)) return undefined;
    const share = high > low ? Math.min(1, Math.max(0, (number - low) / (high - low))) : 0.5;
    const percent = Math.round(STRENGTH.least + share * (STRENGTH.most - STRENGTH.least));
    return `color-mix(in srgb, var(--info) ${percent}%, transparent)`;
  };
}

function endsOf(column: Column): { readonly low: number; readonly high: number } {
  const rows = isText(column) ? column.codes.length : column.numbers.length;
  const step = Math.max(1, rows / SAMPLE);
  const sample: number[] = [];
  for (let at = 0; at < rows; at += step) {
    const number = numberAt(column, Math.floor(at));
    if (Number.isFinite(number)) sample.push(number);
  }
  const sorted = Float64Array.from(sample).sort();
  return { low: quantile(sorted, ENDS.low), high: quantile(sorted, ENDS.high) };
}
