import { area as areaPath, curveMonotoneX, curveStep, line as linePath } from "d3-shape";
import { useMemo } from "react";
import type { Bits } from "../../data/bits.ts";
import { figure, shortNumber } from "../../data/format.ts";
import { wordsOf } from "../drawing/categories.ts";
import { aggregateColor, lookRamp } from "../drawing/chart-legend.ts";
import { categoryColor, type Palette } from "../drawing/colors.ts";
import { useDrag, type DrawnBox } from "../drawing/drag.ts";
import type { Area } from "../drawing/figure.tsx";
import { Marks, type Mark } from "../drawing/marks.tsx";
import { DragBox, PlaneAxes, Svg } from "../drawing/plane.tsx";
import { planeOf, shownAxes, useLinked, type PictureProps, type Plane, type PlotProps } from "../drawing/plot.ts";
import { filterKey, selectWhere, type ModifierKeys } from "../drawing/rows.ts";
import { extentIn } from "../drawing/extent.ts";
import { valueScale } from "../drawing/scale.ts";
import type { TooltipLine } from "../drawing/tooltip.ts";
import { rowsWords } from "../drawing/words.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import { countByBin, isStacked, mostOf, stacked, type HistogramModel } from "./model.ts";

export function HistogramPicture({ props, model, plot, area }: PictureProps<HistogramModel>) {
  const { table, look } = props;
  const { palette, rows } = plot;
  const linked = useLinked(table);
  const most = props.shared?.values[0]?.max;
  const plane = useMemo(
    () => histogramPlane(model, look, { area, most }),
    [model, look, area.width, area.height, most],
  );
  const selected = useMemo(
    () => countByBin(model.codes, model.span.bins, rows.and(linked.selected)),
    [model, rows, linked.selected],
  );
  const drag = useDrag({
    done: (box, keys) => {
      chooseRange(props, model, { rows, plane, box, keys });
    },
  });
  const curves = flagOf(look, "spline") || (model.split !== undefined && !flagOf(look, "splitStack"));
  const full = drag.box && { ...drag.box, top: plane.top, bottom: plane.bottom };
  return (
    <div {...drag.handlers} className="absolute inset-0 touch-none">
      <Svg area={area}>
        <PlaneAxes plane={plane} palette={palette} {...shownAxes(look)} gridY />
        <Marks
          inner={props.inner}
          label={`Bins of ${model.column.name}`}
          color={palette.ink}
          marks={binMarks({ props, model, plane, palette, rows, selected, bars: !curves })}
        />
        {curves && <Curves model={model} plane={plane} palette={palette} look={look} />}
        {flagOf(look, "showCurrentRow") && (
          <RowSign model={model} plane={plane} row={linked.current} color={palette.current} />
        )}
        {flagOf(look, "showMouseOverRow") && (
          <RowSign model={model} plane={plane} row={linked.hover} color={palette.hover} />
        )}
        <DragBox box={full} palette={palette} />
      </Svg>
    </div>
  );
}

/** Rows that the filter took out are drawn whole only where those that passed are at least this share as high. */
const LEAST_SHARE = 0.25;

/** What passed the filter must be seen; what did not may end at the upper edge. */
function highest(model: HistogramModel, look: PlotProps["look"]): number {
  const own = mostOf(model, isStacked(look, model));
  const whole = flagOf(look, "normalizeValues") ? 0 : Math.max(0, ...(model.whole ?? []));
  return own >= whole * LEAST_SHARE ? Math.max(own, whole) : own;
}

function histogramPlane(
  model: HistogramModel,
  look: PlotProps["look"],
  { area, most: shared }: { readonly area: Area; readonly most: number | undefined },
): Plane {
  const { span, column, parts } = model;
  const most = shared ?? highest(model, look);
  const logarithmic = textOf(look, "yAxisType") === "logarithmic";
  return planeOf({
    area,
    ...shownAxes(look),
    x: (range) =>
      valueScale({
        extent: span,
        range,
        time: column.type === "datetime",
        type: span.logarithmic ? "logarithmic" : "linear",
      }),
    y: (range) =>
      valueScale({
        extent: { min: logarithmic ? leastShown(parts) : 0, max: most || 1 },
        range,
        type: logarithmic ? "logarithmic" : "linear",
        nice: true,
        whole: !flagOf(look, "normalizeValues"),
      }),
  });
}

