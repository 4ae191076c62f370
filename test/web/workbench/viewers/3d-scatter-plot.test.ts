import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import {
  eyeOf,
  pointAt,
  projectAll,
  START,
  turned,
} from "../../../../src/web/workbench/viewers/3d-scatter-plot/camera.ts";
import { scatterPlot3d } from "../../../../src/web/workbench/viewers/3d-scatter-plot/definition.ts";
import {
  MOST_POINTS,
  pointsOf,
  pointWords,
  ticksOf,
  type PointsModel,
} from "../../../../src/web/workbench/viewers/3d-scatter-plot/model.ts";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";

const table = () =>
  newTable("t", [
    columnOf("A", [0, 5, 10, 10]),
    columnOf("B", [1, 10, 100, null]),
    columnOf("C", [-4, 0, 4, 4]),
    columnOf("D", [1, 2, 3, 4]),
    columnOf("E", ["p", "q", "r", "r"]),
  ]);
const model = (set: Look = {}, of: Table = table()): PointsModel => {
  const made = pointsOf(of, wholeLook(scatterPlot3d, of, set));
  if (typeof made === "string") throw new Error(made);
  return made;
};
const places = (made: PointsModel): unknown => Array.from(made.places, (value) => Number(value.toFixed(3)));

describe("points", () => {
  test("between -1 and 1; rows without a number are left out", () => {
    const made = model();
    expect([[...made.rows], places(made)]).toEqual([
      [0, 1, 2],
      [-1, -1, -1, 0, -0.818, 0, 1, 1, 1],
    ]);
  });

  test.each<[string, Look, unknown]>([
    ["a logarithmic axis", { yAxisType: "logarithmic" }, [-1, -1, -1, 0, 0, 0, 1, 1, 1]],
    ["texts by their place", { yColumnName: "E", xColumnName: "D" }, [-1, -1, -1, -0.333, 0, 0, 0.333, 1, 1, 1, 1, 1]],
  ])("%s", (_, set, expected) => {
    expect(places(model(set))).toEqual(expected);
  });

  test("sizes, and filtered rows", () => {
    expect([...model().sizes]).toEqual([5, 5, 5]);
    expect([...model({ sizeColumnName: "D" }).sizes]).toEqual([3, 9, 15]);
    expect([...model({ sizeColumnName: "B", markerSizeScaling: "logarithmic" }).sizes]).toEqual([3, 9, 15]);
    const some = table();
    some.setFilter("x", { kind: "rows", rows: Bits.of(4, [1, 3]) });
    expect([...model({}, some).rows]).toEqual([1]);
    const all = model({ showFilteredOutPoints: true }, some);
    expect([[...all.rows], [...all.out]]).toEqual([
      [0, 1, 2],
      [1, 0, 1],
    ]);
    some.setFilter("x", { kind: "rows", rows: Bits.of(4, [3]) });
    expect(pointsOf(some, wholeLook(scatterPlot3d, some, {}))).toBe(
      "No row that is shown has a number in all three columns.",
    );
  });

  test.each<[Look]>([
    [{ xColumnName: "D" }],
    [{ yColumnName: "D" }],
    [{ zColumnName: "D" }],
    [{ xAxisType: "logarithmic", xColumnName: "D" }],
    [{ zAxisType: "logarithmic", zColumnName: "D" }],
    [{ markerType: "star" }],
    [{ markerOpacity: 20 }],
    [{ showSelectedRows: false }],
  ])("%j changes the points", (set) => {
    const { xColumnName, zColumnName } = set;
    const base = set["xAxisType"] !== undefined || set["zAxisType"] !== undefined ? { xColumnName, zColumnName } : {};
    expect(model(set)).not.toEqual(model(base));
  });

  test("of more than can be drawn, every so many", () => {
    const numbers = Array.from({ length: MOST_POINTS * 2 }, (_, at) => at);
    const large = newTable(
      "l",
      ["x", "y", "z"].map((name) => columnOf(name, numbers)),
    );
    const made = model({}, large);
    expect([made.rows.length, made.rows[1], made.cut]).toEqual([
      MOST_POINTS,
      2,
      "Shows 100,000 of 200,000 points, evenly taken.",
    ]);
  });

  test("round numbers along the axes, words for the tooltip", () => {
    const made = model({ yAxisType: "logarithmic" });
    expect(ticksOf(made.axes.x).map(({ text }) => text)).toEqual(["0", "2", "4", "6", "8", "10"]);
    expect(ticksOf(made.axes.y).filter(({ text }) => ["1", "10", "100"].includes(text))).toEqual([
      { place: -1, text: "1" },
      { place: 0, text: "10" },
      { place: 1, text: "100" },
    ]);
    const further = table().column("A");
    expect(pointWords(made, 1, further === undefined ? [] : [made.axes.x.column])).toEqual([
      ["A", "5"],
      ["B", "10"],
      ["C", "0"],
    ]);
  });
});

describe("the eye", () => {
  test("points further away are smaller, and higher when seen from above", () => {
    const eye = eyeOf({ turn: 0, tip: 0.5, zoom: 1 }, 200, 200);
    const [front, back] = [eye.project(0, 0, -1), eye.project(0, 0, 1)];
    expect([front[2] > back[2], front[1] > back[1], eye.project(0, 0, 0)]).toEqual([true, true, [100, 94, 1]]);
    expect(eye.project(1, 0, 0)[0]).toBeGreaterThan(100);
    expect(eye.project(0, 1, 0)[1]).toBeLessThan(94);
  });

  test("all points as one by one, the nearest last", () => {
    const made = model();
    const points = projectAll(made, START, 300, 200);
    const eye = eyeOf(START, 300, 200);
    for (const at of made.rows.keys()) {
      const [x, y, near] = eye.project(
        made.places[at * 3] ?? 0,
        made.places[at * 3 + 1] ?? 0,
        made.places[at * 3 + 2] ?? 0,
      );
      expect([points.x[at], points.y[at], points.near[at]].map((value) => Number(value?.toFixed(3)))).toEqual(
        [x, y, near].map((value) => Number(value.toFixed(3))),
      );
      expect(made.rows[pointAt(made, points, x, y)]).toBe(made.rows[at]);
    }
    const nearness = Array.from(points.order, (at) => points.near[at] ?? 0);
    expect(nearness).toEqual(nearness.toSorted((left, right) => left - right));
    expect(pointAt(made, points, 0, 0)).toBe(-1);
  });

  test("turns within bounds", () => {
    expect(turned(START, { tip: 9, zoom: 1_000 })).toEqual({ turn: START.turn, tip: Math.PI / 2, zoom: 12 });
    expect(turned(START, { turn: 0.5, tip: -0.42, zoom: 0.0001 })).toEqual({ turn: 1.2, tip: 0, zoom: 0.4 });
  });
});
