import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import { Bits } from "../../data/bits.ts";
import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { rangeOf } from "../drawing/extent.ts";
import type { Extent } from "../drawing/scale.ts";
import { codesOf, type Coded } from "../groups/codes.ts";
import { groupBy, joinedRows, rowsOf } from "../groups/groups.ts";
import { STEP_ROWS, type WorkSteps } from "../groups/steps.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** What can be told apart and laid out while one watches. Those with the most weight are kept. */
const MOST_NODES = 1_000;
export const MOST_EDGES = 3_000;
/** Pairs that are counted at all. */
const MOST_PAIRS = 200_000;
/** Radius of a node, px. */
const SMALL = 4;
const LARGE = 16;
/** Widest line, px. */
const WIDEST = 10;

export interface NetworkNode {
  readonly key: string;
  readonly label: string;
  /** 1 or 2: the column that it comes from; 0: both. */
  readonly side: 0 | 1 | 2;
  /** Rows that name it. */
  readonly rows: Int32Array;
  /** Pixels. */
  readonly radius: number;
  /** Aggregate of the colour column of its side; NaN: none. */
  readonly colour: number;
  /** All its rows are filtered out. */
  readonly out: boolean;
  /** Its lines, those that are not shown with them. */
  readonly lines: number;
}

export interface NetworkEdge {
  /** Places in `nodes`. */
  readonly source: number;
  readonly target: number;
  readonly rows: Int32Array;
  /** Pixels. */
  readonly width: number;
  /** NaN: none. */
  readonly colour: number;
  readonly out: boolean;
}

export interface NetworkModel {
  readonly nodes: readonly NetworkNode[];
  readonly edges: readonly NetworkEdge[];
  /** Ranges of the aggregates behind the colours; absent: no colour column. */
  readonly nodeColours: Extent | undefined;
  readonly edgeColours: Extent | undefined;
  readonly arrows: { readonly to: boolean; readonly from: boolean; readonly middle: boolean };
  /** What was left out, in words. */
  readonly cut: string | undefined;
}

interface NodePair {
  readonly first: number;
  readonly second: number;
  readonly rows: Int32Array;
}

/** Words instead of a model where there is nothing to show. */
export function* networkSteps(table: Table, look: Look): WorkSteps<NetworkModel | string> {
  const columns = [chosen(table, look, "node1ColumnName"), chosen(table, look, "node2ColumnName")];
  const [one, two] = columns;
  if (one === undefined || two === undefined) return "Choose two columns: each row is a line between its two values.";
  const [first, second] = [codesOf(one), codesOf(two)];
  if (first === undefined || second === undefined)
    return `${(first === undefined ? one : two).name} has too many different values. Choose another column.`;
  const withOut = flagOf(look, "showFilteredOutNodes");
  const rows = (withOut ? Bits.all(table.rowCount) : table.filtered)
    .toArray()
    .filter((row) => (first.codes[row] ?? -1) >= 0 && (second.codes[row] ?? -1) >= 0);
  yield;
  const groups = groupBy([first, second], rows, MOST_PAIRS);
  yield;
  if (groups === undefined)
    return `${one.name} and ${two.name} make more than ${MOST_PAIRS.toLocaleString("en-US")} pairs. Filter, or choose columns with fewer values.`;
  if (groups.keys.length === 0) return "No row that is shown has both values.";
  const pairs = groups.keys.map(([left = -1, right = -1], group) => ({
    first: left,
    second: right,
    rows: rowsOf(groups, group),
  }));
  const weights = yield* weightsOf(table, look, pairs);
  const kept = keep(pairs, { first, second, merge: flagOf(look, "mergeNodes"), weights });
  const nodes = yield* nodesOf(table, look, kept);
  const edges = yield* edgesOf(table, look, kept);
  return {
    nodes,
    edges,
    nodeColours: rangeOf(nodes.map(({ colour }) => colour)),
    edgeColours: rangeOf(edges.map(({ colour }) => colour)),
    arrows: arrowsOf(textOf(look, "showArrows") ?? "none"),
    cut: kept.cut,
  };
}

