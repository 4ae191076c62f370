import type { Bits } from "../../data/bits.ts";

export interface DensityCell {
  readonly code: number;
  /** Its middle, pixels. */
  readonly x: number;
  readonly y: number;
  readonly count: number;
}

export interface Cells {
  readonly shape: "hexagon" | "rectangle";
  /** Half the breadth and height of a cell, pixels. */
  readonly halfWidth: number;
  readonly halfHeight: number;
  /** The cell of each row; -1: none. */
  readonly codes: Int32Array;
  readonly cells: readonly DensityCell[];
  readonly most: number;
}

export interface CellOptions {
  readonly rows: Bits;
  readonly rowCount: number;
  readonly shape: string;
  /** Cells side by side. */
  readonly bins: number;
  readonly box: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
  readonly xOf: (row: number) => number;
  readonly yOf: (row: number) => number;
}

const ROOT = Math.sqrt(3);

/** Rows counted by cell; rows outside the box are in none. */
export function cellsOf(options: CellOptions): Cells {
  const { rows, rowCount, box, xOf, yOf } = options;
  const grid = options.shape === "rectangle" ? rectangles(options) : hexagons(options);
  const codes = new Int32Array(rowCount).fill(-1);
  const counts = new Int32Array(grid.codes);
  const { left, top, right, bottom } = box;
  for (const row of rows.toArray()) {
    const x = xOf(row);
    const y = yOf(row);
    if (!(x >= left && x <= right && y >= top && y <= bottom)) continue;
    const code = grid.codeAt(x - left, y - top);
    codes[row] = code;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  const cells: DensityCell[] = [];
  let most = 0;
  counts.forEach((count, code) => {
    if (count === 0) return;
    const [x, y] = grid.middleOf(code);
    cells.push({ code, x: x + left, y: y + top, count });
    most = Math.max(most, count);
  });
  return {
    shape: options.shape === "rectangle" ? "rectangle" : "hexagon",
    halfWidth: grid.halfWidth,
    halfHeight: grid.halfHeight,
    codes,
    cells,
    most,
  };
}

interface Grid {
  readonly halfWidth: number;
  readonly halfHeight: number;
  /** Codes are below this. */
  readonly codes: number;
  readonly codeAt: (x: number, y: number) => number;
  readonly middleOf: (code: number) => readonly [x: number, y: number];
}

function rectangles({ bins, box }: CellOptions): Grid {
  const [width, height] = [(box.right - box.left) / bins, (box.bottom - box.top) / bins];
  return {
    halfWidth: width / 2,
    halfHeight: height / 2,
    codes: bins * bins,
    codeAt: (x, y) => Math.min(bins - 1, Math.floor(y / height)) * bins + Math.min(bins - 1, Math.floor(x / width)),
    middleOf: (code) => [((code % bins) + 0.5) * width, (Math.floor(code / bins) + 0.5) * height],
  };
}

/** Pointed at the top; odd lines are half a cell to the right. */
function hexagons({ bins, box }: CellOptions): Grid {
  const width = (box.right - box.left) / bins;
  const radius = width / ROOT;
  const step = radius * 1.5;
  // One more at each end: the middles of the outermost lie on the edges.
  const columns = bins + 2;
  const lines = Math.ceil((box.bottom - box.top) / step) + 2;
  /** How far a point is from the nearest middle in a line, squared. */
  const away = (x: number, y: number, line: number): number => {
    const odd = (line & 1) * 0.5;
    const dx = (Math.round(x / width - odd) + odd) * width - x;
    const dy = line * step - y;
    return dx * dx + dy * dy;
  };
  return {
    halfWidth: width / 2,
    halfHeight: radius,
    codes: columns * lines,
    codeAt: (x, y) => {
      // The nearest middle is in one of the two lines around the point.
      const above = Math.floor(y / step);
      const line = away(x, y, above) <= away(x, y, above + 1) ? above : above + 1;
      return line * columns + Math.max(0, Math.round(x / width - (line & 1) * 0.5));
    },
    middleOf: (code) => {
      const line = Math.floor(code / columns);
      return [((code % columns) + (line & 1) * 0.5) * width, line * step];
    },
  };
}

/** The share of the scale of colours for a count. */
export function countShare(count: number, most: number, type: string | undefined): number {
  if (most <= 1) return 0.5;
  return type === "logarithmic" ? Math.log(count) / Math.log(most) : (count - 1) / (most - 1);
}

/** Draws the outline of a cell. */
export function cellPath(context: CanvasRenderingContext2D, cells: Cells, cell: DensityCell, scale = 1): void {
  const [width, height] = [cells.halfWidth * scale, cells.halfHeight * scale];
  context.beginPath();
  if (cells.shape === "rectangle") {
    context.rect(cell.x - width, cell.y - height, width * 2, height * 2);
    return;
  }
  for (let corner = 0; corner < 6; corner += 1) {
    const angle = (Math.PI / 3) * corner - Math.PI / 2;
    context.lineTo(cell.x + height * Math.cos(angle), cell.y + height * Math.sin(angle));
  }
  context.closePath();
}
