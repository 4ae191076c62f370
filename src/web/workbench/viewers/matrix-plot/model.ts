import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { innerLook, parseInner } from "../drawing/inner-look.ts";
import { densityPlot } from "../density-plot/definition.ts";
import { histogram } from "../histogram/definition.ts";
import { chosenList, flagOf, textOf } from "../look.ts";
import { scatterPlot } from "../scatter-plot/definition.ts";
import type { Look, ViewerDefinition } from "../viewer.ts";

export interface MatrixCell {
  readonly x: Column;
  readonly y: Column;
  readonly plot: "Scatter plot" | "Density plot" | "Histogram";
  readonly look: Look;
}

export interface MatrixModel {
  readonly across: readonly Column[];
  readonly down: readonly Column[];
  /** Row by row. */
  readonly cells: readonly MatrixCell[];
}

/** More than this in a row make cells too small. */
const MOST = 8;
/** Scatter plots of more rows would take too long, cell by cell. */
export const MOST_POINTS = 20_000;

const DEFINITIONS = {
  "Scatter plot": scatterPlot,
  "Density plot": densityPlot,
  Histogram: histogram,
} as const satisfies Record<string, ViewerDefinition>;

export function matrixModel(table: Table, look: Look, rows: number): MatrixModel {
  const across = chosenList(table, look, "xColumnNames").slice(0, MOST);
  const down = chosenList(table, look, "yColumnNames").slice(0, MOST);
  const wanted =
    textOf(look, "cellPlotType") === "Scatter plot" && rows <= MOST_POINTS ? "Scatter plot" : "Density plot";
  const cells = down.flatMap((y, line) =>
    across.map((x, place): MatrixCell => {
      const plot = x === y ? "Histogram" : wanted;
      const [showX, showY] = [
        flagOf(look, "showXAxes") && line === down.length - 1,
        flagOf(look, "showYAxes") && place === 0,
      ];
      const definition = DEFINITIONS[plot];
      const set = parseInner(definition, table, textOf(look, "innerViewerLook"));
      return {
        x,
        y,
        plot,
        look: innerLook(definition, table, {
          ...standard(plot, x, y),
          ...set,
          showXAxis: showX,
          showYAxis: showY && plot !== "Histogram",
        }),
      };
    }),
  );
  return { across, down, cells };
}

function standard(plot: MatrixCell["plot"], x: Column, y: Column): Look {
  if (plot === "Histogram") return { valueColumnName: x.name, bins: 20 };
  const columns = { xColumnName: x.name, yColumnName: y.name, allowZoom: false };
  return plot === "Scatter plot"
    ? { ...columns, markerDefaultSize: 3, showVerticalGridLines: false, showHorizontalGridLines: false }
    : { ...columns, bins: 20, showColorScale: false };
}
