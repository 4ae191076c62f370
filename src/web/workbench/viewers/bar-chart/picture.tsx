import { useMemo } from "react";
import { Bits } from "../../data/bits.ts";
import { figure, shortNumber } from "../../data/format.ts";
import { countIn } from "../drawing/categories.ts";
import { aggregateColor, lookRamp } from "../drawing/chart-legend.ts";
import { categoryColor, inkOn, type Palette } from "../drawing/colors.ts";
import type { Area } from "../drawing/figure.tsx";
import { Marks, type Mark } from "../drawing/marks.tsx";
import { PlaneAxes, Svg } from "../drawing/plane.tsx";
import { planeOf, useLinked, type PictureProps, type Plane, type PlotProps } from "../drawing/plot.ts";
import { chooseGroup } from "../drawing/rows.ts";
import { categoryScale, clampedTo, valueScale, type Extent } from "../drawing/scale.ts";
import type { TooltipLine } from "../drawing/tooltip.ts";
import { spokenWords, textWidth } from "../drawing/words.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import type { Bar, BarModel, BarPart } from "./model.ts";

/** Bars thinner than this are packed in a taller picture that scrolls, pixels. */
const LEAST_BAND = 14;

export function BarPicture({ props, model, plot, area }: PictureProps<BarModel>) {
  const { table, look } = props;
  const { palette } = plot;
  const { selected } = useLinked(table);
  const upright = isUpright(look, area, model);
  const room = useMemo(() => roomFor(area, model.bars.length, upright), [area.width, area.height, model, upright]);
  const ends = props.shared?.values[0];
  const plane = useMemo(() => barPlane(model, look, { area: room, upright, ends }), [model, look, room, upright, ends]);
  const names = flagOf(look, "showCategoryValues");
  const values = flagOf(look, "showValueAxis");
  const [showX, showY] = upright ? [names, values] : [values, names];
  const scrolls = room.height > area.height || room.width > area.width;
  return (
    <div className={`absolute inset-0 ${scrolls ? "overflow-auto" : ""}`}>
      <div className="relative" style={room}>
        <Svg area={room}>
          <PlaneAxes plane={plane} palette={palette} showX={showX} showY={showY} gridX={!upright} gridY={upright} />
          <Marks
            inner={props.inner}
            label={`${model.measure} by ${model.split.name}`}
            color={palette.ink}
            marks={barMarks({ props, model, plane, palette, upright, selected })}
          />
        </Svg>
      </div>
    </div>
  );
}

function isUpright(look: Look, area: Area, model: BarModel): boolean {
  const wanted = textOf(look, "orientation");
  if (wanted !== "auto") return wanted === "vertical";
  const longest = Math.max(...model.bars.map(({ name }) => textWidth(name)), 0);
  return area.width > area.height * 1.2 && longest < area.width / Math.max(1, model.bars.length);
}

function roomFor(area: Area, bars: number, upright: boolean): Area {
  const needed = bars * LEAST_BAND + 50;
  return upright
    ? { width: Math.max(area.width, needed), height: needed > area.width ? area.height - 14 : area.height }
    : { width: needed > area.height ? area.width - 14 : area.width, height: Math.max(area.height, needed) };
}

interface BarPlaneOptions {
  readonly area: Area;
  readonly upright: boolean;
  /** Of charts that share their axes. */
  readonly ends: Extent | undefined;
}

