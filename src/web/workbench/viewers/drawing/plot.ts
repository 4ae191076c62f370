import { useDeferredValue, useMemo } from "react";
import { Bits } from "../../data/bits.ts";
import { useTable } from "../../data/use-table.ts";
import { flagOf } from "../look.ts";
import type { Look, ViewerProps } from "../viewer.ts";
import { xAxisHeight, xAxisLead, yAxisWidth } from "./axes.tsx";
import type { Palette } from "./colors.ts";
import type { Area } from "./figure.tsx";
import { rowsOf, useRowsKey } from "./rows.ts";
import type { Extent, Scale } from "./scale.ts";
import { usePalette } from "./use-palette.ts";

/** A viewer, or one of many small ones in a trellis, which shows only some rows. */
export interface PlotProps extends ViewerProps {
  /** Absent: all. */
  readonly within?: Bits | undefined;
  /** The rows that the ends of the axes come from. Absent: those that are shown. */
  readonly scaleWithin?: Bits | undefined;
  /** The ends of the axes of what is computed from the rows, such as counts. Absent: those of this picture. */
  readonly shared?: SharedEnds | undefined;
  /** It is part of another viewer: the Tab key passes it by. */
  readonly inner?: boolean | undefined;
}

/** The rows of pictures that share their axes. */
export interface SharedRows {
  readonly sets: readonly Bits[];
  readonly scaleRows: Bits;
}

/** Ends of axes that several pictures share. */
export interface SharedEnds {
  readonly x?: Extent | undefined;
  /** One for each measure. */
  readonly values: readonly Extent[];
}

export interface Plot {
  readonly palette: Palette;
  /** The rows that are shown. */
  readonly rows: Bits;
  /** The rows that the ends of the axes come from. */
  readonly scaleRows: Bits;
  /** Those that the filter took out, too. */
  readonly everything: Bits;
}

/** What a picture is drawn from. */
export interface PictureProps<Model> {
  readonly props: PlotProps;
  readonly model: Model;
  readonly plot: Plot;
  readonly area: Area;
}

/** Colours and rows of a viewer; the same objects until they change. Renders again when the selection or the mouse's row changes. */
export function usePlot({ table, look, id, within, scaleWithin }: PlotProps): Plot {
  const palette = usePalette();
  const key = useRowsKey(table, look);
  return useMemo(() => {
    const all = rowsOf(table, look, id);
    const rows = within === undefined ? all : all.and(within);
    return {
      palette,
      rows,
      scaleRows: scaleWithin ?? rows,
      everything: within ?? Bits.all(table.rowCount),
    };
    // The key stands for what of the table they depend on.
  }, [table, look, id, within, scaleWithin, palette, key]);
}

/** Rows of a picture by what the table says of them, for looks of single marks. */
export function useLinked(table: PlotProps["table"]): {
  readonly selected: Bits;
  readonly current: number;
  readonly hover: number;
} {
  useTable(table, "selection", "rows");
  // A viewer may hold many pictures that count the selected rows: one after the other, not all in one go.
  const selected = useDeferredValue(table.selected);
  return { selected, current: table.currentRow, hover: table.hoverRow };
}

/** The two axes of a picture and the room between them, pixels. */
export interface Plane {
  readonly x: Scale;
  readonly y: Scale;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

type MakeScale = (range: readonly [from: number, to: number]) => Scale;

interface PlaneOptions {
  readonly area: Area;
  readonly x: MakeScale;
  readonly y: MakeScale;
  readonly showX: boolean;
  readonly showY: boolean;
  readonly orientation?: string | undefined;
}

/** Which of the two axes a look shows. */
export function shownAxes(look: Look): { readonly showX: boolean; readonly showY: boolean } {
  return { showX: flagOf(look, "showXAxis"), showY: flagOf(look, "showYAxis") };
}

const EDGE = 10;

/** Axes with the room that their labels need. */
export function planeOf({ area, x, y, showX, showY, orientation }: PlaneOptions): Plane {
  const top = EDGE;
  const right = Math.max(EDGE + 20, area.width - EDGE - 8);
  const beside = showY ? Math.min(yAxisWidth(y([area.height - 24, top])), area.width * 0.45) : EDGE;
  // Turned labels begin at the left of their tick.
  const lead = showX ? xAxisLead(x([beside, right]), orientation) : 0;
  const left = Math.min(Math.max(beside, lead), area.width * 0.45);
  const across = x([left, right]);
  const bottom = Math.max(top + 10, area.height - (showX ? xAxisHeight(across, orientation) : EDGE));
  return { x: across, y: y([bottom, top]), left, right, top, bottom };
}
