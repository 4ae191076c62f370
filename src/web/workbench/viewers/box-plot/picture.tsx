import { area as areaPath, curveBasis } from "d3-shape";
import { useCallback, useMemo } from "react";
import { Bits } from "../../data/bits.ts";
import { figure, shortNumber } from "../../data/format.ts";
import { Canvas } from "../drawing/canvas.tsx";
import { countIn, shortWords, wordsOf } from "../drawing/categories.ts";
import { aggregateColor } from "../drawing/chart-legend.ts";
import { rgbOf, type Palette } from "../drawing/colors.ts";
import type { ColoredPictureProps, Coloring } from "../drawing/coloring.ts";
import type { Area } from "../drawing/figure.tsx";
import { Marks, type Mark } from "../drawing/marks.tsx";
import { PlaneAxes, Svg } from "../drawing/plane.tsx";
import { planeOf, useLinked, type Plane, type PlotProps } from "../drawing/plot.ts";
import { fastScale, jitterOf, paintPoints, type Points } from "../drawing/points.ts";
import { selectRows } from "../drawing/rows.ts";
import { isPlaced } from "../drawing/log-axis.ts";
import { extentIn } from "../drawing/extent.ts";
import { categoryScale, clampedTo, valueScale } from "../drawing/scale.ts";
import { elide } from "../drawing/words.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { pWords, type BoxGroup, type BoxModel } from "./model.ts";

const LINE = 13;
const WIDEST = 70;

export function BoxPicture({ props, model, plot, area, coloring }: ColoredPictureProps<BoxModel>) {
  const { table, look } = props;
  const { palette } = plot;
  const { selected } = useLinked(table);
  const footer = model.statistics.length * LINE;
  const plane = useMemo(
    () => boxPlane(model, look, { width: area.width, height: area.height - footer }),
    [model, look, area.width, area.height, footer],
  );
  const points = useMemo(
    () => pointsOf({ model, plane, look, coloring, palette, selected }),
    [model, plane, look, coloring, palette, selected],
  );
  const draw = useCallback(
    (context: CanvasRenderingContext2D, ratio: number) =>
      paintPoints(context, { ratio, clip: plane, layers: [points] }),
    [plane, points],
  );
  const marks = model.groups.map((group, place) => markOf({ props, model, group, place, plane, palette, selected }));
  return (
    <>
      <Svg area={area}>
        <PlaneAxes
          plane={plane}
          palette={palette}
          showX={flagOf(look, "showCategoryAxis")}
          showY={flagOf(look, "showValueAxis")}
          gridY
          orientation={textOf(look, "labelOrientation")}
        />
        <Marks inner={props.inner} label={`Boxes of ${model.value.name}`} color={palette.ink} marks={marks} />
        <Statistics model={model} plane={plane} palette={palette} top={area.height - footer} />
        {!Number.isNaN(model.p) && (
          <text x={plane.right} y={plane.top - 2} fontSize={11} textAnchor="end" fill={palette.soft}>
            p {pWords(model.p)}
          </text>
        )}
      </Svg>
      <Canvas width={area.width} height={area.height} draw={draw} className="pointer-events-none absolute inset-0" />
    </>
  );
}

function boxPlane(model: BoxModel, look: Look, area: Area): Plane {
  return planeOf({
    area,
    showX: flagOf(look, "showCategoryAxis"),
    showY: flagOf(look, "showValueAxis"),
    orientation: textOf(look, "labelOrientation"),
    x: (range) =>
      categoryScale(
        model.groups.map(({ name }) => name),
        range,
      ),
    y: (range) =>
      valueScale({
        extent: model.extent,
        range,
        type: model.rule.type,
        time: model.value.type === "datetime",
        inverted: flagOf(look, "invertYAxis"),
      }),
  });
}

interface PointsOptions {
  readonly model: BoxModel;
  readonly plane: Plane;
  readonly look: Look;
  readonly coloring: Coloring;
  readonly palette: Palette;
  readonly selected: Bits;
}

