import type { Bits } from "../../data/bits.ts";

export interface Cell {
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
  readonly cells: readonly Cell[];
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
  const counts = new Map<number, number>();
  for (const row of rows.toArray()) {
    const [x, y] = [xOf(row), yOf(row)];
    if (!(x >= box.left && x <= box.right && y >= box.top && y <= box.bottom)) continue;
    const code = grid.codeAt(x - box.left, y - box.top);
    codes[row] = code;
    counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  const cells = [...counts].map(([code, count]) => {
    const [x, y] = grid.middleOf(code);
    return { code, x: x + box.left, y: y + box.top, count };
  });
  return {
    shape: options.shape === "rectangle" ? "rectangle" : "hexagon",
    halfWidth: grid.halfWidth,
    halfHeight: grid.halfHeight,
    codes,
    cells,
    most: Math.max(0, ...counts.values()),
  };
}

interface Grid {
  readonly halfWidth: number;
  readonly halfHeight: number;
  readonly codeAt: (x: number, y: number) => number;
  readonly middleOf: (code: number) => readonly [x: number, y: number];
}

/** Codes of cells have their line times this in them. */
const LINE = 4_096;

function rectangles({ bins, box }: CellOptions): Grid {
  const [width, height] = [(box.right - box.left) / bins, (box.bottom - box.top) / bins];
  return {
    halfWidth: width / 2,
    halfHeight: height / 2,
    codeAt: (x, y) => Math.min(bins - 1, Math.floor(y / height)) * LINE + Math.min(bins - 1, Math.floor(x / width)),
    middleOf: (code) => [((code % LINE) + 0.5) * width, (Math.floor(code / LINE) + 0.5) * height],
  };
}

/** Pointed at the top; odd lines are half a cell to the right. */
function hexagons({ bins, box }: CellOptions): Grid {
  const width = (box.right - box.left) / bins;
  const radius = width / ROOT;
  const step = radius * 1.5;
  const middle = (column: number, line: number): readonly [number, number] => [
    (column + (line % 2 === 1 ? 0.5 : 0)) * width,
    line * step,
  ];
  return {
    halfWidth: width / 2,
    halfHeight: radius,
    codeAt: (x, y) => {
      // The nearest middle is in one of the two lines around the point.
      const above = Math.max(0, Math.floor(y / step));
      let [best, least] = [0, Number.POSITIVE_INFINITY];
      for (let line = above; line <= above + 1; line += 1) {
        const column = Math.max(0, Math.round(x / width - (line % 2 === 1 ? 0.5 : 0)));
        const [a, b] = middle(column, line);
        const distance = (a - x) ** 2 + (b - y) ** 2;
        if (distance < least) [best, least] = [line * LINE + column, distance];
      }
      return best;
    },
    middleOf: (code) => middle(code % LINE, Math.floor(code / LINE)),
  };
}

/** The share of the scale of colours for a count. */
export function countShare(count: number, most: number, type: string | undefined): number {
  if (most <= 1) return 0.5;
  return type === "logarithmic" ? Math.log(count) / Math.log(most) : (count - 1) / (most - 1);
}

/** Draws the outline of a cell. */
export function cellPath(context: CanvasRenderingContext2D, cells: Cells, cell: Cell, scale = 1): void {
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
