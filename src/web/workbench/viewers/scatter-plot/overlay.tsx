import { useId } from "react";
import type { Bits } from "../../data/bits.ts";
import { shownAt } from "../../data/display.ts";
import type { Table } from "../../data/table.ts";
import { categoryColor, type Palette } from "../drawing/colors.ts";
import type { Plane, PlotProps } from "../drawing/plot.ts";
import type { Points } from "../drawing/points.ts";
import { chosenList, flagOf, textOf } from "../look.ts";
import type { FittedLine, ScatterModel } from "./model.ts";

interface OverlayProps {
  readonly props: PlotProps;
  readonly model: ScatterModel;
  readonly plane: Plane;
  readonly palette: Palette;
  readonly points: Points;
  readonly linked: { readonly selected: Bits; readonly current: number; readonly hover: number };
}

/** Lines, labels and the marks of single rows, over the points. */
export function Overlay({ props, model, plane, palette, points, linked }: OverlayProps) {
  const { look } = props;
  const id = useId();
  const { left, top, right, bottom } = plane;
  return (
    <g aria-hidden="true">
      <clipPath id={id}>
        <rect x={left} y={top} width={Math.max(0, right - left)} height={Math.max(0, bottom - top)} />
      </clipPath>
      <g clipPath={`url(#${id})`}>
        {model.lines.map((fitted) => (
          <Fit key={fitted.category ?? "all"} fitted={fitted} plane={plane} palette={palette} />
        ))}
        <Labels {...{ props, model, plane, palette, points, linked }} />
        {flagOf(look, "showDropLines") && (
          <DropLines points={points} row={linked.hover} plane={plane} palette={palette} />
        )}
        {flagOf(look, "showMouseOverPoint") && <Ring points={points} row={linked.hover} color={palette.hover} />}
        {flagOf(look, "showCurrentPoint") && <Ring points={points} row={linked.current} color={palette.current} />}
      </g>
      {model.notes.map((note, line) => (
        <text
          key={note}
          x={left + 8}
          y={top + 14 + line * 14}
          fontSize={11}
          fill={palette.ink}
          stroke={palette.paper}
          strokeWidth={3}
          paintOrder="stroke"
        >
          {note}
        </text>
      ))}
    </g>
  );
}

const SAMPLES = 48;

/** Straight where both axes are linear; else a curve of samples. */
function Fit({
  fitted,
  plane,
  palette,
}: {
  readonly fitted: FittedLine;
  readonly plane: Plane;
  readonly palette: Palette;
}) {
  const { slope, intercept } = fitted.line;
  const path = Array.from({ length: SAMPLES + 1 }, (_, step) => {
    const pixel = plane.left + ((plane.right - plane.left) * step) / SAMPLES;
    const y = plane.y.of(slope * plane.x.at(pixel) + intercept);
    return Number.isNaN(y) ? "" : `${pixel.toFixed(1)},${y.toFixed(1)}`;
  }).filter((point) => point !== "");
  const color = fitted.category === undefined ? palette.ink : categoryColor(palette, fitted.category);
  return (
    <>
      <polyline points={path.join(" ")} fill="none" stroke={palette.paper} strokeWidth={4} strokeOpacity={0.7} />
      <polyline points={path.join(" ")} fill="none" stroke={color} strokeWidth={2} />
    </>
  );
}

interface ScatterPlotRingProps {
  readonly points: Points;
  readonly row: number;
  readonly color: string;
}

function Ring({ points, row, color }: ScatterPlotRingProps) {
  if (row < 0) return null;
  const [x, y] = [points.xOf(row), points.yOf(row)];
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  return <circle cx={x} cy={y} r={points.sizeOf(row) / 2 + 3} fill="none" stroke={color} strokeWidth={2} />;
}

interface DropLinesProps {
  readonly points: Points;
  readonly row: number;
  readonly plane: Plane;
  readonly palette: Palette;
}

function DropLines({ points, row, plane, palette }: DropLinesProps) {
  if (row < 0) return null;
  const [x, y] = [points.xOf(row), points.yOf(row)];
  if (!Number.isFinite(x) || !Number.isFinite(y)) return null;
  return (
    <path
      d={`M${plane.left},${y} H${x} V${plane.bottom}`}
      fill="none"
      stroke={palette.lineStrong}
      strokeDasharray="3 3"
    />
  );
}

/** More labels than this nobody can read. */
const MOST_LABELS = 150;

function Labels({ props, points, palette, linked, plane }: OverlayProps) {
  const { table, look } = props;
  const columns = chosenList(table, look, "labelColumnNames");
  if (columns.length === 0) return null;
  const wanted = labelRows(table, textOf(look, "showLabelsFor") ?? "Selected", linked);
  const labels: { readonly row: number; readonly x: number; readonly y: number }[] = [];
  for (const row of points.rows) {
    if (labels.length >= MOST_LABELS) break;
    if (!wanted(row)) continue;
    const [x, y] = [points.xOf(row), points.yOf(row)];
    if (x >= plane.left && x <= plane.right && y >= plane.top && y <= plane.bottom) labels.push({ row, x, y });
  }
  return (
    <g fontSize={11} fill={palette.ink} stroke={palette.paper} strokeWidth={3} paintOrder="stroke">
      {labels.map(({ row, x, y }) => (
        <text key={row} x={x + points.sizeOf(row) / 2 + 3} y={y + 4}>
          {columns.map((column) => shownAt(column, row)).join(", ")}
        </text>
      ))}
    </g>
  );
}

function labelRows(table: Table, which: string, linked: OverlayProps["linked"]): (row: number) => boolean {
  switch (which) {
    case "All":
      return () => true;
    case "Filtered":
      return (row) => table.filtered.has(row);
    case "CurrentRow":
      return (row) => row === linked.current;
    case "MouseOverRow":
      return (row) => row === linked.hover;
    case "SelectedOrCurrent":
      return (row) => row === linked.current || linked.selected.has(row);
    default:
      return (row) => linked.selected.has(row);
  }
}