function pointsOf({ model, plane, look, coloring, palette, selected }: PointsOptions): Points {
  const [inside, outside] = [flagOf(look, "showInsideValues"), flagOf(look, "showOutsideValues")];
  const { numbers } = model.value;
  const groupOf = new Map<number, number>();
  const rows: number[] = [];
  model.groups.forEach(({ rows: list, statistics: { lower, upper } }, place) => {
    for (const row of list) {
      const value = numbers[row] ?? Number.NaN;
      const isInside = value >= lower && value <= upper;
      if (!isPlaced(value, model.rule.type) || !(isInside ? inside : outside)) continue;
      rows.push(row);
      groupOf.set(row, place);
    }
  });
  const y = fastScale(plane.y);
  const spread = Math.min(plane.x.band * 0.5, WIDEST * 0.8);
  const size = numberOf(look, "markerSize") ?? 4;
  const shape = textOf(look, "markerType") ?? "circle";
  return {
    rows: Int32Array.from(rows),
    xOf: (row) => plane.x.of(groupOf.get(row) ?? 0) + (inside ? jitterOf(row) * spread : 0),
    yOf: (row) => y(numbers[row] ?? Number.NaN),
    colors: coloring.column === undefined ? [rgbOf(palette.soft)] : coloring.colors,
    places: coloring.places,
    sizeOf: () => size,
    shapeOf: () => shape,
    opacity: (numberOf(look, "markerOpacity") ?? 70) / 100,
    selected: flagOf(look, "showSelectedRows") ? { rows: selected, color: rgbOf(palette.selected) } : undefined,
  };
}

interface MarkOptions {
  readonly props: PlotProps;
  readonly model: BoxModel;
  readonly group: BoxGroup;
  readonly place: number;
  readonly plane: Plane;
  readonly palette: Palette;
  readonly selected: Bits;
}

function markOf(options: MarkOptions): Mark {
  const { props, model, group, selected } = options;
  const { table } = props;
  const { statistics: of } = group;
  const words = (value: number): string => wordsOf(model.value, value);
  const chosen = countIn(group.rows, selected);
  return {
    key: `${group.index}`,
    label: `${group.name}: median ${words(of.median)}, quartiles ${words(of.q1)} and ${words(of.q3)}, ${of.count.toLocaleString("en")} values`,
    lines: [
      ["", group.name],
      ["values", of.count.toLocaleString("en")],
      ["max", words(of.max)],
      ["q3", words(of.q3)],
      ["median", words(of.median)],
      ["mean", words(of.mean)],
      ["q1", words(of.q1)],
      ["min", words(of.min)],
      ...(model.value.type === "datetime" ? [] : [["stdev", figure(of.stdev)] as const]),
      ...(chosen > 0 ? [["selected", chosen.toLocaleString("en")] as const] : []),
    ],
    selected: chosen > 0 && chosen === group.rows.length,
    shape: <BoxShape {...options} chosen={chosen} />,
    choose: (keys) => {
      selectRows(table, Bits.of(table.rowCount, group.rows), keys);
    },
  };
}