/** A logarithmic axis starts below the smallest bar, so that it still has a height. */
function leastShown(parts: HistogramModel["parts"]): number {
  const heights = parts.flatMap(({ heights: own }) => [...own].filter((height) => height > 0));
  return Math.min(1, ...heights) * 0.5;
}

function chooseRange(
  { table, look, id }: PlotProps,
  { column, codes }: HistogramModel,
  {
    rows,
    plane,
    box,
    keys,
  }: { readonly rows: Bits; readonly plane: Plane; readonly box: DrawnBox; readonly keys: ModifierKeys },
): void {
  const [min, max] = [plane.x.at(Math.max(box.left, plane.left)), plane.x.at(Math.min(box.right, plane.right))];
  if (flagOf(look, "filteringEnabled")) {
    table.setFilter(filterKey(id), { kind: "range", column: column.name, min, max });
    return;
  }
  const { numbers } = column;
  const inside = (row: number): boolean => {
    const value = numbers[row] ?? Number.NaN;
    return value >= min && value <= max && (codes[row] ?? -1) >= 0 && rows.has(row);
  };
  selectWhere(table, inside, keys);
}

interface HistogramMarksOptions {
  readonly props: PlotProps;
  readonly model: HistogramModel;
  readonly plane: Plane;
  readonly palette: Palette;
  readonly rows: Bits;
  readonly selected: Float64Array;
  /** False: only to choose from, below curves. */
  readonly bars: boolean;
}

function binMarks(options: HistogramMarksOptions): readonly Mark[] {
  const { props, model, rows, selected } = options;
  const { table } = props;
  const { column, edges, counts, codes } = model;
  const spans = stacked(model.parts, model.span.bins);
  return Array.from(counts, (count, bin): Mark => {
    const range = `${wordsOf(column, edges[bin] ?? 0)} – ${wordsOf(column, edges[bin + 1] ?? 0)}`;
    const chosenCount = selected[bin] ?? 0;
    return {
      key: String(bin),
      label: `${range}: ${rowsWords(count)}${chosenCount > 0 ? `, ${chosenCount.toLocaleString("en")} selected` : ""}`,
      lines: linesOf(options, bin, range),
      selected: count > 0 && chosenCount === count,
      shape: <Bin {...options} bin={bin} spans={spans.map((part) => part[bin] ?? [0, 0])} />,
      choose: (keys) => {
        selectWhere(table, (row) => codes[row] === bin && rows.has(row), keys);
      },
    };
  });
}

function linesOf(
  { model, selected, props }: HistogramMarksOptions,
  bin: number,
  range: string,
): readonly TooltipLine[] {
  const parts = model.split === undefined ? [] : model.parts;
  const share = flagOf(props.look, "normalizeValues");
  const words = (value: number): string => (share ? `${(value * 100).toFixed(1)}%` : value.toLocaleString("en"));
  return [
    ["", range],
    ["rows", (model.counts[bin] ?? 0).toLocaleString("en")],
    ...parts.map(({ name, heights }): TooltipLine => [name, words(heights[bin] ?? 0)]),
    ...(model.colors === undefined
      ? []
      : [[textOf(props.look, "colorColumnName") ?? "", figure(model.colors[bin] ?? Number.NaN)] as const]),
    ...((selected[bin] ?? 0) > 0 ? [["selected", (selected[bin] ?? 0).toLocaleString("en")] as const] : []),
  ];
}

interface BinProps extends HistogramMarksOptions {
  readonly bin: number;
  readonly spans: readonly (readonly [from: number, to: number])[];
}

