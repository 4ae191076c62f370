import { Maximize2, Minus, Plus } from "lucide-react";
import { useCallback, useMemo, useRef, useState, type PointerEvent, type ReactNode } from "react";
import { Bits } from "../../data/bits.ts";
import { useTable } from "../../data/use-table.ts";
import { Canvas } from "../drawing/canvas.tsx";
import type { Palette } from "../drawing/colors.ts";
import { spotOf as pointerSpot } from "../drawing/drag.ts";
import type { Area } from "../drawing/figure.tsx";
import { selectRows, type ModifierKeys } from "../drawing/rows.ts";
import { hideTooltip } from "../drawing/tooltip.ts";
import { useWheel } from "../drawing/view.ts";
import { rowsWords } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import { CutNote } from "../parts/notice.tsx";
import { Spots, type Spot as ListSpot } from "../parts/spots.tsx";
import type { ViewerProps } from "../viewer.ts";
import { drawNetwork } from "./draw.ts";
import { frameFor, hit, onScreen, type PictureFrame, type ForceLayout } from "./layout.ts";
import type { NetworkModel } from "./model.ts";

export interface NetworkPictureProps extends ViewerProps {
  readonly area: Area;
  readonly model: NetworkModel;
  readonly layout: ForceLayout;
  readonly moved: number;
  readonly palette: Palette;
  readonly wake: () => void;
}

const LEAST_SCALE = 0.1;
const MOST_SCALE = 8;

export function NetworkPicture(props: NetworkPictureProps): ReactNode {
  const { table, look, area, model, layout, moved, palette } = props;
  useTable(table, "selection");
  const { width, height } = area;
  // Absent: all nodes are kept in sight.
  const [own, setOwn] = useState<PictureFrame>();
  const frame = useMemo(() => own ?? frameFor(layout.spots, width, height), [own, layout, moved, width, height]);
  const { selected } = table;
  const marks = useMemo(() => {
    const shown = flagOf(look, "showSelectedRows") && !selected.isEmpty;
    const has = ({ rows }: { readonly rows: Int32Array }): boolean => shown && rows.some((row) => selected.has(row));
    return { nodes: model.nodes.map(has), edges: model.edges.map(has) };
  }, [model, selected, look]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D) => {
      drawNetwork(context, { model, spots: layout.spots, frame, palette, selected: marks });
    },
    [model, layout, moved, frame, palette, marks],
  );
  const surface = useRef<HTMLDivElement>(null);
  const zoom = (factor: number, x = width / 2, y = height / 2): void => setOwn(zoomed(frame, factor, x, y));
  useWheel(surface, ({ deltaY }, { x, y }) => zoom(Math.exp(-deltaY / 400), x, y));
  const hand = useHand(props, frame, setOwn);
  return (
    <div
      ref={surface}
      className="size-full touch-none"
      onPointerDownCapture={hand.down}
      onPointerMoveCapture={hand.move}
      onPointerUpCapture={hand.up}
      onPointerCancelCapture={hand.up}
      onClickCapture={hand.click}
    >
      <Canvas width={width} height={height} draw={draw} />
      <Spots
        label="Nodes and lines"
        width={width}
        height={height}
        count={model.nodes.length + model.edges.length}
        at={(x, y) => indexOf(model, hit(model, { spots: layout.spots, frame, x, y }))}
        spot={(index) => spotOf(props, frame, marks, index)}
        choose={(index, keys) => choose(props, index, keys)}
        open={() => zoom(1.4)}
        back={() => zoom(1 / 1.4)}
      />
      <ZoomButtons zoom={zoom} whole={() => setOwn(undefined)} />
      <CutNote words={model.cut} />
    </div>
  );
}

/** Nodes first, then lines. */
function indexOf(model: NetworkModel, found: ReturnType<typeof hit>): number {
  if (found === undefined) return -1;
  return found.kind === "node" ? found.at : model.nodes.length + found.at;
}

function choose({ table, look, model }: NetworkPictureProps, index: number, keys: ModifierKeys): void {
  const isNode = index < model.nodes.length;
  if (!flagOf(look, isNode ? "selectRowsOnClick" : "selectEdgesOnClick")) return;
  const rows = isNode ? model.nodes[index]?.rows : model.edges[index - model.nodes.length]?.rows;
  if (rows !== undefined) selectRows(table, Bits.of(table.rowCount, rows), keys);
}