function BoxShape({ props, model, group, place, plane, palette, chosen }: MarkOptions & { readonly chosen: number }) {
  const { look } = props;
  const { statistics: of } = group;
  const middle = plane.x.of(place);
  const breadth = Math.max(3, Math.min(plane.x.band * 0.6, WIDEST));
  const dash = (breadth / 2) * (numberOf(look, "whiskerWidthRatio") ?? 0.5);
  const y = clampedTo(plane.y);
  const fill = fillOf(model, group, palette);
  const share = group.rows.length === 0 ? 0 : chosen / group.rows.length;
  const [top, bottom] = [Math.min(y(of.q1), y(of.q3)), Math.max(y(of.q1), y(of.q3))];
  const narrow = group.curve === undefined ? breadth : Math.min(12, breadth / 3);
  return (
    <>
      <rect
        x={middle - plane.x.band / 2}
        y={plane.top}
        width={plane.x.band}
        height={plane.bottom - plane.top}
        fill="transparent"
      />
      {of.count > 0 && (
        <g stroke={palette.ink} strokeWidth={1}>
          {group.curve !== undefined && (
            <Violin
              curve={group.curve}
              middle={middle}
              breadth={Math.min(plane.x.band * 0.88, 120)}
              y={y}
              fill={fill}
            />
          )}
          <line x1={middle} x2={middle} y1={y(of.q3)} y2={y(of.upper)} />
          <line x1={middle} x2={middle} y1={y(of.q1)} y2={y(of.lower)} />
          {flagOf(look, "showUpperDash") && (
            <line x1={middle - dash} x2={middle + dash} y1={y(of.upper)} y2={y(of.upper)} />
          )}
          {flagOf(look, "showLowerDash") && (
            <line x1={middle - dash} x2={middle + dash} y1={y(of.lower)} y2={y(of.lower)} />
          )}
          <rect
            x={middle - narrow / 2}
            y={top}
            width={narrow}
            height={Math.max(1, bottom - top)}
            fill={fill}
            fillOpacity={group.curve === undefined ? 0.55 : 1}
          />
          {share > 0 && flagOf(look, "showSelectedRows") && (
            <rect
              x={middle - narrow / 2}
              y={top}
              width={narrow * share}
              height={Math.max(1, bottom - top)}
              fill={palette.selected}
              stroke="none"
            />
          )}
          {flagOf(look, "showMedianDash") && (
            <line
              x1={middle - narrow / 2}
              x2={middle + narrow / 2}
              y1={y(of.median)}
              y2={y(of.median)}
              strokeWidth={2.5}
            />
          )}
          {flagOf(look, "showMeanCross") && (
            <path d={`M${middle - 4},${y(of.mean)} h8 M${middle},${y(of.mean) - 4} v8`} strokeWidth={1.5} fill="none" />
          )}
        </g>
      )}
      <rect
        className="focus-ring opacity-0"
        x={middle - plane.x.band / 2 + 1}
        y={plane.top}
        width={Math.max(2, plane.x.band - 2)}
        height={plane.bottom - plane.top}
        fill="none"
        stroke={palette.ink}
        strokeWidth={2}
      />
    </>
  );
}

interface ViolinProps {
  readonly curve: NonNullable<BoxGroup["curve"]>;
  readonly middle: number;
  readonly breadth: number;
  readonly y: (value: number) => number;
  readonly fill: string;
}

function Violin({ curve, middle, breadth, y, fill }: ViolinProps) {
  const path = areaPath<(typeof curve)[number]>()
    .x0(({ density }) => middle - (density * breadth) / 2)
    .x1(({ density }) => middle + (density * breadth) / 2)
    .y(({ at }) => y(at))
    .curve(curveBasis)([...curve]);
  return <path d={path ?? ""} fill={fill} fillOpacity={0.35} stroke={fill} />;
}

function fillOf(model: BoxModel, group: BoxGroup, palette: Palette): string {
  if (group.color === undefined) return palette.mark;
  const extent = extentIn(model.groups.map(({ color }) => color ?? Number.NaN));
  return aggregateColor(group.color, extent, { palette, ramp: palette.linear });
}

interface StatisticsProps {
  readonly model: BoxModel;
  readonly plane: Plane;
  readonly palette: Palette;
  readonly top: number;
}

function Statistics({ model, plane, palette, top }: StatisticsProps) {
  return (
    <g fontSize={10} fill={palette.soft} aria-hidden="true">
      {model.statistics.map(([name, key], line) => (
        <g key={name} transform={`translate(0,${top + line * LINE + 9})`}>
          <text x={plane.left - 4} textAnchor="end">
            {name}
          </text>
          {model.groups.map(({ index, statistics }, place) => (
            <text key={index} x={plane.x.of(place)} textAnchor="middle">
              {elide(
                key === "count" || key === "stdev"
                  ? shortNumber(statistics[key])
                  : shortWords(model.value, statistics[key]),
                plane.x.band,
                10,
              )}
            </text>
          ))}
        </g>
      ))}
    </g>
  );
}
