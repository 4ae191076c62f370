import { useMemo } from "react";
import type { Bits } from "../../data/bits.ts";
import { isNumeric, type Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import { categoriesOf, NO_VALUE, wordsOf } from "./categories.ts";
import { categoryColor, rgbOf, type Palette, type Rgb } from "./colors.ts";
import type { LegendContent } from "./legend.tsx";
import { colorRule } from "./log-axis.ts";
import type { PictureProps, Plot, PlotProps } from "./plot.ts";
import { selectWhere } from "./rows.ts";
import { bounded, extentOf } from "./scale.ts";

/** The colour of each row, as a place in a short list of colours. */
export interface Coloring {
  readonly column: Column | undefined;
  /** Absent: all rows have the first colour. */
  readonly places: Uint16Array | undefined;
  readonly colors: readonly Rgb[];
  readonly legend: LegendContent | undefined;
  /** Values that have no colour of their own. */
  readonly note?: string | undefined;
}

interface ColoringOptions {
  readonly table: Table;
  readonly column: Column | undefined;
  readonly palette: Palette;
  readonly rows: Bits;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly type?: string | undefined;
  readonly inverted?: boolean | undefined;
}

/** What a picture with coloured rows is drawn from. */
export interface ColoredPictureProps<Model> extends PictureProps<Model> {
  readonly coloring: Coloring;
}

interface ColoredRows {
  /** The property that names the column. */
  readonly name: string;
  /** Those that the scale of colours reaches over. */
  readonly rows: Bits;
}

/** The colours that a look asks for; the same object until they change. */
export function useColoring({ table, look }: PlotProps, plot: Plot, { name, rows }: ColoredRows): Coloring {
  return useMemo(
    () =>
      coloringOf({
        table,
        column: chosen(table, look, name),
        palette: plot.palette,
        rows,
        min: numberOf(look, "colorMin"),
        max: numberOf(look, "colorMax"),
        type: textOf(look, "colorAxisType"),
        inverted: flagOf(look, "invertColorScheme"),
      }),
    [table, look, plot, name, rows],
  );
}

/** Steps of a scale of colours. */
const STEPS = 256;
const MOST_ENTRIES = 40;

/** Numbers and times by a scale, all else by category. */
function coloringOf(options: ColoringOptions): Coloring {
  const { column, palette } = options;
  if (column === undefined) return { column, places: undefined, colors: [rgbOf(palette.mark)], legend: undefined };
  return isNumeric(column) ? byScale(options, column.numbers) : byCategory(options, column);
}

/** Columns never change, so the places of their categories are kept with them. */
const known = new WeakMap<Column, { readonly places: Uint16Array; readonly missing: boolean }>();

function placesOf(column: Column, codes: Int32Array): { readonly places: Uint16Array; readonly missing: boolean } {
  const before = known.get(column);
  if (before !== undefined) return before;
  const places = new Uint16Array(codes.length);
  for (let row = 0; row < codes.length; row += 1) places[row] = (codes[row] ?? -1) + 1;
  const made = { places, missing: codes.includes(-1) };
  known.set(column, made);
  return made;
}

function byCategory({ table, palette, rows }: ColoringOptions, column: Column): Coloring {
  const { codes, names } = categoriesOf(column);
  const { places, missing } = placesOf(column, codes);
  const shown = names.slice(0, MOST_ENTRIES).map((name, index) => ({ name, color: categoryColor(palette, index) }));
  return {
    column,
    places,
    colors: [palette.missing, ...names.map((_, index) => categoryColor(palette, index))].map(rgbOf),
    legend: {
      kind: "categories",
      title: column.name,
      entries: missing ? [...shown, { name: NO_VALUE, color: palette.missing }] : shown,
      onPick: (index, keys) => {
        const code = index < shown.length ? index : -1;
        selectWhere(table, (row) => codes[row] === code && rows.has(row), keys);
      },
    },
  };
}

function byScale(options: ColoringOptions, numbers: Float64Array): Coloring {
  const { column, palette, rows, inverted = false } = options;
  if (column === undefined) return coloringOf(options);
  const rule = colorRule(column, rows, options.type);
  const logarithmic = rule.type === "logarithmic";
  const { min, max } = bounded(extentOf(column, rows, logarithmic), options.min, options.max);
  const ramp = (share: number): string => palette.linear(inverted ? 1 - share : share);
  const [low, high] = logarithmic ? [Math.log(min), Math.log(max)] : [min, max];
  const places = new Uint16Array(numbers.length);
  for (let row = 0; row < numbers.length; row += 1) {
    const value = numbers[row] ?? Number.NaN;
    const share = high > low ? ((logarithmic ? Math.log(value) : value) - low) / (high - low) : 0.5;
    if (Number.isFinite(share)) places[row] = 1 + Math.round(Math.max(0, Math.min(1, share)) * (STEPS - 1));
  }
  return {
    column,
    places,
    colors: [rgbOf(palette.missing), ...Array.from({ length: STEPS }, (_, step) => rgbOf(ramp(step / (STEPS - 1))))],
    legend: Number.isFinite(min)
      ? { kind: "scale", title: column.name, ramp, from: wordsOf(column, min), to: wordsOf(column, max) }
      : undefined,
    note: rule.note,
  };
}