function spotOf(
  { model, layout }: NetworkPictureProps,
  frame: PictureFrame,
  marks: { readonly nodes: readonly boolean[]; readonly edges: readonly boolean[] },
  index: number,
): ListSpot | undefined {
  const place = (at: number): readonly [number, number] => onScreen({ spots: layout.spots, frame }, at);
  const node = model.nodes[index];
  if (node !== undefined) {
    const [x, y] = place(index);
    const far = node.radius + 3;
    return {
      ...rowsSpot(node.label, node.rows),
      selected: marks.nodes[index] ?? false,
      box: { x: x - far, y: y - far, width: far * 2, height: far * 2 },
    };
  }
  const at = index - model.nodes.length;
  const edge = model.edges[at];
  if (edge === undefined) return undefined;
  const [x1, y1] = place(edge.source);
  const [x2, y2] = place(edge.target);
  const words = `${model.nodes[edge.source]?.label ?? ""} → ${model.nodes[edge.target]?.label ?? ""}`;
  return {
    ...rowsSpot(words, edge.rows),
    selected: marks.edges[at] ?? false,
    // A small square in the middle: the box of a slanting line would cover half of the picture.
    box: { x: (x1 + x2) / 2 - 5, y: (y1 + y2) / 2 - 5, width: 10, height: 10 },
  };
}

function rowsSpot(name: string, rows: Int32Array): Pick<ListSpot, "label" | "lines"> {
  return {
    label: `${name}, ${rowsWords(rows.length)}`,
    lines: [
      ["", name],
      ["Rows", rows.length.toLocaleString("en-US")],
    ],
  };
}

function zoomed(frame: PictureFrame, factor: number, x: number, y: number): PictureFrame {
  const scale = Math.max(LEAST_SCALE, Math.min(MOST_SCALE, frame.scale * factor));
  const share = scale / frame.scale;
  return { scale, x: x - (x - frame.x) * share, y: y - (y - frame.y) * share };
}

interface NetworkHandlers {
  readonly down: (event: PointerEvent) => void;
  readonly move: (event: PointerEvent) => void;
  readonly up: (event: PointerEvent) => void;
  /** A click at the end of a drag is none. */
  readonly click: (event: { readonly stopPropagation: () => void }) => void;
}

/** Drags a node, or the whole picture. */
function useHand(
  { model, layout, wake }: NetworkPictureProps,
  frame: PictureFrame,
  setFrame: (frame: PictureFrame) => void,
): NetworkHandlers {
  const held = useRef<{ node: number; x: number; y: number; far: boolean } | undefined>(undefined);
  const dragged = useRef(false);
  return {
    down: (event) => {
      dragged.current = false;
      if (event.button !== 0 || (event.target instanceof Element && event.target.closest("button") !== null)) return;
      const { x, y } = pointerSpot(event);
      const found = hit(model, { spots: layout.spots, frame, x, y });
      held.current = { node: found?.kind === "node" ? found.at : -1, x, y, far: false };
    },
    move: (event) => {
      const from = held.current;
      if (from === undefined) return;
      const { x, y } = pointerSpot(event);
      if (!from.far && Math.hypot(x - from.x, y - from.y) < 4) return;
      hideTooltip();
      if (!from.far) event.currentTarget.setPointerCapture(event.pointerId);
      dragged.current = true;
      if (from.node >= 0) {
        setFrame(frame);
        layout.hold(from.node, { x: (x - frame.x) / frame.scale, y: (y - frame.y) / frame.scale });
        wake();
      } else setFrame({ ...frame, x: frame.x + x - from.x, y: frame.y + y - from.y });
      held.current = { node: from.node, x, y, far: true };
    },
    up: () => {
      held.current = undefined;
    },
    click: (event) => {
      if (dragged.current) event.stopPropagation();
      dragged.current = false;
    },
  };
}

function ZoomButtons({
  zoom,
  whole,
}: {
  readonly zoom: (factor: number) => void;
  readonly whole: () => void;
}): ReactNode {
  const look = "flex size-6 items-center justify-center text-soft hover:bg-sunken hover:text-ink";
  return (
    <div
      role="group"
      aria-label="Zoom"
      className="absolute right-1 bottom-1 flex overflow-hidden rounded border bg-raised"
    >
      <button type="button" aria-label="Zoom in" className={look} onClick={() => zoom(1.4)}>
        <Plus aria-hidden className="size-3.5" />
      </button>
      <button type="button" aria-label="Zoom out" className={look} onClick={() => zoom(1 / 1.4)}>
        <Minus aria-hidden className="size-3.5" />
      </button>
      <button type="button" aria-label="Show all" className={look} onClick={whole}>
        <Maximize2 aria-hidden className="size-3.5" />
      </button>
    </div>
  );
}
