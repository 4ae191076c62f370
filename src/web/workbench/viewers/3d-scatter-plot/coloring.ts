import { isText, type Column } from "../../data/column.ts";
import { categoriesOf, NO_VALUE, wordsOf } from "../drawing/categories.ts";
import { categoryColor, rgbOf, type Palette } from "../drawing/colors.ts";
import type { LegendContent } from "../drawing/legend.tsx";
import { extentIn } from "../drawing/extent.ts";

/** Colours of points, and what they mean. */
export interface PointColoring {
  /** By point, red green blue one after the other. */
  readonly rgb: Uint8Array;
  readonly legend: LegendContent | undefined;
}

/** Names in a legend; more are not read. */
const MOST_ENTRIES = 30;
/** Steps of a scale of colours. */
const STEPS = 256;

export function coloring(rows: Int32Array, column: Column | undefined, palette: Palette): PointColoring {
  const rgb = new Uint8Array(rows.length * 3);
  if (column === undefined) {
    const mark = rgbOf(palette.mark);
    for (let at = 0; at < rgb.length; at += 1) rgb[at] = mark[at % 3] ?? 0;
    return { rgb, legend: undefined };
  }
  return isText(column) || column.type === "bool"
    ? byCategory(rows, column, palette, rgb)
    : byNumber(rows, column, palette, rgb);
}

function byCategory(rows: Int32Array, column: Column, palette: Palette, rgb: Uint8Array): PointColoring {
  const { codes, names } = categoriesOf(column);
  const colors = Array.from({ length: Math.min(names.length, STEPS) }, (_, code) =>
    rgbOf(categoryColor(palette, code)),
  );
  const missing = rgbOf(palette.missing);
  for (let at = 0; at < rows.length; at += 1) {
    const code = codes[rows[at] ?? 0] ?? -1;
    rgb.set((code < 0 ? missing : colors[code % STEPS]) ?? missing, at * 3);
  }
  const entries = names.slice(0, MOST_ENTRIES).map((name, code) => ({ name, color: categoryColor(palette, code) }));
  const hasMissing = rows.some((row) => (codes[row] ?? -1) < 0);
  const all = hasMissing ? [...entries, { name: NO_VALUE, color: palette.missing }] : entries;
  return { rgb, legend: { kind: "categories", title: column.name, entries: all } };
}

function byNumber(rows: Int32Array, column: Column, palette: Palette, rgb: Uint8Array): PointColoring {
  const numbers = isText(column) ? new Float64Array(0) : column.numbers;
  const values = Float64Array.from(rows, (row) => numbers[row] ?? Number.NaN);
  const { min, max } = extentIn(values);
  const colors = Array.from({ length: STEPS }, (_, step) => rgbOf(palette.linear(step / (STEPS - 1))));
  const missing = rgbOf(palette.missing);
  const scale = max > min ? (STEPS - 1) / (max - min) : 0;
  for (const [at, value] of values.entries()) {
    rgb.set((!Number.isFinite(value) ? missing : colors[Math.round((value - min) * scale)]) ?? missing, at * 3);
  }
  return {
    rgb,
    legend: Number.isFinite(min)
      ? {
          kind: "scale",
          title: column.name,
          ramp: palette.linear,
          from: wordsOf(column, min),
          to: wordsOf(column, max),
        }
      : undefined,
  };
}
