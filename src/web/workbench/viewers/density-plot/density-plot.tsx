import { useMemo } from "react";
import { Bits } from "../../data/bits.ts";
import { axisColumn, axisExtent, axisKind, type AxisColumn } from "../drawing/axis-column.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { axisRule, isPlaced, joinedNotes, type AxisRule } from "../drawing/log-axis.ts";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import type { Extent } from "../drawing/scale.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { drawnWords } from "../drawing/words.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import { DensityPicture } from "./picture.tsx";

export interface DensityAxes {
  readonly x: AxisColumn;
  readonly y: AxisColumn;
  readonly extentX: Extent;
  readonly extentY: Extent;
  readonly ruleX: AxisRule;
  readonly ruleY: AxisRule;
  /** Rows with a place on both axes. */
  readonly rows: Bits;
}

export function DensityPlot(props: PlotProps) {
  const { table, look, width, height } = props;
  const plot = usePlot(props);
  const axes = useMemo((): DensityAxes | undefined => {
    const [first, second] = [chosen(table, look, "xColumnName"), chosen(table, look, "yColumnName")];
    if (first === undefined || second === undefined) return undefined;
    const [x, y] = [axisColumn(first), axisColumn(second)];
    const ruleX = axisRule(first, plot, textOf(look, "xAxisType"));
    const ruleY = axisRule(second, plot, textOf(look, "yAxisType"));
    const bounds = (axis: "x" | "y", { type }: AxisRule) => ({
      min: numberOf(look, `${axis}Min`),
      max: numberOf(look, `${axis}Max`),
      type,
    });
    const isDrawn = (row: number): boolean =>
      isPlaced(x.positions[row] ?? Number.NaN, axisKind(x, ruleX)) &&
      isPlaced(y.positions[row] ?? Number.NaN, axisKind(y, ruleY));
    return {
      x,
      y,
      extentX: axisExtent(x, plot.scaleRows, bounds("x", ruleX)),
      extentY: axisExtent(y, plot.scaleRows, bounds("y", ruleY)),
      ruleX,
      ruleY,
      rows: Bits.where(table.rowCount, (row) => plot.rows.has(row) && isDrawn(row)),
    };
  }, [table, look, plot]);
  if (axes === undefined)
    return <Unfit width={width} height={height} words="Choose columns of numbers for both axes." />;
  return (
    <Figure
      look={look}
      width={width}
      height={height}
      sentence={`Density plot of ${axes.y.column.name} over ${axes.x.column.name}, ${drawnWords(axes.rows.count, plot.rows.count)}, ${numberOf(look, "bins") ?? 40} cells side by side.`}
      note={joinedNotes(axes.ruleX.note, axes.ruleY.note)}
      top={topOf(props)}
      bottom={
        flagOf(look, "showXSelector") && (
          <LookColumn label="X" table={table} columns="numeric" name="xColumnName" look={look} change={props.change} />
        )
      }
    >
      {(area) => <DensityPicture props={props} axes={axes} plot={plot} area={area} />}
    </Figure>
  );
}

function topOf({ table, look, change }: PlotProps) {
  const [y, bins] = [flagOf(look, "showYSelector"), flagOf(look, "showBinSelector")];
  if (!y && !bins) return undefined;
  return (
    <>
      {y && <LookColumn label="Y" table={table} columns="numeric" name="yColumnName" look={look} change={change} />}
      {bins && (
        <label className="ml-auto flex items-center gap-1.5 text-xs text-soft">
          Bins
          <input
            type="range"
            min={5}
            max={100}
            className="h-6 w-20 accent-(--accent)"
            value={numberOf(look, "bins") ?? 40}
            onChange={(event) => change({ bins: Number(event.target.value) })}
          />
          <span className="w-6 tabular-nums">{numberOf(look, "bins") ?? 40}</span>
        </label>
      )}
    </>
  );
}
