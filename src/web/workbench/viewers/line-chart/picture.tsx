import { curveLinear, curveMonotoneX, line as linePath } from "d3-shape";
import { useMemo, useState } from "react";
import { Bits } from "../../data/bits.ts";
import { shownAt } from "../../data/display.ts";
import { figure } from "../../data/format.ts";
import { axisScale } from "../drawing/axis-column.ts";
import { countIn } from "../drawing/categories.ts";
import { categoryColor, type Palette } from "../drawing/colors.ts";
import { pointedAt, useDrag, type BoxDrag } from "../drawing/drag.ts";
import type { Area } from "../drawing/figure.tsx";
import { DragBox, PlaneAxes, Svg } from "../drawing/plane.tsx";
import { planeOf, useLinked, type PictureProps, type Plane, type PlotProps, type SharedEnds } from "../drawing/plot.ts";
import { selectRows } from "../drawing/rows.ts";
import { clampedTo, padded, valueScale, type Extent, type Scale } from "../drawing/scale.ts";
import { Stage } from "../drawing/stage.tsx";
import type { TooltipLine } from "../drawing/tooltip.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { markerPath } from "./marker-path.ts";
import { placeWords, type LineModel, type LinePoint, type LineSeries } from "./model.ts";

export function LinePicture({ props, model, plot, area }: PictureProps<LineModel>) {
  const { table, look } = props;
  const { palette } = plot;
  const linked = useLinked(table);
  const [hover, setHover] = useState<LinePoint>();
  const planes = useMemo(
    () => planesOf(model, look, { area, shared: props.shared }),
    [model, look, area.width, area.height, props.shared],
  );
  const drag = useLineDrag(props, model, planes);
  return (
    <Stage
      table={table}
      inner={props.inner}
      label={`${model.measures.map(({ name }) => name).join(", ")} over ${model.x.column.name}`}
      rows={plot.rows}
      describe={(row) => describe(model, row)}
    >
      <div
        {...drag.handlers}
        className="absolute inset-0 touch-none"
        {...pointedAt(drag, {
          find: (spot) => nearest(model, planes, spot),
          over: (found) => setHover(found?.point),
          lines: (found) => linesOf(model, found),
        })}
      >
        <Svg area={area}>
          {planes.map((plane, index) => (
            <PlaneAxes
              key={index}
              plane={plane}
              palette={palette}
              showX={flagOf(look, "showXAxis") && index === planes.length - 1}
              showY={flagOf(look, "showYAxis")}
              gridX={flagOf(look, "showVerticalGridLines")}
              gridY={flagOf(look, "showHorizontalGridLines")}
            />
          ))}
          <g aria-hidden="true">
            {model.series.map((series) => (
              <Series
                key={`${series.name} ${series.measure}`}
                series={series}
                plane={planeFor(planes, series)}
                look={look}
                palette={palette}
                selected={linked.selected}
                hover={hover}
              />
            ))}
            {flagOf(look, "showMouseOverRowLine") && (
              <RowLine model={model} planes={planes} row={linked.hover} color={palette.hover} />
            )}
            {flagOf(look, "showCurrentRowLine") && (
              <RowLine model={model} planes={planes} row={linked.current} color={palette.current} />
            )}
          </g>
          {planes.length > 1 &&
            planes.map((plane, index) => (
              <text
                key={index}
                x={plane.left + 6}
                y={plane.top + 10}
                fontSize={11}
                fill={palette.soft}
                aria-hidden="true"
              >
                {model.measures[index]?.name}
              </text>
            ))}
          <DragBox
            box={drag.box && { ...drag.box, top: planes[0]?.top ?? 0, bottom: planes.at(-1)?.bottom ?? 0 }}
            palette={palette}
          />
        </Svg>
      </div>
    </Stage>
  );
}

