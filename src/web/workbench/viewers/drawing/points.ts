import type { Bits } from "../../data/bits.ts";
import type { Rgb } from "./colors.ts";
import { Raster, stampOf, type Stamp } from "./raster.ts";
import type { Scale } from "./scale.ts";

/** Points to draw: which rows, where, how. */
export interface Points {
  readonly rows: Int32Array;
  /** Pixels; NaN: not shown. */
  readonly xOf: (row: number) => number;
  readonly yOf: (row: number) => number;
  readonly colors: readonly Rgb[];
  /** Places in the colours by row; absent: the first. */
  readonly places?: Uint16Array | undefined;
  readonly sizeOf: (row: number) => number;
  readonly shapeOf: (row: number) => string;
  /** 0 to 1. */
  readonly opacity: number;
  /** Drawn last and in their own colour. */
  readonly selected?: { readonly rows: Bits; readonly color: Rgb } | undefined;
}

/** Where nothing may be drawn, the axes for example. */
export interface Clip {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Points between two looks at the clock. */
const SLICE = 5_000;
/** Points between two pictures on the screen. */
const SHOWN = 50_000;

/** Draws in steps. Points are stamped on a raster of their own, and that is put on the canvas. */
export function* paintPoints(
  context: CanvasRenderingContext2D,
  options: { readonly ratio: number; readonly clip: Clip; readonly layers: readonly Points[] },
): Generator<void, void> {
  const { ratio, clip, layers } = options;
  const raster = new Raster((clip.right - clip.left) * ratio, (clip.bottom - clip.top) * ratio);
  const show = (): void => {
    const image = new ImageData(raster.pixels, raster.width, raster.height);
    context.putImageData(image, Math.round(clip.left * ratio), Math.round(clip.top * ratio));
  };
  for (const points of layers) yield* stampAll(raster, points, { ratio, clip, show });
  show();
}

function* stampAll(
  raster: Raster,
  points: Points,
  { ratio, clip, show }: { readonly ratio: number; readonly clip: Clip; readonly show: () => void },
): Generator<void, void> {
  const { rows, xOf, yOf, colors, places, sizeOf, shapeOf, opacity, selected } = points;
  // By shape, then by size: a million points ask for the same few.
  const stamps = new Map<string, Stamp[]>();
  const stampFor = (row: number): Stamp => {
    const shape = shapeOf(row);
    const size = Math.max(1, Math.round(sizeOf(row) * ratio));
    const bySize = stamps.get(shape) ?? [];
    const made = bySize[size] ?? stampOf(shape, size);
    if (bySize[size] === undefined) {
      bySize[size] = made;
      stamps.set(shape, bySize);
    }
    return made;
  };
  const stamp = (row: number, color: Rgb, over: number): void => {
    raster.stamp(stampFor(row), (xOf(row) - clip.left) * ratio, (yOf(row) - clip.top) * ratio, color, over);
  };
  const first = colors[0] ?? [0, 0, 0];
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    if (selected?.rows.has(row) !== true)
      stamp(row, places === undefined ? first : (colors[places[row] ?? 0] ?? first), opacity);
    if (at % SLICE === SLICE - 1) {
      if (at % SHOWN === SHOWN - 1) show();
      yield;
    }
  }
  if (selected === undefined || selected.rows.isEmpty) return;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    if (selected.rows.has(row)) stamp(row, selected.color, Math.max(opacity, 0.9));
    if (at % SLICE === SLICE - 1) yield;
  }
}

/** The same shift for a row each time, from -0.5 to 0.5. */
export function jitterOf(row: number, salt = 0): number {
  let mixed = Math.imul(row + 1 + salt * 7919, 0x9e3779b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x85ebca6b);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32 - 0.5;
}

/** A scale as plain arithmetic, for a million values. */
export function fastScale(scale: Scale): (value: number) => number {
  const start = scale.of(scale.domain[0]);
  const end = scale.of(scale.domain[1]);
  if (scale.kind !== "logarithmic") {
    const factor = (end - start) / (scale.domain[1] - scale.domain[0]);
    const base = start - scale.domain[0] * factor;
    return (value) => base + value * factor;
  }
  const low = Math.log(scale.domain[0]);
  const factor = (end - start) / (Math.log(scale.domain[1]) - low);
  return (value) => (value > 0 ? start + (Math.log(value) - low) * factor : Number.NaN);
}

/** The row whose point is nearest to a spot, within a reach; -1: none. */
export function nearestPoint(
  points: Pick<Points, "rows" | "xOf" | "yOf">,
  spot: { readonly x: number; readonly y: number },
  reach: number,
): number {
  let best = -1;
  let least = reach * reach;
  for (const row of points.rows) {
    const [dx, dy] = [points.xOf(row) - spot.x, points.yOf(row) - spot.y];
    const distance = dx * dx + dy * dy;
    if (distance <= least) {
      least = distance;
      best = row;
    }
  }
  return best;
}