function barPlane(model: BarModel, look: Look, { area, upright, ends }: BarPlaneOptions): Plane {
  const names = model.bars.map(({ name }) => name);
  const logarithmic = model.rule.type === "logarithmic";
  const { min: low, max: high } = ends ?? model;
  const positive = model.bars.map(({ value }) => value).filter((value) => value > 0 && Number.isFinite(value));
  const least = logarithmic ? Math.min(...positive, high) * 0.5 : low;
  const extent = {
    min: numberOf(look, "valueMin") ?? least,
    max: numberOf(look, "valueMax") ?? (high > low ? high : low + 1),
  };
  const value = (range: readonly [number, number]) =>
    valueScale({
      extent,
      range,
      type: logarithmic ? "logarithmic" : "linear",
      whole: model.kind === "count" && !model.relative,
      nice: numberOf(look, "valueMax") === undefined && numberOf(look, "valueMin") === undefined,
    });
  const category = (range: readonly [number, number]) => categoryScale(names, upright ? range : [range[1], range[0]]);
  const [showNames, showValues] = [flagOf(look, "showCategoryValues"), flagOf(look, "showValueAxis")];
  return planeOf({
    area,
    showX: upright ? showNames : showValues,
    showY: upright ? showValues : showNames,
    x: upright ? category : value,
    y: upright ? value : category,
  });
}

interface BarChartMarksOptions {
  readonly props: PlotProps;
  readonly model: BarModel;
  readonly plane: Plane;
  readonly palette: Palette;
  readonly upright: boolean;
  readonly selected: Bits;
}

/** A mark for each bar, or for each part of the stacks. */
function barMarks(options: BarChartMarksOptions): readonly Mark[] {
  const { props, model, selected } = options;
  return model.bars.flatMap((bar, place) =>
    bar.parts.map((part, partPlace): Mark => {
      const name = part.name === "" ? bar.name : `${bar.name}, ${part.name}`;
      const chosen = countIn(part.rows, selected);
      const words = spokenWords(exactText(model.kind, part.value), labelText(model.kind, part.value));
      return {
        key: `${bar.name}/${part.name}/${place}`,
        label: `${name}: ${model.measure} ${words}${chosen > 0 ? `, ${chosen.toLocaleString("en")} selected` : ""}`,
        lines: linesOf({ bar, part, model, name, chosen }),
        selected: chosen > 0 && chosen === part.rows.length,
        shape: (
          <BarShape
            {...options}
            bar={bar}
            part={part}
            place={place}
            chosen={chosen}
            last={partPlace === bar.parts.length - 1}
          />
        ),
        choose: (keys) => {
          const rows = Bits.of(props.table.rowCount, part.rows);
          chooseGroup({ table: props.table, id: props.id, action: textOf(props.look, "onClick"), rows, keys });
        },
      };
    }),
  );
}

interface LinesOptions {
  readonly bar: Bar;
  readonly part: BarPart;
  readonly model: BarModel;
  readonly name: string;
  readonly chosen: number;
}

function linesOf({ bar, part, model, name, chosen }: LinesOptions): readonly TooltipLine[] {
  return [
    ["", name],
    [model.measure, exactText(model.kind, part.value)],
    ...(model.relative ? [["share", `${((part.to - part.from) * 100).toFixed(1)}%`] as const] : []),
    ...(model.kind === "count" ? [] : [["rows", part.rows.length.toLocaleString("en")] as const]),
    ...(bar.color === undefined ? [] : [["colour", figure(bar.color)] as const]),
    ...(chosen > 0 ? [["selected", chosen.toLocaleString("en")] as const] : []),
  ];
}

interface ShapeProps extends BarChartMarksOptions {
  readonly bar: Bar;
  readonly part: BarPart;
  readonly place: number;
  readonly chosen: number;
  /** The end of the bar, where its number is written. */
  readonly last: boolean;
}

