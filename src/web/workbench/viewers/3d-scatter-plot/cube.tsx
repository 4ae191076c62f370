import { RotateCcw } from "lucide-react";
import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
} from "react";
import { Bits } from "../../data/bits.ts";
import { shownAt } from "../../data/display.ts";
import { useTable } from "../../data/use-table.ts";
import { Canvas } from "../drawing/canvas.tsx";
import type { Palette } from "../drawing/colors.ts";
import { spotOf } from "../drawing/drag.ts";
import type { Area } from "../drawing/figure.tsx";
import { selectRows } from "../drawing/rows.ts";
import { hideTooltip, showTooltip, type TooltipLine } from "../drawing/tooltip.ts";
import { useWheel } from "../drawing/view.ts";
import { chosen, flagOf } from "../look.ts";
import { CutNote } from "../parts/notice.tsx";
import type { ViewerProps } from "../viewer.ts";
import { eyeOf, pointAt, START, turned, type Camera, type Projected } from "./camera.ts";
import { drawScene } from "./draw.ts";
import { pointWords, type PointsModel } from "./model.ts";

interface CubeProps extends ViewerProps {
  readonly area: Area;
  readonly model: PointsModel;
  /** By point, red green blue one after the other. */
  readonly colors: Uint8Array;
  readonly palette: Palette;
}

/** Radians for a pixel of the mouse, and for a press of a key. */
const BY_PIXEL = 0.008;
const BY_KEY = 0.12;
/** Radians a second where it turns by itself. */
const BY_ITSELF = 0.25;

export function Cube(props: CubeProps): ReactNode {
  const { table, look, area, model, colors, palette } = props;
  const { width, height } = area;
  useTable(table, "selection");
  const [camera, setCamera] = useState(START);
  const [touched, setTouched] = useState(false);
  const points = useRef<Projected>(undefined);
  const { selected } = table;
  const marks = useMemo(
    () => Uint8Array.from(model.rows, (row) => (model.showSelected && selected.has(row) ? 1 : 0)),
    [model, selected],
  );
  const draw = useCallback(
    (context: CanvasRenderingContext2D, ratio: number) => {
      const show = {
        axes: flagOf(look, "showAxes"),
        floor: flagOf(look, "showHorizontalGridLines"),
        walls: flagOf(look, "showVerticalGridLines"),
      };
      points.current = drawScene(
        context,
        { model, camera, width, height, palette, colors, selected: marks, show },
        ratio,
      );
    },
    [model, camera, width, height, palette, colors, marks, look],
  );
  const turn = (by: Parameters<typeof turned>[1]): void => {
    setTouched(true);
    setCamera((now) => turned(now, by));
  };
  useTurning(flagOf(look, "dynamicCameraMovement") && !touched, setCamera);
  const surface = useRef<HTMLDivElement>(null);
  useWheel(surface, ({ deltaY }) => turn({ zoom: Math.exp(-deltaY / 400) }));
  const hand = useHand(props, points, turn);
  return (
    <div
      ref={surface}
      role="application"
      aria-roledescription="cube of points"
      aria-label="Arrow keys turn the cube, plus and minus zoom, Home turns it back. A click selects a point"
      tabIndex={0}
      className="size-full cursor-grab touch-none focus-visible:-outline-offset-2 active:cursor-grabbing"
      onKeyDown={(event) => byKey(event, turn, () => setCamera(START))}
      {...hand}
    >
      <Canvas width={width} height={height} draw={draw} />
      <Marked {...props} camera={camera} />
      <button
        type="button"
        aria-label="Turn back to the start"
        title="Turn back to the start"
        className="absolute right-1 bottom-1 flex size-6 items-center justify-center rounded border bg-raised text-soft hover:bg-sunken hover:text-ink"
        onClick={() => setCamera(START)}
      >
        <RotateCcw aria-hidden className="size-3.5" />
      </button>
      <CutNote words={model.cut} />
    </div>
  );
}