/** A drag selects the rows of a range, a click those of the nearest point. */
function useLineDrag({ table }: PlotProps, model: LineModel, planes: readonly Plane[]): BoxDrag {
  return useDrag({
    done: (box, keys) => {
      const points = model.series.flatMap((series) => {
        const plane = planeFor(planes, series);
        return series.points.filter(({ x }) => plane.x.of(x) >= box.left && plane.x.of(x) <= box.right);
      });
      const rows = new Bits(table.rowCount);
      for (const point of points) for (const row of point.rows) rows.add(row);
      selectRows(table, rows, keys);
    },
    click: (spot, keys) => {
      const found = nearest(model, planes, spot);
      if (found === undefined) return;
      table.setCurrentRow(found.point.rows[0] ?? -1);
      selectRows(table, Bits.of(table.rowCount, found.point.rows), keys);
    },
  });
}

function describe(model: LineModel, row: number): string {
  const x = model.x.positions[row] ?? Number.NaN;
  const values = model.measures.map((measure) => `${measure.name} ${shownAt(measure, row)}`);
  return `${model.x.column.name} ${placeWords(model.x, x)}, ${values.join(", ")}`;
}

/** Room above and below, but none beyond zero where no value is. */
function paddedAboveZero(extent: Extent, logarithmic: boolean): Extent {
  const { min, max } = padded(extent, 0.05, logarithmic);
  return { min: extent.min >= 0 ? Math.max(0, min) : min, max: extent.max <= 0 ? Math.min(0, max) : max };
}

/** One plane for all lines, or one above the other for each column. */
function planesOf(
  model: LineModel,
  look: Look,
  { area, shared }: { readonly area: Area; readonly shared: SharedEnds | undefined },
): readonly Plane[] {
  const [extent, inverted] = [shared?.x ?? model.extentX, flagOf(look, "invertXAxis")];
  const scaleX = (range: readonly [number, number]): Scale =>
    axisScale(model.x, { extent, range, type: model.ruleX.type, inverted });
  const count = flagOf(look, "multiAxis") ? model.measures.length : 1;
  const height = area.height / count;
  const made = Array.from({ length: count }, (_, index) =>
    planeOf({
      area: { width: area.width, height },
      showX: flagOf(look, "showXAxis") && index === count - 1,
      showY: flagOf(look, "showYAxis"),
      x: scaleX,
      y: (range) => {
        const logarithmic = model.ruleY.type === "logarithmic";
        const bounded = numberOf(look, "yMin") !== undefined || numberOf(look, "yMax") !== undefined;
        const own = shared?.values[index] ?? model.extentsY[index] ?? { min: 0, max: 1 };
        const shift = index * height;
        return valueScale({
          extent: bounded ? own : paddedAboveZero(own, logarithmic),
          range: [range[0] + shift, range[1] + shift],
          type: model.ruleY.type,
        });
      },
    }),
  );
  const left = Math.max(...made.map((plane) => plane.left));
  return made.map(({ y, right, top, bottom }, index) => ({
    x: scaleX([left, right]),
    y,
    left,
    right,
    top: top + index * height,
    bottom: bottom + index * height,
  }));
}

function planeFor(planes: readonly Plane[], series: LineSeries): Plane {
  return planes[Math.min(series.measure, planes.length - 1)] as Plane;
}

interface NearestPoint {
  readonly series: LineSeries;
  readonly point: LinePoint;
}

const REACH = 30;

function nearest(
  model: LineModel,
  planes: readonly Plane[],
  spot: { readonly x: number; readonly y: number },
): NearestPoint | undefined {
  let best: NearestPoint | undefined;
  let least = REACH * REACH;
  for (const series of model.series) {
    const plane = planeFor(planes, series);
    for (const point of series.points) {
      const [dx, dy] = [plane.x.of(point.x) - spot.x, plane.y.of(point.y) - spot.y];
      const distance = dx * dx * 4 + dy * dy;
      if (distance < least) {
        least = distance;
        best = { series, point };
      }
    }
  }
  return best;
}