function BarShape({ props, model, plane, palette, upright, bar, part, place, chosen, last }: ShapeProps) {
  const { look, table } = props;
  const [along, across] = upright ? [plane.y, plane.x] : [plane.x, plane.y];
  const clamp = clampedTo(along);
  const thick = Math.max(1, Math.min(across.band * 0.78, numberOf(look, "maxBarHeight") ?? 50));
  const start = across.of(place) - thick / 2;
  const [from, to] = [clamp(part.from), clamp(part.to)];
  const box = (first: number, second: number) =>
    upright
      ? { x: start, width: thick, y: Math.min(first, second), height: Math.abs(second - first) }
      : { x: Math.min(first, second), width: Math.abs(second - first), y: start, height: thick };
  const share = part.rows.length === 0 ? 0 : chosen / part.rows.length;
  const faint = part.rows.length > 0 && !table.filtered.isEmpty && countIn(part.rows, table.filtered) === 0;
  const fill = fillOf({ model, palette, look, bar, part });
  const reach = {
    x: upright ? across.of(place) - across.band / 2 : plane.left,
    y: upright ? plane.top : across.of(place) - across.band / 2,
    width: upright ? across.band : plane.right - plane.left,
    height: upright ? plane.bottom - plane.top : across.band,
  };
  return (
    <>
      {model.stack === undefined && <rect {...reach} fill="transparent" />}
      <rect
        {...box(from, to)}
        rx={numberOf(look, "barCornerRadius") ?? 0}
        fill={fill}
        fillOpacity={faint ? 0.25 : 1}
        className="transition-[filter] hover:brightness-110"
      />
      {flagOf(look, "showSelectedRows") && share > 0 && (
        <rect {...box(from, from + (to - from) * share)} fill={palette.selected} />
      )}
      {last && (
        <BarLabel
          look={look}
          palette={palette}
          kind={model.kind}
          bar={bar}
          fill={fill}
          upright={upright}
          middle={across.of(place)}
          end={to}
          base={clamp(0)}
          thick={thick}
          limit={upright ? plane.top : plane.right}
        />
      )}
      <rect {...box(from, to)} className="focus-ring opacity-0" fill="none" stroke={palette.ink} strokeWidth={2} />
    </>
  );
}

interface BarChartLabelProps {
  readonly look: Look;
  readonly palette: Palette;
  readonly kind: BarModel["kind"];
  readonly bar: Bar;
  readonly fill: string;
  readonly upright: boolean;
  readonly middle: number;
  readonly end: number;
  readonly base: number;
  readonly thick: number;
  readonly limit: number;
}

/** In a label beside the bar: of how many rows exactly; of other measures what there is room for. */
function labelText(kind: BarModel["kind"], value: number): string {
  return kind === "count" ? value.toLocaleString("en-US") : shortNumber(value);
}

function exactText(kind: BarModel["kind"], value: number): string {
  return kind === "count" ? value.toLocaleString("en-US") : figure(value);
}

function BarLabel({ look, palette, kind, bar, fill, upright, middle, end, base, thick, limit }: BarChartLabelProps) {
  const mode = textOf(look, "showLabels") ?? "auto";
  const text = labelText(kind, bar.value);
  const [needs, has] = upright ? [textWidth(text) + 2, thick] : [11, thick];
  if (mode === "never" || text === "" || (mode === "auto" && has < needs)) return null;
  const room = upright ? 14 : textWidth(text) + 8;
  const fits = Math.abs(end - base) > room;
  const outsideFits = upright ? end - limit > 12 : limit - end > room;
  const inside = mode === "inside" || (mode === "auto" && !outsideFits && fits);
  const place = upright
    ? { x: middle, y: inside ? end + 12 : end - 4, textAnchor: "middle" as const }
    : { x: inside ? end - 4 : end + 4, y: middle + 4, textAnchor: inside ? ("end" as const) : ("start" as const) };
  return (
    <text {...place} aria-hidden="true" fontSize={11} fill={inside ? inkOn(fill) : palette.soft} pointerEvents="none">
      {text}
    </text>
  );
}

interface BarChartFillOptions {
  readonly model: BarModel;
  readonly palette: Palette;
  readonly look: Look;
  readonly bar: Bar;
  readonly part: BarPart;
}

function fillOf({ model, palette, look, bar, part }: BarChartFillOptions): string {
  if (model.stack !== undefined) return categoryColor(palette, part.index);
  if (bar.color === undefined) return bar.index < 0 ? palette.missing : palette.mark;
  const extent = { min: model.colorMin, max: model.colorMax };
  return aggregateColor(bar.color, extent, { palette, ramp: lookRamp(palette, look) });
}
