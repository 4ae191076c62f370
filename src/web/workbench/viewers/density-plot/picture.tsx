import { useCallback, useMemo, useRef, useState } from "react";
import { Bits } from "../../data/bits.ts";
import { shownAt } from "../../data/display.ts";
import { shortNumber } from "../../data/format.ts";
import type { Table } from "../../data/table.ts";
import { Canvas } from "../drawing/canvas.tsx";
import { wordsOf } from "../drawing/categories.ts";
import { lookRamp } from "../drawing/chart-legend.ts";
import { pointedAt, useDrag, type BoxDrag } from "../drawing/drag.ts";
import { Legend } from "../drawing/legend.tsx";
import { DragBox, PlaneAxes, Svg } from "../drawing/plane.tsx";
import { shownAxes, useLinked, type PictureProps, type Plane } from "../drawing/plot.ts";
import { fastScale } from "../drawing/points.ts";
import { selectRows } from "../drawing/rows.ts";
import { Stage } from "../drawing/stage.tsx";
import type { TooltipLine } from "../drawing/tooltip.ts";
import { useView, useWheelZoom } from "../drawing/view.ts";
import { xyPlane } from "../drawing/xy-axes.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { cellPath, cellsOf, countShare, type DensityCell, type Cells } from "./cells.ts";
import type { DensityModel } from "./density-plot.tsx";

const LEGEND = { side: "right", end: "start", size: 76 } as const;

export function DensityPicture({ props, model: axes, plot, area }: PictureProps<DensityModel>) {
  const { table, look } = props;
  const { palette } = plot;
  const { rows } = axes;
  const linked = useLinked(table);
  const stage = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState<DensityCell>();
  const [view, setView] = useView(`${axes.x.column.name} ${axes.y.column.name}`);
  const scaled = flagOf(look, "showColorScale") && area.width > 260;
  const width = scaled ? area.width - LEGEND.size : area.width;
  const plane = useMemo(
    () => xyPlane(axes, look, { area: { width, height: area.height }, view }),
    [axes, look, width, area.height, view],
  );
  const cells = useMemo(
    () => countCells({ axes, look, rows, plane, rowCount: table.rowCount }),
    [axes, look, rows, plane, table],
  );
  const selected = useMemo(() => selectedCounts(cells, rows.and(linked.selected)), [cells, rows, linked.selected]);
  const colorOf = useMemo(() => lookRamp(palette, look), [palette, look]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D) => {
      const colorOfCount = (count: number): string =>
        colorOf(countShare(count, cells.most, textOf(look, "colorTransformType")));
      // Cells at the edge end at the axes, not over their labels.
      context.save();
      context.beginPath();
      context.rect(plane.left, 0, width - plane.left, plane.bottom);
      context.clip();
      paintCells(context, cells, { selected, colorOfCount, selectedColor: palette.selected });
      context.restore();
    },
    [cells, selected, colorOf, look, palette, plane, width],
  );
  useWheelZoom({ stage, enabled: flagOf(look, "allowZoom"), plane, setView });
  const drag = useCellDrag(table, cells);
  return (
    <Stage
      table={table}
      inner={props.inner}
      stage={stage}
      label={`Density of ${axes.y.column.name} over ${axes.x.column.name}`}
      rows={rows}
      describe={(row) => [axes.x.column, axes.y.column].map((each) => `${each.name} ${shownAt(each, row)}`).join(", ")}
    >
      <Canvas width={width} height={area.height} draw={draw} className="absolute inset-0" />
      <div
        {...drag.handlers}
        className="absolute inset-y-0 left-0 cursor-crosshair touch-none"
        style={{ width }}
        onDoubleClick={() => flagOf(look, "allowZoom") && setView(undefined)}
        {...pointedAt(drag, {
          find: (spot) => cellNear(cells, spot),
          over: setOver,
          lines: (cell) => linesOf(axes, plane, cell),
        })}
      >
        <Svg area={{ width, height: area.height }} className="pointer-events-none">
          <PlaneAxes plane={plane} palette={palette} {...shownAxes(look)} />
          <CellRing cells={cells} cell={over} color={palette.hover} />
          <RowSpot axes={axes} plane={plane} row={linked.current} color={palette.current} />
          <RowSpot axes={axes} plane={plane} row={linked.hover} color={palette.hover} />
          <DragBox box={drag.box} palette={palette} />
        </Svg>
      </div>
      {scaled && (
        <div className="absolute inset-y-0 right-0">
          <Legend
            content={{ kind: "scale", title: "rows", ramp: colorOf, from: "1", to: shortNumber(cells.most) }}
            place={LEGEND}
          />
        </div>
      )}
    </Stage>
  );
}

