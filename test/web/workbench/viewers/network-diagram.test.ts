import { describe, expect, test } from "vitest";
import { Bits } from "../../../../src/web/workbench/data/bits.ts";
import { columnOf, newTable } from "../../../../src/web/workbench/data/make.ts";
import { flights } from "../../../../src/web/workbench/samples/flights.ts";
import { networkDiagram } from "../../../../src/web/workbench/viewers/network-diagram/definition.ts";
import { frameFor, hit, layOut } from "../../../../src/web/workbench/viewers/network-diagram/layout.ts";
import {
  MOST_EDGES,
  networkSteps,
  type NetworkModel,
} from "../../../../src/web/workbench/viewers/network-diagram/model.ts";
import { wholeLook } from "../../../../src/web/workbench/viewers/registry.ts";
import type { Table } from "../../../../src/web/workbench/data/table.ts";
import type { Look } from "../../../../src/web/workbench/viewers/viewer.ts";
import { finish } from "../../../../src/web/workbench/viewers/groups/steps.ts";

const table = () =>
  newTable("roads", [
    columnOf("From", ["A", "A", "B", "C", null, "A"]),
    columnOf("To", ["B", "B", "C", "C", "A", "C"]),
    columnOf("Load", [1, 3, 5, 9, 7, 2]),
  ]);
const model = (set: Look = {}, of: Table = table()): NetworkModel => {
  const made = finish(networkSteps(of, wholeLook(networkDiagram, of, set)));
  if (typeof made === "string") throw new Error(made);
  return made;
};
const brief = ({ nodes, edges }: NetworkModel): unknown => ({
  nodes: nodes.map(({ label, side, rows }) => [label, side, [...rows].sort((left, right) => left - right)]),
  edges: edges.map(({ source, target, rows }) => [nodes[source]?.label, nodes[target]?.label, [...rows]]),
});

describe("nodes and lines", () => {
  test("values of both columns are one node; rows without one of both are no line", () => {
    expect(brief(model())).toEqual({
      nodes: [
        ["A", 1, [0, 1, 5]],
        ["B", 0, [0, 1, 2]],
        ["C", 0, [2, 3, 5]],
      ],
      edges: [
        ["A", "B", [0, 1]],
        ["A", "C", [5]],
        ["B", "C", [2]],
        ["C", "C", [3]],
      ],
    });
  });

  test("or two", () => {
    expect(model({ mergeNodes: false }).nodes.map(({ key, side }) => [key, side])).toEqual([
      ["1:A", 1],
      ["2:B", 2],
      ["2:C", 2],
      ["1:B", 1],
      ["1:C", 1],
    ]);
  });

  test("filtered rows are left out, or faint", () => {
    const some = table();
    some.setFilter("x", { kind: "rows", rows: Bits.of(6, [0, 1]) });
    expect(brief(model({}, some))).toEqual({
      nodes: [
        ["A", 1, [0, 1]],
        ["B", 2, [0, 1]],
      ],
      edges: [["A", "B", [0, 1]]],
    });
    const all = model({ showFilteredOutNodes: true }, some);
    expect([all.nodes.map(({ label, out }) => [label, out]), all.edges.map(({ out }) => out)]).toEqual([
      [
        ["A", false],
        ["B", false],
        ["C", true],
      ],
      [false, true, true, true],
    ]);
    some.setFilter("x", { kind: "rows", rows: Bits.of(6, [4]) });
    expect(finish(networkSteps(some, wholeLook(networkDiagram, some, {})))).toBe(
      "No row that is shown has both values.",
    );
  });

  test("widths, sizes and colours follow the aggregates", () => {
    const made = model({
      edgeWidthColumnName: "Load",
      edgeWidthAggrType: "sum",
      edgeWidth: 1,
      edgeColorColumnName: "Load",
      edgeColorAggrType: "max",
    });
    // Sums 9, 5, 4, 2, the heaviest first: from 1 to 10 pixels.
    expect(made.edges.map(({ width }) => Number(width.toFixed(3)))).toEqual([10, 4.857, 3.571, 1]);
    expect([made.edges.map(({ colour }) => colour), made.edgeColours]).toEqual([[9, 5, 3, 2], { min: 2, max: 9 }]);
    const nodes = model({
      node1SizeColumnName: "Load",
      node1SizeAggrType: "max",
      node1ColorColumnName: "Load",
      node1ColorAggrType: "min",
    }).nodes;
    expect(nodes.map(({ radius, colour }) => [Number(radius.toFixed(3)), colour])).toEqual([
      [4, 1],
      [4 + Number((Math.sqrt(2 / 6) * 12).toFixed(3)), 1],
      [16, 2],
    ]);
  });

  test.each<[Look]>([
    [{ node1ColumnName: "Load" }],
    [{ node2ColumnName: "From" }],
    [{ edgeWidth: 4 }],
    [{ showArrows: "to_middle_from" }],
    [{ node2SizeColumnName: "Load", mergeNodes: false }],
    [{ node2ColorColumnName: "Load", mergeNodes: false }],
    [{ edgeColorColumnName: "Load" }],
  ])("%j changes the network", (set) => {
    const { mergeNodes } = { mergeNodes: true, ...set };
    expect(model(set)).not.toEqual(model({ mergeNodes }));
  });

  test.each([
    ["edgeWidth", {}],
    ["edgeColor", {}],
    ["node1Size", {}],
    ["node1Color", {}],
    ["node2Size", { mergeNodes: false }],
    ["node2Color", { mergeNodes: false }],
  ])("%sAggrType changes the network", (name, set) => {
    const base = { ...set, [`${name}ColumnName`]: "Load" };
    expect(model({ ...base, [`${name}AggrType`]: "sum" })).not.toEqual(
      model({ ...base, [`${name}AggrType`]: "nulls" }),
    );
  });

  test("where arrows are", () => {
    expect(model({ showArrows: "to_from" }).arrows).toEqual({ to: true, from: true, middle: false });
  });

  test("of too many lines those with the most rows", () => {
    const pairs = Array.from({ length: 4_000 }, (_, at) => at);
    const large = newTable("large", [
      columnOf("From", [...pairs.map((at) => `n${String(at % 90)}`), "n1"]),
      columnOf("To", [...pairs.map((at) => `m${String(Math.floor(at / 90))}`), "m0"]),
    ]);
    const made = model({ mergeNodes: false }, large);
    expect([made.edges.length, made.edges[0]?.rows.length, made.cut]).toEqual([
      MOST_EDGES,
      2,
      "Shows the 3,000 of 4,000 lines with the most rows.",
    ]);
  });
});

