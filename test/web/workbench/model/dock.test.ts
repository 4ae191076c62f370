import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addAtEdge,
  addBeside,
  checkDock,
  depthOf,
  dockIds,
  GRID,
  moveTo,
  moveToEdge,
  normalise,
  removeFrom,
  resize,
  showIn,
  stackOf,
  stackOn,
  tile,
  type DockPlace,
  type Side,
} from "../../../../src/web/workbench/model/dock.ts";
import { placeNew } from "../../../../src/web/workbench/model/place.ts";
import { GAP, rectsOf } from "../../../../src/web/workbench/model/rects.ts";
import type { Dock } from "../../../../src/web/workbench/model/workbench.ts";

const row = (shares: readonly number[], ...parts: readonly Dock[]): Dock => ({
  kind: "split",
  direction: "row",
  shares,
  parts,
});
const column = (shares: readonly number[], ...parts: readonly Dock[]): Dock => ({
  kind: "split",
  direction: "column",
  shares,
  parts,
});
const stack = (shown: string, ...viewers: readonly string[]): Dock => ({ kind: "stack", viewers, shown });
const grid = stackOf(GRID);
const [a, b] = [stackOf("a"), stackOf("b")];

describe("the dock", () => {
  test.each<readonly [string, Dock, Dock]>([
    ["beside, to the right", addBeside(grid, { id: "a", target: GRID, side: "right" }), row([0.5, 0.5], grid, a)],
    [
      "beside, above, with a share",
      addBeside(grid, { id: "a", target: GRID, side: "top", share: 0.25 }),
      column([0.25, 0.75], a, grid),
    ],
    [
      "a further one in the same direction joins the split",
      addBeside(row([0.5, 0.5], grid, a), { id: "b", target: "a", side: "right" }),
      row([0.5, 0.25, 0.25], grid, a, b),
    ],
    [
      "one in the other direction makes a split inside",
      addBeside(row([0.5, 0.5], grid, a), { id: "b", target: "a", side: "bottom" }),
      row([0.5, 0.5], grid, column([0.5, 0.5], a, b)),
    ],
    [
      "at an edge of the whole",
      addAtEdge(column([0.5, 0.5], grid, a), { id: "b", side: "left", share: 0.2 }),
      row([0.2, 0.8], b, column([0.5, 0.5], grid, a)),
    ],
    [
      "on a stack",
      stackOn(row([0.5, 0.5], grid, a), { id: "b", target: "a" }),
      row([0.5, 0.5], grid, stack("b", "a", "b")),
    ],
    [
      "away: the rest takes the space",
      removeFrom(row([0.5, 0.25, 0.25], grid, a, b), "b"),
      row([2 / 3, 1 / 3], grid, a),
    ],
    ["away: a split of one is none", removeFrom(row([0.5, 0.5], grid, a), "a"), grid],
    ["away from a stack: its neighbour is shown", removeFrom(stack("a", GRID, "a", "b"), "a"), stack("b", GRID, "b")],
    [
      "moved to another side",
      moveTo(row([0.5, 0.5], grid, a), { id: "a", target: GRID, place: "left" }),
      row([0.5, 0.5], a, grid),
    ],
    [
      "moved onto another",
      moveTo(row([0.5, 0.5], grid, a), { id: "a", target: GRID, place: "centre" }),
      stack("a", GRID, "a"),
    ],
    [
      "moved out of its stack",
      moveTo(stack("a", GRID, "a"), { id: "a", target: "a", place: "right" }),
      row([0.5, 0.5], grid, a),
    ],
    [
      "moved onto itself",
      moveTo(row([0.5, 0.5], grid, a), { id: "a", target: "a", place: "left" }),
      row([0.5, 0.5], grid, a),
    ],
    ["moved to what is not there", moveTo(grid, { id: "a", target: "b", place: "left" }), grid],
    [
      "moved to an edge",
      moveToEdge(row([0.5, 0.5], grid, a), { id: "a", side: "top" }),
      column([1 / 3, 2 / 3], a, grid),
    ],
    ["shown", showIn(stack(GRID, GRID, "a"), "a"), stack("a", GRID, "a")],
    [
      "a border moved",
      resize(row([0.5, 0.25, 0.25], grid, a, b), { path: [], index: 1, share: 0.1 }),
      row([0.5, 0.1, 0.4], grid, a, b),
    ],
    [
      "a border moved too far",
      resize(row([0.5, 0.5], grid, a), { path: [], index: 0, share: 2 }),
      row([0.94, 0.06], grid, a),
    ],
    [
      "a border moved inside",
      resize(row([0.5, 0.5], grid, column([0.5, 0.5], a, b)), { path: [1], index: 0, share: 0.25 }),
      row([0.5, 0.5], grid, column([0.25, 0.75], a, b)),
    ],
    ["a border that is not there", resize(grid, { path: [3], index: 0, share: 0.25 }), grid],
    ["empty: the grid", normalise(row([], stack(""))), grid],
    ["shares of nonsense", normalise(row([Number.NaN, -1], grid, a)), row([0.5, 0.5], grid, a)],
    [
      "four tiled",
      tile([GRID, "a", "b", "c"]),
      column([0.5, 0.5], row([0.5, 0.5], grid, a), row([0.5, 0.5], b, stackOf("c"))),
    ],
  ])("%s", (_, made, expected) => {
    expect(rounded(made)).toEqual(rounded(expected));
  });

  test.each<readonly [string, Dock, string]>([
    ["one twice", row([0.5, 0.5], grid, grid), "exactly once"],
    ["one missing", grid, "exactly once"],
    ["a stranger", row([0.5, 0.5], grid, b), "exactly once"],
    ["too deep", deep(9), "levels deep"],
  ])("is refused: %s", (_, dock, words) => {
    expect(() => checkDock(dock, [GRID, "a"])).toThrow(words);
  });

  test("whatever is done, each lies in it once, the shares are 1, the depth is bounded", () => {
    const step = fc.record({
      kind: fc.constantFrom("add", "stack", "remove", "move", "edge", "resize", "place"),
      id: fc.integer({ min: 0, max: 15 }).map((number) => `v${number}`),
      target: fc.integer({ min: 0, max: 15 }).map((number) => `v${number}`),
      place: fc.constantFrom<DockPlace>("left", "right", "top", "bottom", "centre"),
      share: fc.double({ min: -1, max: 2, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        let dock: Dock = grid;
        for (const one of steps) {
          const before = new Set(dockIds(dock));
          dock = normalise(apply(dock, one));
          const after = dockIds(dock);
          expect(new Set(after).size).toBe(after.length);
          const isAdded = one.kind === "add" || one.kind === "stack" || one.kind === "place";
          if (one.kind === "remove") before.delete(one.id);
          if (isAdded) before.add(one.id);
          expect(new Set(after)).toEqual(before);
          expect(depthOf(dock)).toBeLessThanOrEqual(8);
          checkShares(dock);
        }
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  test("the rectangles fill the space, with gaps between them", () => {
    const { stacks, splitters } = rectsOf(row([0.5, 0.5], grid, column([0.25, 0.75], a, b)), {
      x: 0,
      y: 0,
      width: 1_006,
      height: 406,
    });
    expect(stacks.map(({ x, y, width, height }) => [x, y, width, height])).toEqual([
      [0, 0, 500, 406],
      [506, 0, 500, 100],
      [506, 106, 500, 300],
    ]);
    expect(splitters.map(({ x, y, width, height, path, index }) => [x, y, width, height, path, index])).toEqual([
      [500, 0, GAP, 406, [], 0],
      [506, 100, 500, GAP, [1], 0],
    ]);
  });

  test("new viewers find sensible places", () => {
    let dock: Dock = grid;
    dock = placeNew(dock, "f", "Filters");
    expect(rounded(dock)).toEqual(rounded(row([0.2, 0.8], stackOf("f"), grid)));
    dock = placeNew(dock, "a", "Histogram");
    expect(rounded(dock)).toEqual(rounded(row([0.2, 0.4, 0.4], stackOf("f"), grid, a)));
    dock = placeNew(dock, "b", "Bar chart");
    expect(rounded(dock)).toEqual(rounded(row([0.2, 0.4, 0.4], stackOf("f"), grid, column([0.5, 0.5], a, b))));
    for (let more = 0; more < 20; more += 1) dock = placeNew(dock, `v${more}`, "Pie chart");
    expect(dockIds(dock)).toHaveLength(24);
    const { stacks } = rectsOf(dock, { x: 0, y: 0, width: 1_600, height: 900 });
    for (const { height } of stacks) expect(height).toBeGreaterThan(195);
  });
});

function apply(
  dock: Dock,
  step: {
    readonly kind: string;
    readonly id: string;
    readonly target: string;
    readonly place: DockPlace;
    readonly share: number;
  },
): Dock {
  const ids = dockIds(dock);
  const { id, place } = step;
  const target = ids.includes(step.target) && step.target !== id ? step.target : GRID;
  const side: Side = place === "centre" ? "right" : place;
  const isThere = ids.includes(id);
  switch (step.kind) {
    case "add":
      return isThere ? dock : addBeside(dock, { id, target, side });
    case "stack":
      return isThere ? dock : stackOn(dock, { id, target });
    case "place":
      return isThere ? dock : placeNew(dock, id, "Histogram");
    case "remove":
      return removeFrom(dock, id);
    case "move":
      return moveTo(dock, { id, target, place });
    case "edge":
      return moveToEdge(dock, { id, side });
    default:
      return resize(dock, { path: [], index: 0, share: step.share });
  }
}

function checkShares(dock: Dock): void {
  if (dock.kind === "stack") return;
  expect(dock.shares).toHaveLength(dock.parts.length);
  expect(dock.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  expect(Math.min(...dock.shares)).toBeGreaterThan(0);
  for (const part of dock.parts) checkShares(part);
}

/** Two docks are alike where their shares are, but for the last digits. */
function rounded(dock: Dock): unknown {
  if (dock.kind === "stack") return dock;
  return { ...dock, shares: dock.shares.map((share) => share.toFixed(9)), parts: dock.parts.map(rounded) };
}

function deep(levels: number): Dock {
  let dock: Dock = row([0.5, 0.5], grid, a);
  for (let level = 0; level < levels; level += 1)
    dock = { kind: "split", direction: level % 2 === 0 ? "column" : "row", shares: [1], parts: [dock] };
  return dock;
}
