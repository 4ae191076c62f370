import { WORKBENCH_LIMITS } from "../limits.ts";
import type { Dock } from "./workbench.ts";

/** The id of the table's grid among the viewers' ids. */
export const GRID = "grid";

export type Side = "left" | "right" | "top" | "bottom";
/** `centre`: in the same stack. */
export type DockPlace = Side | "centre";

/** The path through the parts, outermost first. */
export type DockPath = readonly number[];

type Split = Extract<Dock, { kind: "split" }>;
type Stack = Extract<Dock, { kind: "stack" }>;

const HALF = 0.5;

export function stackOf(...viewers: readonly [string, ...string[]]): Stack {
  return { kind: "stack", viewers, shown: viewers[0] };
}

/** Everything in it, in reading order. */
export function dockIds(dock: Dock): readonly string[] {
  return dock.kind === "stack" ? dock.viewers : dock.parts.flatMap(dockIds);
}

export function depthOf(dock: Dock): number {
  return dock.kind === "stack" ? 1 : 1 + Math.max(0, ...dock.parts.map(depthOf));
}

/** The stack that holds an id. */
function stackWith(dock: Dock, id: string): Stack | undefined {
  if (dock.kind === "stack") return dock.viewers.includes(id) ? dock : undefined;
  for (const part of dock.parts) {
    const found = stackWith(part, id);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * The same arrangement in its one form: no empty stacks, no split of one part, no split in a split of its own direction, shares that
 * are together 1 and none too small to be seen. If nothing is left, it is a stack with the grid.
 */
export function normalise(dock: Dock): Dock {
  return tidy(dock) ?? stackOf(GRID);
}

function tidy(dock: Dock): Dock | undefined {
  if (dock.kind === "stack") {
    const [first] = dock.viewers;
    if (first === undefined) return undefined;
    return dock.viewers.includes(dock.shown) ? dock : { ...dock, shown: first };
  }
  const parts: { readonly dock: Dock; readonly share: number }[] = [];
  for (const [index, part] of dock.parts.entries()) {
    const neat = tidy(part);
    const share = positive(dock.shares[index]);
    if (neat === undefined) continue;
    if (neat.kind === "split" && neat.direction === dock.direction)
      parts.push(...neat.parts.map((inner, at) => ({ dock: inner, share: share * (neat.shares[at] ?? 0) })));
    else parts.push({ dock: neat, share });
  }
  const [only] = parts;
  if (parts.length <= 1) return only?.dock;
  return {
    kind: "split",
    direction: dock.direction,
    shares: wholeShares(parts.map(({ share }) => share)),
    parts: parts.map((part) => part.dock),
  };
}

const positive = (share: number | undefined): number =>
  share !== undefined && Number.isFinite(share) && share > 0 ? share : WORKBENCH_LIMITS.dockShareMin;

/** Their sum is 1, and none is below the minimum if there is room for that. */
function wholeShares(shares: readonly number[]): readonly number[] {
  const least = Math.min(WORKBENCH_LIMITS.dockShareMin, 1 / shares.length);
  const total = shares.reduce((sum, share) => sum + share, 0);
  const raised = shares.map((share) => Math.max(least, share / total));
  const over = raised.reduce((sum, share) => sum + share, 0) - 1;
  if (Math.abs(over) < 1e-12) return raised;
  // What was added is taken from the shares above the minimum.
  const spare = raised.reduce((sum, share) => sum + share - least, 0);
  return spare <= 0
    ? raised.map(() => 1 / shares.length)
    : raised.map((share) => share - (over * (share - least)) / spare);
}

/** Puts something new beside something that is there, which gives a share of its space. If the dock is too deep for another split, it goes on the same stack. */
export function addBeside(
  dock: Dock,
  at: { readonly id: string; readonly target: string; readonly side: Side; readonly share?: number },
): Dock {
  const added = normalise(splitAt(dock, at.target, beside(at.id, at.side, at.share ?? HALF)));
  return depthOf(added) > WORKBENCH_LIMITS.dockDepth ? stackOn(dock, at) : added;
}

/** At an edge of the whole. */
export function addAtEdge(dock: Dock, at: { readonly id: string; readonly side: Side; readonly share?: number }): Dock {
  const added = normalise(beside(at.id, at.side, at.share ?? HALF)(dock));
  const [first] = dockIds(dock);
  return depthOf(added) > WORKBENCH_LIMITS.dockDepth && first !== undefined
    ? stackOn(dock, { id: at.id, target: first })
    : added;
}

function beside(id: string, side: Side, share: number): (dock: Dock) => Split {
  const isFirst = side === "left" || side === "top";
  return (dock) => ({
    kind: "split",
    direction: side === "left" || side === "right" ? "row" : "column",
    shares: isFirst ? [share, 1 - share] : [1 - share, share],
    parts: isFirst ? [stackOf(id), dock] : [dock, stackOf(id)],
  });
}

/** Puts something new on the stack of something that is there, and shows it. */
export function stackOn(dock: Dock, at: { readonly id: string; readonly target: string }): Dock {
  return splitAt(dock, at.target, (stack) => ({
    ...stack,
    viewers: [...stack.viewers.filter((id) => id !== at.id), at.id],
    shown: at.id,
  }));
}

function splitAt(dock: Dock, target: string, change: (stack: Stack) => Dock): Dock {
  if (dock.kind === "stack") return dock.viewers.includes(target) ? change(dock) : dock;
  return { ...dock, parts: dock.parts.map((part) => splitAt(part, target, change)) };
}

export function removeFrom(dock: Dock, id: string): Dock {
  return normalise(without(dock, id));
}

function without(dock: Dock, id: string): Dock {
  if (dock.kind === "split") return { ...dock, parts: dock.parts.map((part) => without(part, id)) };
  const place = dock.viewers.indexOf(id);
  if (place < 0) return dock;
  const viewers = dock.viewers.toSpliced(place, 1);
  const shown = dock.shown === id ? (viewers[Math.min(place, viewers.length - 1)] ?? "") : dock.shown;
  return { ...dock, viewers, shown };
}

/** Moves it to another place. Onto itself, nothing changes unless it leaves its stack. */
export function moveTo(
  dock: Dock,
  at: { readonly id: string; readonly target: string; readonly place: DockPlace },
): Dock {
  const { id, target, place } = at;
  const home = stackWith(dock, id);
  if (home === undefined) return dock;
  if (target === id) {
    const neighbour = home.viewers.find((other) => other !== id);
    if (neighbour === undefined || place === "centre") return dock;
    return moveTo(dock, { id, target: neighbour, place });
  }
  if (stackWith(dock, target) === undefined) return dock;
  const rest = removeFrom(dock, id);
  return place === "centre" ? stackOn(rest, { id, target }) : addBeside(rest, { id, target, side: place });
}

export function moveToEdge(dock: Dock, at: { readonly id: string; readonly side: Side }): Dock {
  if (stackWith(dock, at.id) === undefined || dockIds(dock).length < 2) return dock;
  return addAtEdge(removeFrom(dock, at.id), { ...at, share: 1 / 3 });
}

/** Brings one of a stack to the front. */
export function showIn(dock: Dock, id: string): Dock {
  return splitAt(dock, id, (stack) => (stack.shown === id ? stack : { ...stack, shown: id }));
}

/** Moves the border behind a part of a split: one part grows by what the other loses, and neither becomes too small. */
export function resize(
  dock: Dock,
  at: { readonly path: DockPath; readonly index: number; readonly share: number },
): Dock {
  const [step, ...rest] = at.path;
  if (dock.kind === "stack") return dock;
  if (step !== undefined)
    return {
      ...dock,
      parts: dock.parts.map((part, index) => (index === step ? resize(part, { ...at, path: rest }) : part)),
    };
  const before = dock.shares[at.index];
  const after = dock.shares[at.index + 1];
  if (before === undefined || after === undefined || !Number.isFinite(at.share)) return dock;
  const least = Math.min(WORKBENCH_LIMITS.dockShareMin, before, after);
  const share = Math.min(before + after - least, Math.max(least, at.share));
  return { ...dock, shares: dock.shares.with(at.index, share).with(at.index + 1, before + after - share) };
}

/** Everything side by side in rows and columns, as square as possible. */
export function tile(ids: readonly string[]): Dock {
  const columns = Math.ceil(Math.sqrt(ids.length));
  const rows: Dock[] = [];
  for (let at = 0; at < ids.length; at += columns)
    rows.push(
      evenly(
        ids.slice(at, at + columns).map((id) => stackOf(id)),
        "row",
      ),
    );
  return normalise(evenly(rows, "column"));
}

function evenly(parts: readonly Dock[], direction: Split["direction"]): Split {
  return { kind: "split", direction, parts, shares: parts.map(() => 1 / parts.length) };
}

/** Throws if a dock does not hold exactly these, each once, or is too deep. */
export function checkDock(dock: Dock, ids: readonly string[]): void {
  const held = dockIds(dock);
  if (depthOf(dock) > WORKBENCH_LIMITS.dockDepth)
    throw new Error(`this arrangement is more than ${WORKBENCH_LIMITS.dockDepth} levels deep`);
  const wanted = new Set(ids);
  if (held.length !== wanted.size || new Set(held).size !== held.length || held.some((id) => !wanted.has(id)))
    throw new Error("this arrangement does not hold each open viewer exactly once");
}
