import { useCallback, useMemo, useState, type PointerEvent } from "react";
import { Bits } from "../../data/bits.ts";
import { shownAt } from "../../data/display.ts";
import { Canvas } from "../drawing/canvas.tsx";
import { wordsOf } from "../drawing/categories.ts";
import { rgbOf, type Palette } from "../drawing/colors.ts";
import type { ColoredPictureProps } from "../drawing/coloring.ts";
import { pointedAtRow, spotOf, useDrag } from "../drawing/drag.ts";
import type { Area } from "../drawing/figure.tsx";
import { Svg } from "../drawing/plane.tsx";
import { useLinked } from "../drawing/plot.ts";
import { filterKey, selectRows, selectWhere } from "../drawing/rows.ts";
import { Stage } from "../drawing/stage.tsx";
import { elide } from "../drawing/words.ts";
import { flagOf, numberOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import type { PcAxis, PcModel } from "./model.ts";
import { nearestLine, paintLines, rowsInRanges, yOf, type PcLayout } from "./paint.ts";

type PcPictureProps = ColoredPictureProps<PcModel>;
type Ranges = ReadonlyMap<string, readonly [low: number, high: number]>;

/** How near the pointer must be to an axis to drag along it, pixels. */
const AXIS_REACH = 12;

export function PcPicture({ props, model, plot, area, coloring }: PcPictureProps) {
  const { table, look } = props;
  const { palette, rows } = plot;
  const linked = useLinked(table);
  const layout = useMemo(() => layoutOf(look, area, model.axes.length), [look, area.width, area.height, model]);
  const draw = useDraw({ props, model, plot, area, coloring }, layout, linked.selected);
  const { drag, axis, shown, begin } = useAxisDrag({ props, model, plot, area, coloring }, layout);
  const placed = axis === undefined ? undefined : model.axes.indexOf(axis);
  return (
    <Stage table={table} label="Parallel coordinates" rows={rows} describe={(row) => describe(model, row)}>
      <Canvas width={area.width} height={area.height} draw={draw} className="absolute inset-0" />
      <div
        {...drag.handlers}
        className="absolute inset-0 touch-none"
        onPointerDown={begin}
        {...pointedAtRow(table, drag, {
          find: (spot) => nearestLine(model, layout, spot),
          lines: (row) => model.axes.map(({ axis: { column } }) => [column.name, shownAt(column, row)]),
        })}
      >
        <Svg area={area} className="pointer-events-none">
          {model.axes.map((each, index) => (
            <AxisLine
              key={each.axis.column.name}
              axis={each}
              x={layout.xOf(index)}
              layout={layout}
              look={look}
              palette={palette}
              range={shown.get(each.axis.column.name)}
              room={(area.width / model.axes.length) * 0.95}
              edge={edgeOf(index, model.axes.length, layout)}
            />
          ))}
          {flagOf(look, "showMouseOverLine") && (
            <RowLine
              model={model}
              layout={layout}
              row={linked.hover}
              color={palette.hover}
              width={numberOf(look, "mouseOverLineWidth") ?? 3}
            />
          )}
          {flagOf(look, "showCurrentLine") && (
            <RowLine
              model={model}
              layout={layout}
              row={linked.current}
              color={palette.current}
              width={numberOf(look, "currentLineWidth") ?? 3}
            />
          )}
          {drag.box !== undefined && placed !== undefined && placed >= 0 && (
            <rect
              x={layout.xOf(placed) - 7}
              width={14}
              y={drag.box.top}
              height={drag.box.bottom - drag.box.top}
              fill={palette.selected}
              fillOpacity={0.25}
              stroke={palette.selected}
            />
          )}
        </Svg>
      </div>
    </Stage>
  );
}

/** Dragging along an axis filters or selects by that range; a click takes the range away, or selects the nearest line. */
function useAxisDrag({ props, model, plot }: PcPictureProps, layout: PcLayout) {
  const { table, look, id } = props;
  const { rows } = plot;
  const [ranges, setRanges] = useState<Ranges>(new Map());
  const shown: Ranges = table.filters.has(filterKey(id)) ? ranges : new Map();
  const filterBy = (next: Ranges): void => {
    setRanges(next);
    const inside = rowsInRanges(model, next, Bits.all(table.rowCount));
    table.setFilter(
      filterKey(id),
      next.size === 0 ? undefined : { kind: "rows", rows: Bits.where(table.rowCount, inside) },
    );
  };
  const axisNear = (x: number): PcAxis | undefined =>
    model.axes.find((_, index) => Math.abs(layout.xOf(index) - x) <= AXIS_REACH);
  const [axis, setAxis] = useState<PcAxis>();
  const drag = useDrag({
    done: ({ top, bottom }, keys) => {
      const share = (y: number): number => (layout.bottom - y) / (layout.bottom - layout.top);
      const range = [Math.max(0, share(bottom)), Math.min(1, share(top))] as const;
      if (axis === undefined) return;
      if (flagOf(look, "showFilters")) filterBy(new Map(shown).set(axis.axis.column.name, range));
      else selectWhere(table, rowsInRanges(model, new Map([[axis.axis.column.name, range]]), rows), keys);
    },
    click: (spot, keys) => {
      const near = axisNear(spot.x);
      if (near !== undefined && shown.has(near.axis.column.name)) {
        const rest = new Map(shown);
        rest.delete(near.axis.column.name);
        filterBy(rest);
        return;
      }
      const row = nearestLine(model, layout, spot);
      if (row >= 0) table.setCurrentRow(row);
      selectRows(table, Bits.of(table.rowCount, row < 0 ? [] : [row]), keys);
    },
  });
  const begin = (event: PointerEvent): void => {
    setAxis(axisNear(spotOf(event).x));
    drag.handlers.onPointerDown(event);
  };
  return { drag, axis, shown, begin };
}

function useDraw({ props, model, plot, coloring }: PcPictureProps, layout: PcLayout, selected: Bits) {
  const { look } = props;
  const { palette } = plot;
  return useCallback(
    function* (context: CanvasRenderingContext2D): Generator<void, void> {
      const canvas = { context, model, layout };
      const width = numberOf(look, "lineWidth") ?? 1;
      const plain = { places: undefined, width };
      yield* paintLines(canvas, { ...plain, rows: model.out, colors: [rgbOf(palette.out)] });
      // What this viewer itself filtered out stays in sight, faint.
      const inside = model.rows.filter((row) => props.table.filtered.has(row));
      const outside =
        inside.length === model.rows.length ? undefined : model.rows.filter((row) => !props.table.filtered.has(row));
      if (outside !== undefined && flagOf(look, "showAllLines"))
        yield* paintLines(canvas, { ...plain, rows: outside, colors: [rgbOf(palette.out)] });
      const shown = outside === undefined ? model.rows : inside;
      if (flagOf(look, "showAllLines"))
        yield* paintLines(canvas, {
          rows: shown,
          colors: coloring.colors,
          places: coloring.places,
          width,
        });
      if (flagOf(look, "showSelectedRows") && !selected.isEmpty)
        yield* paintLines(canvas, {
          ...plain,
          rows: model.rows.filter((row) => selected.has(row)),
          colors: [rgbOf(palette.selected)],
          opacity: Math.max(0.12, Math.min(0.85, 300 / Math.max(1, selected.count))),
        });
    },
    [model, layout, look, palette, coloring, selected, props.table, plot.rows],
  );
}

function layoutOf(look: Look, area: Area, axes: number): PcLayout {
  const margin = Math.min(numberOf(look, "horzMargin") ?? 40, area.width / 3);
  const step = (area.width - 2 * margin) / Math.max(1, axes - 1);
  const label = (flagOf(look, "showLabels") ? 16 : 2) + (flagOf(look, "showMinMax") ? 16 : 2);
  return {
    top: label + 2,
    bottom: area.height - (flagOf(look, "showMinMax") ? 20 : 6),
    xOf: (axis) => margin + axis * step,
  };
}

function describe(model: PcModel, row: number): string {
  return model.axes.map(({ axis: { column } }) => `${column.name} ${shownAt(column, row)}`).join(", ");
}

interface AxisLineProps {
  readonly axis: PcAxis;
  readonly x: number;
  readonly layout: PcLayout;
  readonly look: Look;
  readonly palette: Palette;
  readonly range: readonly [number, number] | undefined;
  readonly room: number;
  readonly edge: AxisEdge;
}

function AxisLine({ axis, x, layout, look, palette, range, room, edge }: AxisLineProps) {
  const { top, bottom } = layout;
  const y = (share: number): number => bottom - share * (bottom - top);
  const halo = { stroke: palette.paper, strokeWidth: 3, paintOrder: "stroke" as const };
  return (
    <g aria-hidden="true" fontSize={11} textAnchor="middle">
      <line x1={x} x2={x} y1={top} y2={bottom} stroke={palette.lineStrong} strokeWidth={1.5} />
      {axis.quartiles !== undefined && (
        <rect
          x={x - 5}
          width={10}
          y={y(axis.quartiles[1])}
          height={Math.max(1, y(axis.quartiles[0]) - y(axis.quartiles[1]))}
          fill={palette.paper}
          fillOpacity={0.85}
          stroke={palette.ink}
        />
      )}
      {axis.median !== undefined && (
        <line x1={x - 7} x2={x + 7} y1={y(axis.median)} y2={y(axis.median)} stroke={palette.ink} strokeWidth={3} />
      )}
      {axis.mean !== undefined && (
        <path
          d={`M${x - 4},${y(axis.mean)} h8 M${x},${y(axis.mean) - 4} v8`}
          stroke={palette.ink}
          strokeWidth={1.5}
          fill="none"
        />
      )}
      {range !== undefined && (
        <rect
          x={x - 6}
          width={12}
          y={y(range[1])}
          height={Math.max(2, y(range[0]) - y(range[1]))}
          fill={palette.selected}
          fillOpacity={0.35}
          stroke={palette.selected}
        />
      )}
      {flagOf(look, "showLabels") && (
        <text {...labelPlace(x, edge)} y={12} fill={palette.ink} fontWeight={500} {...halo}>
          {elide(axis.axis.column.name, edge.side === undefined ? room - 6 : room / 2 + edge.margin - 6, 12)}
        </text>
      )}
      {flagOf(look, "showMinMax") && (
        <>
          <text x={x} y={top - 5} fill={palette.soft} {...halo}>
            {elide(axis.high, room)}
          </text>
          <text x={x} y={bottom + 14} fill={palette.soft} {...halo}>
            {elide(axis.low, room)}
          </text>
        </>
      )}
      {range !== undefined && (
        <title>{`${wordsOf(axis.axis.column, axis.valueAt(range[0]))} – ${wordsOf(axis.axis.column, axis.valueAt(range[1]))}`}</title>
      )}
    </g>
  );
}

/** Whether an axis is the first or the last, and the room beside it. */
interface AxisEdge {
  readonly side: "first" | "last" | undefined;
  readonly margin: number;
}

function edgeOf(index: number, axes: number, layout: PcLayout): AxisEdge {
  const side = index === 0 ? "first" : index === axes - 1 ? "last" : undefined;
  return { side, margin: layout.xOf(0) };
}

/** The names of the outermost axes end at the edges of the picture, not beyond. */
function labelPlace(
  x: number,
  { side, margin }: AxisEdge,
): { readonly x: number; readonly textAnchor: "start" | "middle" | "end" } {
  if (side === undefined) return { x, textAnchor: "middle" };
  return side === "first" ? { x: x - margin + 2, textAnchor: "start" } : { x: x + margin - 2, textAnchor: "end" };
}

interface PcPlotRowLineProps {
  readonly model: PcModel;
  readonly layout: PcLayout;
  readonly row: number;
  readonly color: string;
  readonly width: number;
}

function RowLine({ model, layout, row, color, width }: PcPlotRowLineProps) {
  if (row < 0) return null;
  const spots = model.axes
    .map((axis, index) => [layout.xOf(index), yOf(layout, axis, row)] as const)
    .filter(([, y]) => !Number.isNaN(y));
  return (
    <polyline
      points={spots.map((spot) => spot.join(",")).join(" ")}
      fill="none"
      stroke={color}
      strokeWidth={width}
      strokeLinejoin="round"
    />
  );
}
