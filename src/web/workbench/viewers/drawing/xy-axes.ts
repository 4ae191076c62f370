import type { Bits } from "../../data/bits.ts";
import type { Table } from "../../data/table.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { axisColumn, axisExtent, axisKind, axisScale, type AxisColumn } from "./axis-column.ts";
import type { Area } from "./figure.tsx";
import { axisRule, isPlaced, type AxisRule } from "./log-axis.ts";
import { planeOf, shownAxes, type Plane } from "./plot.ts";
import type { Extent } from "./scale.ts";
import type { VisibleExtent } from "./view.ts";

/** Two columns along the axes of a plane. */
export interface XyAxes {
  readonly x: AxisColumn;
  readonly y: AxisColumn;
  readonly extentX: Extent;
  readonly extentY: Extent;
  readonly ruleX: AxisRule;
  readonly ruleY: AxisRule;
}

/** Undefined: a column is missing. */
export function xyAxes(
  table: Table,
  look: Look,
  rows: { readonly rows: Bits; readonly scaleRows: Bits },
): XyAxes | undefined {
  const [first, second] = [chosen(table, look, "xColumnName"), chosen(table, look, "yColumnName")];
  if (first === undefined || second === undefined) return undefined;
  const [x, y] = [axisColumn(first), axisColumn(second)];
  const ruleX = axisRule(first, rows, textOf(look, "xAxisType"));
  const ruleY = axisRule(second, rows, textOf(look, "yAxisType"));
  const extent = (column: AxisColumn, axis: "x" | "y", { type }: AxisRule): Extent =>
    axisExtent(column, rows.scaleRows, { min: numberOf(look, `${axis}Min`), max: numberOf(look, `${axis}Max`), type });
  return { x, y, extentX: extent(x, "x", ruleX), extentY: extent(y, "y", ruleY), ruleX, ruleY };
}

/** Whether a row has a place on both axes. */
export function hasPlace({ x, y, ruleX, ruleY }: XyAxes, row: number): boolean {
  return (
    isPlaced(x.positions[row] ?? Number.NaN, axisKind(x, ruleX)) &&
    isPlaced(y.positions[row] ?? Number.NaN, axisKind(y, ruleY))
  );
}

/** `view`: what is in sight after zooming; absent: all. */
export function xyPlane(
  axes: XyAxes,
  look: Look,
  { area, view }: { area: Area; view: VisibleExtent | undefined },
): Plane {
  const [invertX, invertY] = [flagOf(look, "invertXAxis"), flagOf(look, "invertYAxis")];
  const { x, y, extentX, extentY, ruleX, ruleY } = axes;
  return planeOf({
    area,
    ...shownAxes(look),
    x: (range) => axisScale(x, { extent: view?.x ?? extentX, range, type: ruleX.type, inverted: invertX }),
    y: (range) => axisScale(y, { extent: view?.y ?? extentY, range, type: ruleY.type, inverted: invertY }),
  });
}