/** Rings around the current row and the row under the mouse. */
function Marked({ table, model, area, camera, palette }: CubeProps & { readonly camera: Camera }): ReactNode {
  useTable(table, "rows");
  const ring = (row: number, color: string): ReactNode => {
    const at = row < 0 ? -1 : model.rows.indexOf(row);
    if (at < 0) return undefined;
    const { places } = model;
    const [x, y] = eyeOf(camera, area.width, area.height).project(
      places[at * 3] ?? 0,
      places[at * 3 + 1] ?? 0,
      places[at * 3 + 2] ?? 0,
    );
    return <circle cx={x} cy={y} r={(model.sizes[at] ?? 4) / 2 + 4} fill="none" stroke={color} strokeWidth={2} />;
  };
  return (
    <svg aria-hidden width={area.width} height={area.height} className="pointer-events-none absolute inset-0">
      {ring(table.currentRow, palette.current)}
      {ring(table.hoverRow, palette.hover)}
    </svg>
  );
}

function byKey(event: KeyboardEvent, turn: (by: Parameters<typeof turned>[1]) => void, reset: () => void): void {
  const by = {
    ArrowLeft: { turn: BY_KEY },
    ArrowRight: { turn: -BY_KEY },
    ArrowUp: { tip: BY_KEY },
    ArrowDown: { tip: -BY_KEY },
    "+": { zoom: 1.2 },
    "=": { zoom: 1.2 },
    "-": { zoom: 1 / 1.2 },
  }[event.key];
  if (event.key === "Home") reset();
  else if (by === undefined) return;
  else turn(by);
  event.preventDefault();
}

function useTurning(on: boolean, setCamera: (change: (camera: Camera) => Camera) => void): void {
  useEffect(() => {
    if (!on || matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    let before = performance.now();
    let request = 0;
    const frame = (now: number): void => {
      const past = Math.min(100, now - before);
      before = now;
      setCamera((camera) => turned(camera, { turn: (past / 1_000) * BY_ITSELF }));
      request = requestAnimationFrame(frame);
    };
    request = requestAnimationFrame(frame);
    return () => cancelAnimationFrame(request);
  }, [on, setCamera]);
}

interface CubeHandlers {
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onPointerMove: (event: PointerEvent) => void;
  readonly onPointerUp: (event: PointerEvent) => void;
  readonly onPointerLeave: () => void;
}

function useHand(
  { table, look, model }: CubeProps,
  points: { readonly current: Projected | undefined },
  turn: (by: { readonly turn: number; readonly tip: number }) => void,
): CubeHandlers {
  const held = useRef<{ x: number; y: number; far: boolean } | undefined>(undefined);
  const find = (event: PointerEvent): number => {
    const { x, y } = spotOf(event);
    return points.current === undefined ? -1 : pointAt(model, points.current, x, y);
  };
  return {
    onPointerDown: (event) => {
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest("button") !== null)) return;
      held.current = { x: event.clientX, y: event.clientY, far: false };
      event.currentTarget.setPointerCapture(event.pointerId);
    },
    onPointerMove: (event) => {
      const from = held.current;
      if (from === undefined) {
        const at = find(event);
        table.setHoverRow(at < 0 ? -1 : (model.rows[at] ?? -1));
        if (at < 0) hideTooltip();
        else showTooltip({ x: event.clientX, y: event.clientY }, linesOf(model, model.rows[at] ?? 0, { table, look }));
        return;
      }
      const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
      if (!from.far && Math.hypot(dx, dy) < 4) return;
      hideTooltip();
      turn({ turn: -dx * BY_PIXEL, tip: dy * BY_PIXEL });
      held.current = { x: event.clientX, y: event.clientY, far: true };
    },
    onPointerUp: (event) => {
      const from = held.current;
      held.current = undefined;
      if (from === undefined || from.far) return;
      const at = find(event);
      const row = at < 0 ? -1 : (model.rows[at] ?? -1);
      if (row >= 0) table.setCurrentRow(row);
      selectRows(table, Bits.of(table.rowCount, row < 0 ? [] : [row]), event);
    },
    onPointerLeave: () => {
      table.setHoverRow(-1);
      hideTooltip();
    },
  };
}

function linesOf(
  model: PointsModel,
  row: number,
  { table, look }: Pick<CubeProps, "table" | "look">,
): readonly TooltipLine[] {
  const label = chosen(table, look, "labelColumnName");
  const further = ["colorColumnName", "sizeColumnName"].flatMap((name) => chosen(table, look, name) ?? []);
  return [
    ["", label === undefined ? `Row ${(row + 1).toLocaleString("en-US")}` : shownAt(label, row)],
    ...pointWords(model, row, further),
  ];
}