interface Weights {
  readonly of: (pair: NodePair) => number;
  /** What lines are ranked by, in words. */
  readonly words: string;
}

/** A line weighs what its width says; without a column for the width, as much as it has rows. */
function* weightsOf(table: Table, look: Look, pairs: readonly NodePair[]): WorkSteps<Weights> {
  const column = chosen(table, look, "edgeWidthColumnName");
  if (column === undefined) return { of: ({ rows }) => rows.length, words: "with the most rows" };
  const weights = new Map<NodePair, number>();
  for (const [at, pair] of pairs.entries()) {
    const weight = measured(look, "edgeWidthAggrType", column, pair.rows);
    weights.set(pair, Number.isNaN(weight) ? Number.NEGATIVE_INFINITY : weight);
    if (at % 1_000 === 999) yield;
  }
  const kind = textOf(look, "edgeWidthAggrType") ?? "avg";
  return {
    of: (pair) => weights.get(pair) ?? Number.NEGATIVE_INFINITY,
    words: `with the largest ${kind}(${column.name})`,
  };
}

interface KeptNodes {
  readonly names: readonly {
    readonly key: string;
    readonly label: string;
    readonly side: 0 | 1 | 2;
    readonly lines: number;
  }[];
  readonly pairs: readonly { readonly source: number; readonly target: number; readonly rows: Int32Array }[];
  readonly cut: string | undefined;
}

interface KeepOptions {
  readonly first: Coded;
  readonly second: Coded;
  readonly merge: boolean;
  readonly weights: Weights;
}

/** Takes the heaviest pairs until there are enough lines or nodes. */
function keep(pairs: readonly NodePair[], { first, second, merge, weights }: KeepOptions): KeptNodes {
  const byWeight = pairs.toSorted((left, right) => {
    const [one, other] = [weights.of(left), weights.of(right)];
    if (one !== other) return one > other ? -1 : 1;
    return right.rows.length - left.rows.length || left.first - right.first || left.second - right.second;
  });
  const keyOf = (label: string, side: 1 | 2): string => (merge ? label : `${String(side)}:${label}`);
  const lines = new Map<string, number>();
  for (const pair of pairs) {
    const ends = new Set([keyOf(first.labels[pair.first] ?? "", 1), keyOf(second.labels[pair.second] ?? "", 2)]);
    for (const key of ends) lines.set(key, (lines.get(key) ?? 0) + 1);
  }
  const places = new Map<string, number>();
  const names: { key: string; label: string; side: 0 | 1 | 2 }[] = [];
  const kept: { source: number; target: number; rows: Int32Array }[] = [];
  const placeOf = (label: string, side: 1 | 2): number => {
    const key = keyOf(label, side);
    const known = places.get(key);
    const found = known === undefined ? undefined : names[known];
    if (known !== undefined && found !== undefined) {
      if (found.side !== side) names[known] = { ...found, side: 0 };
      return known;
    }
    if (names.length >= MOST_NODES) return -1;
    places.set(key, names.length);
    names.push({ key, label, side });
    return names.length - 1;
  };
  for (const pair of byWeight) {
    if (kept.length === MOST_EDGES) break;
    if (names.length > MOST_NODES - 2) {
      // Only lines between nodes that are there already.
      const known = (label: string, side: 1 | 2): boolean => places.has(keyOf(label, side));
      if (!known(first.labels[pair.first] ?? "", 1) || !known(second.labels[pair.second] ?? "", 2)) continue;
    }
    const source = placeOf(first.labels[pair.first] ?? "", 1);
    const target = placeOf(second.labels[pair.second] ?? "", 2);
    if (source >= 0 && target >= 0) kept.push({ source, target, rows: pair.rows });
  }
  const cut =
    kept.length === pairs.length
      ? undefined
      : `Shows the ${kept.length.toLocaleString("en-US")} of ${pairs.length.toLocaleString("en-US")} lines ${weights.words}.`;
  return {
    names: names.map(({ key, label, side }) => ({ key, label, side, lines: lines.get(key) ?? 0 })),
    pairs: kept,
    cut,
  };
}