function linesOf(model: LineModel, { series, point }: NearestPoint): readonly TooltipLine[] {
  const measure = model.measures[series.measure]?.name ?? "";
  return [
    ...(series.name === measure ? [] : [["", series.name] as const]),
    [model.x.column.name, placeWords(model.x, point.x)],
    [`${model.kind}(${measure})`, figure(point.y)],
    ...(Number.isNaN(point.low) ? [] : [["bounds", `${figure(point.low)} – ${figure(point.high)}`] as const]),
    ["rows", point.rows.length.toLocaleString("en")],
  ];
}

interface SeriesProps {
  readonly series: LineSeries;
  readonly plane: Plane;
  readonly look: Look;
  readonly palette: Palette;
  readonly selected: Bits;
  readonly hover: LinePoint | undefined;
}

/** More points than this are marked only if asked for. */
const FEW_POINTS = 60;

function Series({ series, plane, look, palette, selected, hover }: SeriesProps) {
  const color = categoryColor(palette, series.index);
  const { x, y } = plane;
  const inY = clampedTo(y);
  const spots = useMemo(
    () =>
      series.points
        .map((point) => ({ x: x.of(point.x), y: y.of(point.y) }))
        .filter((spot) => !Number.isNaN(spot.x) && !Number.isNaN(spot.y)),
    [series, x, y],
  );
  const curve = textOf(look, "interpolation") === "Spline" ? curveMonotoneX : curveLinear;
  const path =
    linePath<{ x: number; y: number }>(
      (spot) => spot.x,
      (spot) => spot.y,
    ).curve(curve)(spots) ?? "";
  const markers = textOf(look, "showMarkers") ?? "Auto";
  const marked = markers === "Always" || (markers === "Auto" && spots.length <= FEW_POINTS);
  const size = numberOf(look, "markerSize") ?? 6;
  const shape = markerPath(textOf(look, "markerType") ?? "circle", size);
  const chosen =
    flagOf(look, "showSelectedRows") && !selected.isEmpty
      ? series.points.filter(({ rows }) => countIn(rows, selected) > 0)
      : [];
  return (
    <g opacity={1 - (numberOf(look, "lineTransparency") ?? 0) / 100}>
      {series.points.some(({ low }) => !Number.isNaN(low)) && (
        <path
          d={series.points
            .filter(({ low }) => !Number.isNaN(low))
            .map((point) => `M${x.of(point.x)},${inY(point.low)} V${inY(point.high)}`)
            .join("")}
          stroke={color}
          strokeOpacity={0.45}
          fill="none"
        />
      )}
      <path d={path} fill="none" stroke={color} strokeWidth={numberOf(look, "lineWidth") ?? 2} strokeLinejoin="round" />
      {marked &&
        spots.map((spot, index) => (
          <path key={index} d={shape} transform={`translate(${spot.x},${spot.y})`} fill={color} />
        ))}
      {chosen.map((point) => (
        <circle key={point.x} cx={x.of(point.x)} cy={y.of(point.y)} r={size / 2 + 1} fill={palette.selected} />
      ))}
      {hover !== undefined && series.points.includes(hover) && (
        <circle
          cx={x.of(hover.x)}
          cy={y.of(hover.y)}
          r={size / 2 + 2}
          fill="none"
          stroke={palette.hover}
          strokeWidth={2}
        />
      )}
    </g>
  );
}

interface LineChartRowLineProps {
  readonly model: LineModel;
  readonly planes: readonly Plane[];
  readonly row: number;
  readonly color: string;
}

function RowLine({ model, planes, row, color }: LineChartRowLineProps) {
  const [first, last] = [planes[0], planes.at(-1)];
  const value = model.x.positions[row] ?? Number.NaN;
  if (row < 0 || Number.isNaN(value) || first === undefined || last === undefined) return null;
  const x = first.x.of(value);
  return x >= first.left && x <= first.right ? (
    <line x1={x} x2={x} y1={first.top} y2={last.bottom} stroke={color} strokeDasharray="2 3" />
  ) : null;
}