/** A drag selects the rows of all cells in a rectangle, a click those of one. */
function useCellDrag(table: Table, cells: Cells): BoxDrag {
  const rowsIn = (wanted: (cell: DensityCell) => boolean): Bits => {
    const codes = new Set(cells.cells.filter(wanted).map(({ code }) => code));
    return Bits.where(table.rowCount, (row) => codes.has(cells.codes[row] ?? -1));
  };
  return useDrag({
    done: ({ left, right, top, bottom }, keys) => {
      selectRows(
        table,
        rowsIn(({ x, y }) => x >= left && x <= right && y >= top && y <= bottom),
        keys,
      );
    },
    click: (spot, keys) => {
      const cell = cellNear(cells, spot);
      if (cell !== undefined)
        selectRows(
          table,
          rowsIn(({ code }) => code === cell.code),
          keys,
        );
    },
  });
}

function linesOf({ x, y }: DensityModel, plane: Plane, cell: DensityCell): readonly TooltipLine[] {
  return [
    ["rows", cell.count.toLocaleString("en")],
    [x.column.name, `about ${wordsOf(x.column, plane.x.at(cell.x))}`],
    [y.column.name, `about ${wordsOf(y.column, plane.y.at(cell.y))}`],
  ];
}

interface DensityPlotPaintOptions {
  readonly selected: ReadonlyMap<number, number>;
  readonly colorOfCount: (count: number) => string;
  readonly selectedColor: string;
}

/** The selected part of a cell is a smaller cell in it. */
function paintCells(
  context: CanvasRenderingContext2D,
  cells: Cells,
  { selected, colorOfCount, selectedColor }: DensityPlotPaintOptions,
): void {
  for (const cell of cells.cells) {
    cellPath(context, cells, cell);
    context.fillStyle = colorOfCount(cell.count);
    context.fill();
    const chosen = selected.get(cell.code) ?? 0;
    if (chosen === 0) continue;
    cellPath(context, cells, cell, Math.max(0.35, Math.sqrt(chosen / cell.count)) * 0.9);
    context.fillStyle = selectedColor;
    context.fill();
  }
}

interface CountOptions {
  readonly axes: DensityModel;
  readonly look: Look;
  readonly rows: Bits;
  readonly plane: Plane;
  readonly rowCount: number;
}

function countCells({ axes, look, rows, plane, rowCount }: CountOptions): Cells {
  const [x, y] = [fastScale(plane.x), fastScale(plane.y)];
  return cellsOf({
    rows,
    rowCount,
    shape: textOf(look, "binShape") ?? "hexagon",
    bins: numberOf(look, "bins") ?? 40,
    box: plane,
    xOf: (row) => x(axes.x.positions[row] ?? Number.NaN),
    yOf: (row) => y(axes.y.positions[row] ?? Number.NaN),
  });
}

function selectedCounts(cells: Cells, selected: Bits): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const row of selected.rows()) {
    const code = cells.codes[row] ?? -1;
    if (code >= 0) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  return counts;
}

function cellNear(cells: Cells, spot: { readonly x: number; readonly y: number }): DensityCell | undefined {
  return cells.cells.find(
    ({ x, y }) => Math.abs(x - spot.x) <= cells.halfWidth && Math.abs(y - spot.y) <= cells.halfHeight * 0.9,
  );
}

interface DensityPlotRingProps {
  readonly cells: Cells;
  readonly cell: DensityCell | undefined;
  readonly color: string;
}

function CellRing({ cells, cell, color }: DensityPlotRingProps) {
  if (cell === undefined) return null;
  const radius = Math.max(cells.halfWidth, cells.halfHeight);
  return <circle cx={cell.x} cy={cell.y} r={radius} fill="none" stroke={color} strokeWidth={1.5} />;
}

interface SpotProps {
  readonly axes: DensityModel;
  readonly plane: Plane;
  readonly row: number;
  readonly color: string;
}

function RowSpot({ axes, plane, row, color }: SpotProps) {
  const [x, y] = [plane.x.of(axes.x.positions[row] ?? Number.NaN), plane.y.of(axes.y.positions[row] ?? Number.NaN)];
  const inside = x >= plane.left && x <= plane.right && y >= plane.top && y <= plane.bottom;
  return row >= 0 && inside ? <circle cx={x} cy={y} r={5} fill="none" stroke={color} strokeWidth={2} /> : null;
}
