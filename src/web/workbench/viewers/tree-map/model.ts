import { hierarchy, treemap, treemapSquarify } from "d3-hierarchy";
import { aggregate, type Aggregate } from "../../data/aggregate.ts";
import type { Column } from "../../data/column.ts";
import type { Table } from "../../data/table.ts";
import { rangeOf } from "../drawing/extent.ts";
import type { Extent } from "../drawing/scale.ts";
import { noRowsWords } from "../drawing/words.ts";
import { byValues, codesOf, labelOf, type Coded } from "../groups/codes.ts";
import { groupBy, joinedRows, rowsOf } from "../groups/groups.ts";
import { STEP_ROWS, type WorkSteps } from "../groups/steps.ts";
import { chosen, chosenList, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";

/** Rectangles without parts in one picture; more would be smaller than a pixel. */
const MOST_LEAVES = 5_000;
/** Height of the head of a group, px. */
const HEAD = 18;

/** A group of rows; its parts are those of the next column. */
export interface RowBranch {
  /** The codes from the top, joined: stays the same while the data are filtered. */
  readonly key: string;
  readonly label: string;
  /** Labels from the top to here. */
  readonly path: readonly string[];
  /** 0 for the whole table. */
  readonly depth: number;
  readonly rows: Int32Array;
  /** What its area stands for. */
  readonly size: number;
  /** Of a leaf: the aggregate of the colour column; NaN without one. */
  readonly colour: number;
  /** The group of the first column that it lies in, from 0; -1 for the whole. */
  readonly family: number;
  readonly parts: readonly RowBranch[];
}

export interface TreeMapModel {
  readonly root: RowBranch;
  /** Of the leaves' colours; absent without a colour column or without a number. */
  readonly colours: Extent | undefined;
  /** Leaves without an area: their size is missing, zero or negative. */
  readonly without: number;
  /** The aggregate of the colour column over any branch, for those who ask; NaN without one. */
  readonly colourOf: (branch: RowBranch) => number;
}

interface Measures {
  readonly size: (rows: Int32Array) => number;
  readonly colour: (rows: Int32Array) => number;
}

/** Words instead of a model where there are too many groups or none. */
export function* treeMapSteps(table: Table, look: Look): WorkSteps<TreeMapModel | string> {
  const columns = chosenList(table, look, "splitByColumnNames");
  if (columns.length === 0) return "Choose one or more columns to split by.";
  const coded = columns.map(codesOf);
  const tooFine = columns.find((_, at) => coded[at] === undefined);
  if (tooFine !== undefined) return tooMany(tooFine.name);
  const known = coded.filter((one) => one !== undefined);
  yield;
  const groups = groupBy(known, table.filtered.toArray(), MOST_LEAVES);
  if (groups === undefined) return tooMany(columns.map(({ name }) => name).join(", "));
  yield;
  if (groups.keys.length === 0) return noRowsWords(table);
  const measures = measuresOf(table, look);
  const leaves: Leaf[] = [];
  let since = 0;
  for (const [group, codes] of groups.keys.entries()) {
    const rows = rowsOf(groups, group);
    leaves.push({ codes, rows, size: measures.size(rows), colour: measures.colour(rows) });
    since += rows.length;
    if (since < STEP_ROWS) continue;
    since = 0;
    yield;
  }
  const compare = byValues(known);
  leaves.sort((left, right) => compare(left.codes, right.codes));
  const root = branchOf({ leaves, known, codes: [], family: -1 });
  const ends = endsOf(root);
  return {
    root,
    colours: rangeOf(ends.map(({ colour }) => colour)),
    without: ends.filter(({ size }) => size === 0).length,
    colourOf: (branch) => (branch.parts.length === 0 ? branch.colour : measures.colour(branch.rows)),
  };
}

export function find(root: RowBranch, key: string): RowBranch | undefined {
  if (root.key === key) return root;
  for (const part of root.parts) {
    if (key === part.key || key.startsWith(`${part.key}/`)) return find(part, key);
  }
  return undefined;
}

/** A branch with its place, px from the top left of the picture. Parents come before their parts. */
export interface PlacedBranch {
  readonly branch: RowBranch;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Space {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function place(top: RowBranch, space: Space): readonly PlacedBranch[] {
  const whole = hierarchy<RowBranch>(top, (branch) => branch.parts)
    .sum((branch) => (branch.parts.length === 0 ? branch.size : 0))
    .sort((left, right) => (right.value ?? 0) - (left.value ?? 0));
  const laid = treemap<RowBranch>()
    .tile(treemapSquarify)
    .size([Math.max(0, space.width), Math.max(0, space.height)])
    .round(true)
    .paddingInner(1)
    .paddingTop((node) => (node.depth > 0 && node.children !== undefined ? HEAD : 0))(whole);
  return laid
    .descendants()
    .filter((node) => node.depth > 0 || node.children === undefined)
    .map((node) => ({
      branch: node.data,
      x: node.x0 + space.left,
      y: node.y0 + space.top,
      width: node.x1 - node.x0,
      height: node.y1 - node.y0,
    }))
    .filter(({ width, height }) => width > 0 && height > 0);
}

/** The smallest that holds a point. */
export function placedAt(placed: readonly PlacedBranch[], x: number, y: number): PlacedBranch | undefined {
  return placed.findLast((one) => x >= one.x && x < one.x + one.width && y >= one.y && y < one.y + one.height);
}

/** The space between the margins of a look. */
export function spaceOf(look: Look, width: number, height: number): Space {
  const margin = (side: string): number => {
    return numberOf(look, `outerMargin${side}`) ?? 0;
  };
  const [left, top] = [margin("Left"), margin("Top")];
  return { left, top, width: width - left - margin("Right"), height: height - top - margin("Bottom") };
}

const LEAST_SIZE = 1e-100;
const MOST_SIZE = 1e100;

function tooMany(names: string): string {
  return `${names} makes more than ${MOST_LEAVES.toLocaleString("en-US")} groups. Choose columns with fewer values, or filter.`;
}

function measuresOf(table: Table, look: Look): Measures {
  const of = (column: Column | undefined, kind: string, absent: (rows: Int32Array) => number) =>
    column === undefined ? absent : (rows: Int32Array) => aggregate(kind as Aggregate, column, rows);
  const size = of(chosen(table, look, "sizeColumnName"), textOf(look, "sizeAggrType") ?? "sum", (rows) => rows.length);
  return {
    size: (rows) => {
      const value = size(rows);
      // Beyond these, areas are no longer numbers.
      return value > LEAST_SIZE && value < MOST_SIZE ? value : 0;
    },
    colour: of(chosen(table, look, "colorColumnName"), textOf(look, "colorAggrType") ?? "avg", () => Number.NaN),
  };
}

interface Leaf {
  readonly codes: readonly number[];
  readonly rows: Int32Array;
  readonly size: number;
  readonly colour: number;
}

function branchOf(options: {
  readonly leaves: readonly Leaf[];
  readonly known: readonly Coded[];
  readonly codes: readonly number[];
  readonly family: number;
}): RowBranch {
  const { leaves, known, codes, family } = options;
  const [only] = leaves;
  const rows = joinedRows(leaves.map((leaf) => leaf.rows));
  const path = codes.map((code, at) => {
    const column = known[at];
    return column === undefined ? "" : labelOf(column, code);
  });
  const depth = codes.length;
  const parts: RowBranch[] = [];
  if (depth < known.length)
    for (const [code, inside] of byCode(leaves, depth))
      parts.push(
        branchOf({ ...options, leaves: inside, codes: [...codes, code], family: depth === 0 ? parts.length : family }),
      );
  return {
    key: ["", ...codes].join("/"),
    label: path.at(-1) ?? "All",
    path,
    depth,
    rows,
    size: parts.length === 0 ? (only?.size ?? 0) : parts.reduce((sum, part) => sum + part.size, 0),
    colour: parts.length === 0 ? (only?.colour ?? Number.NaN) : Number.NaN,
    family,
    parts,
  };
}

function byCode(leaves: readonly Leaf[], depth: number): ReadonlyMap<number, readonly Leaf[]> {
  const found = new Map<number, Leaf[]>();
  for (const leaf of leaves) {
    const code = leaf.codes[depth] ?? -1;
    const inside = found.get(code);
    if (inside === undefined) found.set(code, [leaf]);
    else inside.push(leaf);
  }
  return found;
}

function endsOf(branch: RowBranch): readonly RowBranch[] {
  return branch.parts.length === 0 ? [branch] : branch.parts.flatMap(endsOf);
}
