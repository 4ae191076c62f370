import type { Column } from "../../data/column.ts";
import { shortNumber } from "../../data/format.ts";
import { flagOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { categoriesOf } from "./categories.ts";
import { categoryColor, type Palette, type Ramp } from "./colors.ts";
import type { LegendContent } from "./legend.tsx";
import type { Plot, PlotProps } from "./plot.ts";
import { selectWhere } from "./rows.ts";
import type { Extent } from "./scale.ts";

/** The scale of colours that a look asks for. */
export function lookRamp(palette: Palette, look: Look): Ramp {
  return flagOf(look, "invertColorScheme") ? (share) => palette.linear(1 - share) : palette.linear;
}

/** The colour of an aggregated number among others. */
export function aggregateColor(value: number, { min, max }: Extent, colors: { palette: Palette; ramp: Ramp }): string {
  if (!Number.isFinite(value)) return colors.palette.missing;
  return colors.ramp(max > min ? (value - min) / (max - min) : 0.5);
}

/** The scale of an aggregated column. `name`: what its properties begin with, such as `color`. */
export function aggregateLegend(look: Look, name: string, { ramp, min, max }: Extent & { ramp: Ramp }): LegendContent {
  return {
    kind: "scale",
    title: `${textOf(look, `${name}AggrType`) ?? "avg"}(${textOf(look, `${name}ColumnName`) ?? ""})`,
    ramp,
    from: shortNumber(min),
    to: shortNumber(max),
  };
}

interface SplitLegendOptions extends Pick<PlotProps, "table">, Pick<Plot, "palette" | "rows"> {
  readonly column: Column;
  /** By the number of their category; -1: no value. */
  readonly parts: readonly { readonly name: string; readonly index: number }[];
}

/** The categories of a column; who picks one selects its rows. */
export function splitLegend({ table, palette, rows, column, parts }: SplitLegendOptions): LegendContent {
  return {
    kind: "categories",
    title: column.name,
    entries: parts.map(({ name, index }) => ({ name, color: categoryColor(palette, index) })),
    onPick: (at, keys) => {
      const code = parts[at]?.index ?? -1;
      const { codes } = categoriesOf(column);
      selectWhere(table, (row) => rows.has(row) && codes[row] === code, keys);
    },
  };
}
