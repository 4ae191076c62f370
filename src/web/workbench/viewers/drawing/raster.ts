import type { Rgb } from "./colors.ts";

/** The shapes of points; the names are Datagrok's. */
export const MARKER_TYPES = [
  "circle",
  "square",
  "diamond",
  "triangle up",
  "triangle down",
  "cross",
  "plus",
  "star",
] as const;

/** A shape as shares of cover from 0 to 255, row by row. */
export interface Stamp {
  readonly side: number;
  readonly cover: Uint8Array;
}

/** Fine steps per pixel by which the edge of a shape is made smooth. */
const FINE = 4;

/** Whether a point of the square from -1 to 1 is in the shape. */
function inside(type: string, x: number, y: number): boolean {
  const [wide, high] = [Math.abs(x), Math.abs(y)];
  switch (type) {
    case "square":
      return wide <= 0.86 && high <= 0.86;
    case "diamond":
      return wide + high <= 1;
    case "triangle up":
      return y <= 0.8 && y >= -0.95 && wide <= (y + 0.95) / 1.75;
    case "triangle down":
      return y >= -0.8 && y <= 0.95 && wide <= (0.95 - y) / 1.75;
    case "cross":
      return Math.abs(wide - high) <= 0.34 && Math.max(wide, high) <= 0.9;
    case "plus":
      return Math.min(wide, high) <= 0.27 && Math.max(wide, high) <= 1;
    case "star": {
      const angle = Math.atan2(x, -y);
      return Math.hypot(x, y) <= 0.68 + 0.32 * Math.cos(5 * angle);
    }
    default:
      return x * x + y * y <= 1;
  }
}

/** The stamp of a shape that is `size` device pixels broad. */
export function stampOf(type: string, size: number): Stamp {
  const side = Math.max(1, Math.ceil(size));
  const cover = new Uint8Array(side * side);
  for (let row = 0; row < side; row += 1)
    for (let column = 0; column < side; column += 1) {
      let hits = 0;
      for (let fine = 0; fine < FINE * FINE; fine += 1) {
        const x = column + ((fine % FINE) + 0.5) / FINE - side / 2;
        const y = row + (Math.floor(fine / FINE) + 0.5) / FINE - side / 2;
        if (inside(type, (x * 2) / size, (y * 2) / size)) hits += 1;
      }
      cover[row * side + column] = Math.round((hits * 255) / (FINE * FINE));
    }
  return { side, cover };
}

/** A picture of pixels that many shapes are stamped on: far faster than paths where there are a million. */
export class Raster {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;

  constructor(width: number, height: number) {
    this.width = Math.max(1, Math.round(width));
    this.height = Math.max(1, Math.round(height));
    this.pixels = new Uint8ClampedArray(this.width * this.height * 4);
  }

  /** Around a point, over what is there. `opacity` from 0 to 1. */
  stamp(shape: Stamp, x: number, y: number, [red, green, blue]: Rgb, opacity: number): void {
    const { pixels, width, height } = this;
    const { side, cover } = shape;
    const left = Math.round(x - side / 2);
    const top = Math.round(y - side / 2);
    if (left >= width || top >= height || left + side <= 0 || top + side <= 0) return;
    for (let row = Math.max(0, -top); row < side && top + row < height; row += 1) {
      const line = (top + row) * width + left;
      for (let column = Math.max(0, -left); column < side && left + column < width; column += 1) {
        const over = ((cover[row * side + column] ?? 0) / 255) * opacity;
        if (over === 0) continue;
        const at = (line + column) * 4;
        const under = ((pixels[at + 3] ?? 0) / 255) * (1 - over);
        const alpha = over + under;
        pixels[at] = (red * over + (pixels[at] ?? 0) * under) / alpha;
        pixels[at + 1] = (green * over + (pixels[at + 1] ?? 0) * under) / alpha;
        pixels[at + 2] = (blue * over + (pixels[at + 2] ?? 0) * under) / alpha;
        pixels[at + 3] = alpha * 255;
      }
    }
  }
}