describe("places", () => {
  const network = model({}, flights());
  const rest = () => {
    const layout = layOut(network, new Map());
    // Each look at the clock is a millisecond: slices are the same on every machine.
    const clock = { now: 0 };
    let slices = 0;
    while (layout.advance(() => (clock.now += 1))) slices += 1;
    return { layout, slices };
  };

  test("come to rest in the same places, in slices", () => {
    const [one, other] = [rest(), rest()];
    expect(one.slices).toBeGreaterThan(20);
    expect(one.layout.spots.map(({ x, y }) => [x, y])).toEqual(other.layout.spots.map(({ x, y }) => [x, y]));
    for (const [at, spot] of one.layout.spots.entries())
      for (const other of one.layout.spots.slice(at + 1))
        expect(Math.hypot(spot.x - other.x, spot.y - other.y)).toBeGreaterThan(10);
  });

  test("nodes that were there stay near; one that is held stays", () => {
    const { layout } = rest();
    const known = new Map(layout.spots.map(({ key, x, y }) => [key, { x, y }]));
    const again = layOut(network, known);
    expect(again.spots.map(({ key, x, y }) => [key, { x, y }])).toEqual([...known]);
    again.hold(0, { x: 500, y: -300 });
    again.advance(() => 0);
    expect([again.spots[0]?.x, again.spots[0]?.y]).toEqual([500, -300]);
  });

  test("all are in the frame, and are found by the mouse", () => {
    const { layout } = rest();
    const frame = frameFor(layout.spots, 400, 300);
    for (const [at, { x, y }] of layout.spots.entries()) {
      const [px, py] = [x * frame.scale + frame.x, y * frame.scale + frame.y];
      expect(px >= 0 && px <= 400 && py >= 0 && py <= 300).toBe(true);
      expect(hit(network, { spots: layout.spots, frame, x: px, y: py })).toEqual({ kind: "node", at });
    }
    expect(hit(network, { spots: layout.spots, frame, x: -500, y: -500 })).toBeUndefined();
  });
});
