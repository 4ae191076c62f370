import type { DockPlace } from "./dock.ts";
import type { Rect, StackRect } from "./rects.ts";

/** Where something that is dragged would be placed. */
export interface DropTarget {
  /** Beside or on the stack of this; absent: at an edge of the whole. */
  readonly target: string | undefined;
  readonly place: DockPlace;
  /** What it would take. */
  readonly rect: Rect;
}

/** Closer than this to an edge of the dock, that edge is meant. CSS pixels. */
const EDGE = 18;
/** The share of a stack, from each side, that means that side; the rest means its centre. */
const RIM = 0.28;
const EDGE_SHARE = 1 / 3;

export function dropTarget(
  stacks: readonly StackRect[],
  space: Rect,
  held: { readonly id: string; readonly x: number; readonly y: number },
): DropTarget | undefined {
  const { id, x, y } = held;
  const isIn = ({ x: left, y: top, width, height }: Rect): boolean =>
    x >= left && x < left + width && y >= top && y < top + height;
  const outer = edgeOf(space, x, y, EDGE);
  if (outer !== undefined && stacks.length > 1 && isIn(grown(space, EDGE)))
    return { target: undefined, place: outer, rect: partOf(space, outer, EDGE_SHARE) };
  const under = stacks.find(isIn);
  if (under === undefined) return undefined;
  const isOwn = under.stack.viewers.includes(id);
  // It is alone in its stack, so there is nothing to put it beside.
  if (isOwn && under.stack.viewers.length === 1) return undefined;
  const place = placeIn(under, x, y);
  if (isOwn && place === "centre") return undefined;
  const target = under.stack.viewers.find((other) => other !== id);
  return target === undefined ? undefined : { target, place, rect: partOf(under, place, 0.5) };
}

const grown = ({ x, y, width, height }: Rect, by: number): Rect => ({
  x: x - by,
  y: y - by,
  width: width + 2 * by,
  height: height + 2 * by,
});

function edgeOf(
  { x: left, y: top, width, height }: Rect,
  x: number,
  y: number,
  within: number,
): Exclude<DockPlace, "centre"> | undefined {
  if (x < left + within) return "left";
  if (x > left + width - within) return "right";
  if (y < top + within) return "top";
  return y > top + height - within ? "bottom" : undefined;
}

function placeIn(rect: Rect, x: number, y: number): DockPlace {
  const shares: readonly (readonly [DockPlace, number])[] = [
    ["left", (x - rect.x) / rect.width],
    ["right", (rect.x + rect.width - x) / rect.width],
    ["top", (y - rect.y) / rect.height],
    ["bottom", (rect.y + rect.height - y) / rect.height],
  ];
  const [nearest, share] = shares.reduce((best, one) => (one[1] < best[1] ? one : best));
  return share < RIM ? nearest : "centre";
}

function partOf({ x, y, width, height }: Rect, place: DockPlace, share: number): Rect {
  switch (place) {
    case "centre":
      return { x, y, width, height };
    case "left":
      return { x, y, width: width * share, height };
    case "right":
      return { x: x + width * (1 - share), y, width: width * share, height };
    case "top":
      return { x, y, width, height: height * share };
    case "bottom":
      return { x, y: y + height * (1 - share), width, height: height * share };
  }
}
