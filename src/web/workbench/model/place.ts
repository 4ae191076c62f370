import type { ViewerType } from "../viewers/viewer.ts";
import { addAtEdge, addBeside, GRID, stackOn } from "./dock.ts";
import { rectsOf } from "./rects.ts";
import type { Dock } from "./workbench.ts";

/** The shape of most screens: it decides which half of a place is the wider one. */
const SCREEN = { x: 0, y: 0, width: 1_600, height: 900 } as const;
/** Smaller than this, a chart cannot be read: a new one comes over another as a tab. */
const LEAST = { width: 340, height: 200 } as const;
const FILTERS_SHARE = 0.2;
const FIRST_SHARE = 0.5;

/** Where a new viewer goes by default: filters at the left edge, the first chart beside the grid, then a half of the largest chart. */
export function placeNew(dock: Dock, id: string, type: ViewerType): Dock {
  if (type === "Filters") return addAtEdge(dock, { id, side: "left", share: FILTERS_SHARE });
  const { stacks } = rectsOf(dock, SCREEN);
  const charts = stacks.filter(({ stack }) => !stack.viewers.includes(GRID));
  const roomy = charts.filter(({ width, height }) => width >= LEAST.width && height >= LEAST.height);
  const largest = roomy.toSorted((left, right) => right.width * right.height - left.width * left.height)[0];
  if (largest === undefined) {
    const other = charts[0];
    const isFirst = other === undefined || charts.every(({ width }) => width < LEAST.width);
    if (isFirst) return addBeside(dock, { id, target: GRID, side: "right", share: FIRST_SHARE });
    return stackOn(dock, { id, target: other.stack.shown });
  }
  const isWide = largest.width / 2 >= LEAST.width && largest.width > largest.height * 1.6;
  const isTall = largest.height / 2 >= LEAST.height;
  if (!isWide && !isTall) return stackOn(dock, { id, target: largest.stack.shown });
  return addBeside(dock, { id, target: largest.stack.shown, side: isWide ? "right" : "bottom" });
}
