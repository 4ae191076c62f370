import { useCallback, useMemo, useState } from "react";
import { Bits } from "../../data/bits.ts";
import { shownAt } from "../../data/display.ts";
import { figure } from "../../data/format.ts";
import { Canvas } from "../drawing/canvas.tsx";
import { NO_VALUE } from "../drawing/categories.ts";
import { pointedAt, useDrag } from "../drawing/drag.ts";
import { Figure } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { Svg } from "../drawing/plane.tsx";
import { useLinked, usePlot, type PictureProps, type Plot, type PlotProps } from "../drawing/plot.ts";
import { selectRows } from "../drawing/rows.ts";
import { Stage } from "../drawing/stage.tsx";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, rowsWords } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import { Heads } from "./heads.tsx";
import { heatLayout, paintHeat, rowAt, type HeatLayout } from "./layout.ts";
import { heatModel, type HeatModel } from "./model.ts";

export function HeatMap(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => heatModel(table, look, plot.rows), [table, look, plot]);
  if (model.columns.length === 0) return <Unfit viewer={props} words="There are no columns to show." />;
  const more = model.left > 0 ? `, ${countWords(model.left, "further column")} left out` : "";
  const sorted = model.sortedBy.length > 0 ? `, sorted by ${model.sortedBy.join(", ")}` : "";
  return (
    <Figure
      viewer={props}
      sentence={`Heat map of ${countWords(model.columns.length, "column")}, ${rowsWords(model.rows.length)}${sorted}${more}.`}
      legend={legendOf(model, plot)}
    >
      {(area) => <HeatPicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

/** Numbers are coloured from the least to the most of their column, or of all. */
function legendOf({ columns, common }: HeatModel, { palette }: Plot): LegendContent | undefined {
  if (columns.every(({ categories }) => categories > 0)) return undefined;
  const [from, to] = common === undefined ? ["least", "most"] : [figure(common.min), figure(common.max)];
  return { kind: "scale", title: common === undefined ? "Each column" : "All columns", ramp: palette.linear, from, to };
}

function HeatPicture({ props, model, plot, area }: PictureProps<HeatModel>) {
  const { table, look } = props;
  const { palette } = plot;
  const linked = useLinked(table);
  const [scroll, setScroll] = useState(0);
  const layout = useMemo(() => heatLayout(model, look, area, scroll), [model, look, area.width, area.height, scroll]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, ratio: number) =>
      paintHeat(context, { model, layout, palette, look, ratio, selected: linked.selected }),
    [model, layout, palette, look, linked.selected],
  );
  const drag = useDrag({
    done: (box, keys) => {
      if (!flagOf(look, "allowRowSelection")) return;
      const [from, to] = [layout.placeAt(box.top), layout.placeAt(box.bottom)];
      selectRows(table, Bits.of(table.rowCount, model.rows.subarray(Math.max(0, from), to + 1)), keys);
    },
    click: (spot, keys) => {
      const row = rowAt(model, layout, spot.y);
      if (row < 0) return;
      table.setCurrentRow(row);
      if (flagOf(look, "allowRowSelection")) selectRows(table, Bits.of(table.rowCount, [row]), keys);
    },
  });
  return (
    <Stage table={table} label="Heat map" rows={plot.rows} describe={(row) => describe(model, row)}>
      <Canvas width={area.width} height={area.height} draw={draw} className="absolute inset-0" />
      <div
        {...drag.handlers}
        className="absolute inset-0 touch-none"
        onWheel={(event) => setScroll(layout.scrolled(event.deltaY))}
        {...pointedAt(drag, {
          find: ({ x, y }) => ({ row: rowAt(model, layout, y), column: model.columns[layout.columnAt(x)]?.column }),
          over: (cell) => table.setHoverRow(cell?.row ?? -1),
          lines: ({ row, column }) =>
            row < 0 || column === undefined || !flagOf(look, "showCellTooltip")
              ? undefined
              : [
                  ["row", (row + 1).toLocaleString("en")],
                  [column.name, shownAt(column, row) || NO_VALUE],
                ],
        })}
      >
        <Svg area={area} className="pointer-events-none">
          <RowLines layout={layout} model={model} palette={palette} shown={flagOf(look, "showRowHeader")} />
          {drag.box !== undefined && flagOf(look, "allowRowSelection") && (
            <rect
              x={layout.left}
              width={layout.right - layout.left}
              y={drag.box.top}
              height={drag.box.bottom - drag.box.top}
              fill={palette.selected}
              fillOpacity={0.2}
              stroke={palette.selected}
            />
          )}
          {flagOf(look, "showMouseOverRowIndicator") && (
            <RowBand layout={layout} place={placeOf(model, linked.hover)} color={palette.hover} />
          )}
          {flagOf(look, "showCurrentRowIndicator") && (
            <RowBand layout={layout} place={placeOf(model, linked.current)} color={palette.current} />
          )}
        </Svg>
      </div>
      <Heads props={props} model={model} layout={layout} />
    </Stage>
  );
}

/** Where a row is shown. */
function placeOf(model: HeatModel, row: number): number | undefined {
  const place = row < 0 ? -1 : model.rows.indexOf(row);
  return place < 0 ? undefined : place;
}

function describe(model: HeatModel, row: number): string {
  return model.columns
    .slice(0, 8)
    .map(({ column }) => `${column.name} ${shownAt(column, row)}`)
    .join(", ");
}

interface BandProps {
  readonly layout: HeatLayout;
  readonly place: number | undefined;
  readonly color: string;
}

function RowBand({ layout, place, color }: BandProps) {
  if (place === undefined) return null;
  const y = layout.topOf(place);
  if (y < layout.top - layout.rowHeight || y > layout.bottom) return null;
  return (
    <rect
      x={layout.left}
      width={layout.right - layout.left}
      y={y}
      height={Math.max(2, layout.rowHeight)}
      fill="none"
      stroke={color}
      strokeWidth={1.5}
    />
  );
}

interface LinesProps {
  readonly layout: HeatLayout;
  readonly model: HeatModel;
  readonly palette: Plot["palette"];
  readonly shown: boolean;
}

/** The numbers of some rows, as many as there is room for. */
function RowLines({ layout, model, palette, shown }: LinesProps) {
  if (!shown) return null;
  const every = Math.max(1, Math.ceil(16 / layout.rowHeight));
  const first = Math.max(0, Math.ceil(layout.placeAt(layout.top) / every) * every);
  const last = Math.min(model.rows.length - 1, layout.placeAt(layout.bottom));
  const places = Array.from(
    { length: Math.max(0, Math.floor((last - first) / every) + 1) },
    (_, index) => first + index * every,
  );
  return (
    <g fontSize={10} fill={palette.soft} aria-hidden="true">
      {places.map((place) => (
        <text
          key={place}
          x={layout.left - 4}
          y={layout.topOf(place) + Math.max(4, layout.rowHeight / 2) + 3}
          textAnchor="end"
        >
          {((model.rows[place] ?? 0) + 1).toLocaleString("en")}
        </text>
      ))}
    </g>
  );
}
