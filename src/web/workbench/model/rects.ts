import type { DockPath } from "./dock.ts";
import type { Dock } from "./workbench.ts";

/** CSS pixels from the upper left corner of the dock. */
export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface StackRect extends Rect {
  readonly stack: Extract<Dock, { kind: "stack" }>;
}

/** The border between two parts of a split, which a person can move. */
export interface SplitterRect extends Rect {
  readonly path: DockPath;
  /** The part before it. */
  readonly index: number;
  /** `row`: the parts lie side by side, the border stands upright. */
  readonly direction: "row" | "column";
  /** The share of the part before it, and of the two together. */
  readonly share: number;
  readonly both: number;
  /** Of the split that it belongs to, along its direction. */
  readonly length: number;
}

export interface DockRects {
  readonly stacks: readonly StackRect[];
  readonly splitters: readonly SplitterRect[];
}

/** Between two parts, CSS pixels. */
export const GAP = 6;

/** The place of each stack and each border. */
export function rectsOf(dock: Dock, space: Rect, path: DockPath = []): DockRects {
  if (dock.kind === "stack") return { stacks: [{ ...space, stack: dock }], splitters: [] };
  const isRow = dock.direction === "row";
  const length = Math.max(0, (isRow ? space.width : space.height) - GAP * (dock.parts.length - 1));
  const stacks: StackRect[] = [];
  const splitters: SplitterRect[] = [];
  const start = isRow ? space.x : space.y;
  let from = start;
  for (const [index, part] of dock.parts.entries()) {
    const share = dock.shares[index] ?? 0;
    // Whole pixels, so that canvases stay sharp. The last part takes what is left.
    const isLast = index === dock.parts.length - 1;
    const size = isLast
      ? Math.max(0, Math.round(start + (isRow ? space.width : space.height) - from))
      : Math.round(share * length);
    const along = (at: number, extent: number): Rect =>
      isRow ? { ...space, x: at, width: extent } : { ...space, y: at, height: extent };
    const inner = rectsOf(part, along(from, size), [...path, index]);
    stacks.push(...inner.stacks);
    splitters.push(...inner.splitters);
    const next = dock.shares[index + 1];
    if (next !== undefined)
      splitters.push({
        ...along(from + size, GAP),
        path,
        index,
        direction: dock.direction,
        share,
        both: share + next,
        length,
      });
    from += size + GAP;
  }
  return { stacks, splitters };
}
