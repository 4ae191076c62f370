import { useCallback, useMemo, useRef } from "react";
import { Bits } from "../../data/bits.ts";
import { shownAt } from "../../data/display.ts";
import type { Table } from "../../data/table.ts";
import { Canvas } from "../drawing/canvas.tsx";
import { rgbOf, type Palette } from "../drawing/colors.ts";
import type { ColoredPictureProps, Coloring } from "../drawing/coloring.ts";
import { pointedAtRow, useDrag, type DrawnBox } from "../drawing/drag.ts";
import { DragBox, PlaneAxes, Svg } from "../drawing/plane.tsx";
import { shownAxes, useLinked, type Plane } from "../drawing/plot.ts";
import { fastScale, jitterOf, nearestPoint, paintPoints, type Points } from "../drawing/points.ts";
import { selectRows, type ModifierKeys } from "../drawing/rows.ts";
import { Stage } from "../drawing/stage.tsx";
import type { TooltipLine } from "../drawing/tooltip.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import type { ScatterModel } from "./model.ts";
import { Overlay } from "./overlay.tsx";
import { moved, useView, useWheelZoom, zoomed } from "../drawing/view.ts";
import { xyPlane } from "../drawing/xy-axes.ts";

/** How near the pointer must be to a point, pixels. */
const REACH = 8;

export function ScatterPicture({ props, model, plot, area, coloring }: ColoredPictureProps<ScatterModel>) {
  const { table, look } = props;
  const { palette } = plot;
  const linked = useLinked(table);
  const stage = useRef<HTMLDivElement>(null);
  const [view, setView] = useView(`${model.x.column.name} ${model.y.column.name}`);
  const plane = useMemo(() => xyPlane(model, look, { area, view }), [model, look, area.width, area.height, view]);
  const layers = useMemo(
    () => layersOf({ model, plane, look, coloring, palette, selected: linked.selected }),
    [model, plane, look, coloring, palette, linked.selected],
  );
  const draw = useCallback(
    (context: CanvasRenderingContext2D, ratio: number) => paintPoints(context, { ratio, clip: plane, layers }),
    [plane, layers],
  );
  const points = layers[layers.length - 1];
  const zoomable = flagOf(look, "allowZoom");
  useWheelZoom({ stage, enabled: zoomable, plane, setView });
  const zoom = (factor: number): void => {
    const middle = (scale: Plane["x"]): number => scale.at((scale.range[0] + scale.range[1]) / 2);
    setView({ x: zoomed(plane.x, middle(plane.x), factor), y: zoomed(plane.y, middle(plane.y), factor) });
  };
  const pan = (dx: number, dy: number): void => setView({ x: moved(plane.x, dx), y: moved(plane.y, dy) });
  const drag = useDrag({
    done: (box, keys) => selectBox({ table, points, box, keys }),
    click: (spot, keys) => clickPoint({ table, look, points, spot, keys }),
    pan: textOf(look, "mouseDrag") === "Pan" ? pan : undefined,
  });
  return (
    <Stage
      table={table}
      inner={props.inner}
      stage={stage}
      label={`${model.y.column.name} over ${model.x.column.name}`}
      rows={plot.rows}
      describe={(row) =>
        linesOf(model, coloring, table, row)
          .map((line) => line.join(" ").trim())
          .join(", ")
      }
      onKey={(event) => {
        if (!zoomable) return false;
        if (event.key === "+" || event.key === "=") zoom(0.8);
        else if (event.key === "-") zoom(1.25);
        else if (event.key === "0" || event.key === "Escape") setView(undefined);
        else return false;
        return true;
      }}
    >
      <Svg area={area}>
        <PlaneAxes
          plane={plane}
          palette={palette}
          {...shownAxes(look)}
          gridX={flagOf(look, "showVerticalGridLines")}
          gridY={flagOf(look, "showHorizontalGridLines")}
        />
      </Svg>
      <Canvas width={area.width} height={area.height} draw={draw} className="absolute inset-0" />
      <div
        {...drag.handlers}
        className="absolute inset-0 cursor-crosshair touch-none"
        onDoubleClick={() => zoomable && setView(undefined)}
        {...pointedAtRow(table, drag, {
          find: (spot) => (points === undefined ? -1 : nearestPoint(points, spot, REACH)),
          lines: (row) => linesOf(model, coloring, table, row),
        })}
      >
        <Svg area={area} className="pointer-events-none">
          {points !== undefined && (
            <Overlay props={props} model={model} plane={plane} palette={palette} points={points} linked={linked} />
          )}
          <DragBox box={drag.box} palette={palette} />
        </Svg>
      </div>
    </Stage>
  );
}