function* nodesOf(table: Table, look: Look, { names, pairs }: KeptNodes): WorkSteps<readonly NetworkNode[]> {
  const parts: Int32Array[][] = names.map(() => []);
  for (const { source, target, rows } of pairs) {
    parts[source]?.push(rows);
    if (target !== source) parts[target]?.push(rows);
  }
  const measure = (side: 0 | 1 | 2, what: "Size" | "Color", rows: Int32Array): number => {
    const sides = side === 0 ? ["1", "2"] : [String(side)];
    for (const one of sides) {
      const column = chosen(table, look, `node${one}${what}ColumnName`);
      if (column !== undefined) return measured(look, `node${one}${what}AggrType`, column, rows);
    }
    return Number.NaN;
  };
  const made: (Omit<NetworkNode, "radius" | "out"> & { readonly size: number })[] = [];
  for (const [at, name] of names.entries()) {
    const rows = joinedRows(parts[at] ?? []);
    made.push({ ...name, rows, size: measure(name.side, "Size", rows), colour: measure(name.side, "Color", rows) });
    if (at % 50 === 49 || rows.length > STEP_ROWS / 4) yield;
  }
  const sizes = rangeOf(made.map(({ size }) => size));
  return made.map(({ key, label, side, rows, lines, colour, size }) => ({
    key,
    label,
    side,
    rows,
    lines,
    colour,
    radius: sizes === undefined ? SMALL * 1.5 : SMALL + Math.sqrt(shareOf(size, sizes)) * (LARGE - SMALL),
    out: isOut(table, rows),
  }));
}

function* edgesOf(table: Table, look: Look, { pairs }: KeptNodes): WorkSteps<readonly NetworkEdge[]> {
  const widthColumn = chosen(table, look, "edgeWidthColumnName");
  const colourColumn = chosen(table, look, "edgeColorColumnName");
  const made: { readonly width: number; readonly colour: number }[] = [];
  for (const [at, { rows }] of pairs.entries()) {
    made.push({
      width: widthColumn === undefined ? Number.NaN : measured(look, "edgeWidthAggrType", widthColumn, rows),
      colour: colourColumn === undefined ? Number.NaN : measured(look, "edgeColorAggrType", colourColumn, rows),
    });
    if (at % 100 === 99 || rows.length > STEP_ROWS / 4) yield;
  }
  const range = rangeOf(made.map(({ width }) => width));
  const base = numberOf(look, "edgeWidth") ?? 1;
  return pairs.map(({ source, target, rows }, at) => ({
    source,
    target,
    rows,
    width:
      range === undefined ? base : base + shareOf(made[at]?.width ?? Number.NaN, range) * Math.max(0, WIDEST - base),
    colour: made[at]?.colour ?? Number.NaN,
    out: isOut(table, rows),
  }));
}

function measured(look: Look, kind: string, column: Column, rows: Int32Array): number {
  return aggregate((textOf(look, kind) ?? "avg") as Aggregate, column, rows);
}

function arrowsOf(type: string): NetworkModel["arrows"] {
  const parts = type.split("_");
  return { to: parts.includes("to"), from: parts.includes("from"), middle: parts.includes("middle") };
}

function isOut(table: Table, rows: Int32Array): boolean {
  return !rows.some((row) => table.filtered.has(row));
}

/** Of where a value lies in a range; the least where it is none. */
export function shareOf(value: number, { min, max }: Extent): number {
  if (!Number.isFinite(value)) return value === Number.POSITIVE_INFINITY ? 1 : 0;
  return max === min ? 1 : (value - min) / (max - min);
}