function Bin({ props, model, plane, palette, selected, bars, bin, spans }: BinProps) {
  const { look } = props;
  const [start, end] = [plane.x.of(model.edges[bin] ?? 0), plane.x.of(model.edges[bin + 1] ?? 0)];
  const ratio = numberOf(look, "binWidthRatio") ?? 0.94;
  const width = Math.max(0.5, (end - start) * ratio);
  const left = start + (end - start - width) / 2;
  const height = (from: number, to: number): { readonly y: number; readonly height: number } => {
    const top = pixel(plane, to);
    return { y: top, height: Math.max(0, pixel(plane, from) - top) };
  };
  const top = spans[spans.length - 1]?.[1] ?? 0;
  const count = model.counts[bin] ?? 0;
  const part = count > 0 ? (selected[bin] ?? 0) / count : 0;
  const whole = flagOf(look, "normalizeValues") ? 0 : (model.whole?.[bin] ?? 0);
  const reach = { x: start, y: plane.top, width: Math.max(1, end - start), height: plane.bottom - plane.top };
  return (
    <>
      <rect {...reach} fill="transparent" />
      {bars && whole > count && (
        <rect x={left} width={width} {...height(count, whole)} fill={palette.out} fillOpacity={0.55} />
      )}
      {bars &&
        spans.map(([from, to], index) => (
          <rect
            key={model.parts[index]?.name ?? ""}
            x={left}
            width={width}
            {...height(from, to)}
            fill={fillOf({ model, palette, look, bin, index })}
          />
        ))}
      {part > 0 && (
        <rect x={left} width={width} {...height(0, top * part)} fill={palette.selected} fillOpacity={bars ? 1 : 0.5} />
      )}
      {flagOf(look, "showValues") && count > 0 && end - start > 18 && (
        <text
          aria-hidden="true"
          x={(start + end) / 2}
          y={pixel(plane, top) - 4}
          fontSize={10}
          textAnchor="middle"
          fill={palette.soft}
        >
          {shortNumber(count)}
        </text>
      )}
      <rect {...reach} className="focus-ring opacity-0" fill="none" stroke={palette.ink} strokeWidth={2} />
    </>
  );
}

function pixel(plane: Plane, value: number): number {
  const at = plane.y.of(value);
  return Number.isNaN(at) ? plane.bottom : Math.max(plane.top, Math.min(at, plane.bottom));
}

interface HistogramFillOptions {
  readonly model: HistogramModel;
  readonly palette: Palette;
  readonly look: PlotProps["look"];
  readonly bin: number;
  readonly index: number;
}

function fillOf({ model, palette, look, bin, index }: HistogramFillOptions): string {
  if (model.split !== undefined) return categoryColor(palette, model.parts[index]?.index ?? 0);
  if (model.colors === undefined) return palette.mark;
  const ramp = lookRamp(palette, look);
  return aggregateColor(model.colors[bin] ?? Number.NaN, extentIn(model.colors), { palette, ramp });
}

interface CurvesProps {
  readonly model: HistogramModel;
  readonly plane: Plane;
  readonly palette: Palette;
  readonly look: PlotProps["look"];
}

function Curves({ model, plane, palette, look }: CurvesProps) {
  const curve = flagOf(look, "spline") ? curveMonotoneX : curveStep;
  const isStack = flagOf(look, "splitStack");
  const spans = isStack
    ? stacked(model.parts, model.span.bins)
    : model.parts.map(({ heights }) => Array.from(heights, (height) => [0, height] as const));
  const middle = (_: unknown, bin: number): number =>
    (plane.x.of(model.edges[bin] ?? 0) + plane.x.of(model.edges[bin + 1] ?? 0)) / 2;
  return (
    <g pointerEvents="none" aria-hidden="true">
      {spans.map((part, index) => {
        const color = model.split === undefined ? palette.mark : categoryColor(palette, model.parts[index]?.index ?? 0);
        const outline = linePath<readonly [number, number]>(middle, ([, to]) => pixel(plane, to)).curve(curve)(part);
        const filled = areaPath<readonly [number, number]>(
          middle,
          ([from]) => pixel(plane, from),
          ([, to]) => pixel(plane, to),
        ).curve(curve)(part);
        return (
          <g key={model.parts[index]?.name ?? ""}>
            {flagOf(look, "fillSpline") && <path d={filled ?? ""} fill={color} fillOpacity={isStack ? 0.7 : 0.16} />}
            <path d={outline ?? ""} fill="none" stroke={color} strokeWidth={2} strokeLinejoin="round" />
          </g>
        );
      })}
    </g>
  );
}

interface RowSignProps {
  readonly model: HistogramModel;
  readonly plane: Plane;
  readonly row: number;
  readonly color: string;
}

/** A small triangle below the axis where the value of a row is. */
function RowSign({ model, plane, row, color }: RowSignProps) {
  const value = model.column.numbers[row] ?? Number.NaN;
  const x = plane.x.of(value);
  if (row < 0 || !(x >= plane.left && x <= plane.right)) return null;
  return (
    <path
      d={`M${x - 5},${plane.bottom + 9} L${x + 5},${plane.bottom + 9} L${x},${plane.bottom} Z`}
      fill={color}
      aria-hidden="true"
    />
  );
}