interface LayersOptions {
  readonly model: ScatterModel;
  readonly plane: Plane;
  readonly look: Look;
  readonly coloring: Coloring;
  readonly palette: Palette;
  readonly selected: Bits;
}

/** What the filter took out lies below. */
function layersOf({ model, plane, look, coloring, palette, selected }: LayersOptions): readonly Points[] {
  const [x, y] = [fastScale(plane.x), fastScale(plane.y)];
  const [sideways, upwards] = [numberOf(look, "jitterSize") ?? 0, numberOf(look, "jitterSizeY") ?? 0];
  const base = {
    xOf: (row: number): number =>
      x(model.x.positions[row] ?? Number.NaN) + (sideways > 0 ? jitterOf(row) * sideways : 0),
    yOf: (row: number): number =>
      y(model.y.positions[row] ?? Number.NaN) + (upwards > 0 ? jitterOf(row, 1) * upwards : 0),
    sizeOf: model.sizeOf,
    shapeOf: model.shapeOf,
    opacity: (numberOf(look, "markerOpacity") ?? 80) / 100,
  };
  const shown: Points = {
    ...base,
    rows: model.rows,
    colors: coloring.colors,
    places: coloring.places,
    selected: flagOf(look, "showSelectedRows") ? { rows: selected, color: rgbOf(palette.selected) } : undefined,
  };
  return model.out.length === 0 ? [shown] : [{ ...base, rows: model.out, colors: [rgbOf(palette.out)] }, shown];
}

interface BoxOptions {
  readonly table: Table;
  readonly points: Points | undefined;
  readonly box: DrawnBox;
  readonly keys: ModifierKeys;
}

function selectBox({ table, points, box, keys }: BoxOptions): void {
  const rows = new Bits(table.rowCount);
  for (const row of points?.rows ?? []) {
    const [x, y] = [points?.xOf(row) ?? Number.NaN, points?.yOf(row) ?? Number.NaN];
    if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) rows.add(row);
  }
  selectRows(table, rows, keys);
}

interface ClickOptions {
  readonly table: Table;
  readonly look: Look;
  readonly points: Points | undefined;
  readonly spot: { readonly x: number; readonly y: number };
  readonly keys: ModifierKeys;
}

function clickPoint({ table, look, points, spot, keys }: ClickOptions): void {
  const row = points === undefined ? -1 : nearestPoint(points, spot, REACH);
  const plain = !keys.shiftKey && !keys.ctrlKey && !keys.metaKey;
  if (row >= 0) {
    table.setCurrentRow(row);
    selectRows(table, Bits.of(table.rowCount, [row]), keys);
  } else if (plain && flagOf(look, "resetSelectionOnBackgroundClick") && !table.selected.isEmpty)
    table.select(new Bits(table.rowCount));
}

function linesOf(model: ScatterModel, { column }: Coloring, table: Table, row: number): readonly TooltipLine[] {
  const named = table.columns[0];
  const shown = [model.x.column, model.y.column, ...(column === undefined ? [] : [column])];
  const first = named !== undefined && !shown.includes(named) ? [["", shownAt(named, row)] as const] : [];
  return [...first, ...[...new Set(shown)].map((each): TooltipLine => [each.name, shownAt(each, row)])];
}
