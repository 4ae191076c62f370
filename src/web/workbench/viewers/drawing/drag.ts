import { useRef, useState, type MouseEvent, type PointerEvent } from "react";
import type { Table } from "../../data/table.ts";
import type { ModifierKeys } from "./rows.ts";
import { hideTooltip, showTooltip, type TooltipLine } from "./tooltip.ts";

/** A rectangle that is being drawn, pixels of the element. */
export interface DrawnBox {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

interface DragOptions {
  /** A person let go after drawing a rectangle. */
  readonly done: (box: DrawnBox, keys: ModifierKeys) => void;
  /** The pointer went down and up on one spot. */
  readonly click?: ((at: { readonly x: number; readonly y: number }, keys: ModifierKeys) => void) | undefined;
  /** Instead of a rectangle: each step of the pointer. */
  readonly pan?: ((dx: number, dy: number) => void) | undefined;
}

/** Shorter ways are clicks, pixels. */
const LEAST = 4;

export interface BoxDrag {
  /** What is drawn now. */
  readonly box: DrawnBox | undefined;
  readonly handlers: {
    readonly onPointerDown: (event: PointerEvent) => void;
    readonly onPointerMove: (event: PointerEvent) => void;
    readonly onPointerUp: (event: PointerEvent) => void;
    readonly onPointerCancel: () => void;
  };
}

/** The pointer draws a rectangle on an element, or moves what is on it. */
export function useDrag({ done, click, pan }: DragOptions): BoxDrag {
  const start = useRef<{ x: number; y: number; far: boolean } | undefined>(undefined);
  const [box, setBox] = useState<DrawnBox>();
  const stop = (): void => {
    start.current = undefined;
    setBox(undefined);
  };
  return {
    box,
    handlers: {
      onPointerDown: (event) => {
        if (event.button !== 0) return;
        start.current = { ...spotOf(event), far: false };
      },
      onPointerMove: (event) => {
        const from = start.current;
        if (from === undefined) return;
        const to = spotOf(event);
        // Taken only now: a click without a way still belongs to the mark below.
        if (!from.far && Math.hypot(to.x - from.x, to.y - from.y) >= LEAST) {
          from.far = true;
          event.currentTarget.setPointerCapture(event.pointerId);
        }
        if (!from.far) return;
        if (pan === undefined) setBox(boxOf(from, to));
        else {
          pan(to.x - from.x, to.y - from.y);
          start.current = { ...to, far: true };
        }
      },
      onPointerUp: (event) => {
        const from = start.current;
        stop();
        if (from === undefined) return;
        const to = spotOf(event);
        if (!from.far) click?.(to, event);
        else if (pan === undefined) done(boxOf(from, to), event);
      },
      onPointerCancel: stop,
    },
  };
}

interface PointedOptions<Found> {
  readonly find: (spot: { readonly x: number; readonly y: number }) => Found | undefined;
  /** The pointer is over it now; undefined: over nothing. */
  readonly over: (found: Found | undefined) => void;
  /** Undefined: no tooltip. */
  readonly lines: (found: Found) => readonly TooltipLine[] | undefined;
}

/** The pointer shows what it is over, and goes on drawing where it is down. */
export function pointedAt<Found>(drag: BoxDrag, { find, over, lines }: PointedOptions<Found>) {
  return {
    onPointerMove: (event: PointerEvent): void => {
      drag.handlers.onPointerMove(event);
      if (event.buttons !== 0) return;
      const found = find(spotOf(event));
      over(found);
      const shown = found === undefined ? undefined : lines(found);
      if (shown === undefined) hideTooltip();
      else showTooltip({ x: event.clientX, y: event.clientY }, shown);
    },
    onPointerLeave: (): void => {
      over(undefined);
      hideTooltip();
    },
  };
}

interface PointedRowOptions {
  /** -1: none. */
  readonly find: (spot: { readonly x: number; readonly y: number }) => number;
  readonly lines: (row: number) => readonly TooltipLine[];
}

/** The same for rows: the one under the pointer is the table's. */
export function pointedAtRow(table: Table, drag: BoxDrag, { find, lines }: PointedRowOptions) {
  return pointedAt(drag, {
    find: (spot) => {
      const row = find(spot);
      return row < 0 ? undefined : row;
    },
    over: (row) => table.setHoverRow(row ?? -1),
    lines,
  });
}

/** Where a pointer is on the element that listens. */
export function spotOf(event: MouseEvent): { readonly x: number; readonly y: number } {
  const box = event.currentTarget.getBoundingClientRect();
  return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function boxOf(
  from: { readonly x: number; readonly y: number },
  to: { readonly x: number; readonly y: number },
): DrawnBox {
  return {
    left: Math.min(from.x, to.x),
    top: Math.min(from.y, to.y),
    right: Math.max(from.x, to.x),
    bottom: Math.max(from.y, to.y),
  };
}
