import {
  forceCollide,
  forceLink,
  forceManyBody,
  forceSimulation,
  forceX,
  forceY,
  type Simulation,
  type SimulationLinkDatum,
  type SimulationNodeDatum,
} from "d3-force";
import type { NetworkModel } from "./model.ts";

/** Place of a node, px around 0. */
export interface NodeSpot extends SimulationNodeDatum {
  readonly key: string;
  x: number;
  y: number;
}

/** Steps from the start to rest. */
const STEPS = 240;
/** Of one slice of work, ms: a frame has time for the rest. */
const SLICE_MS = 8;

/** Nodes that push each other away and lines that pull. The same network comes to rest in the same places: nothing is random. */
export interface ForceLayout {
  readonly spots: readonly NodeSpot[];
  /** Moves on for a slice of time. False: at rest. */
  readonly advance: (now: () => number) => boolean;
  /** A node is held at a place by hand, or let go. */
  readonly hold: (node: number, place: { readonly x: number; readonly y: number } | undefined) => void;
}

/** `known`: where nodes lay before, so that a filter does not throw all about. */
export function layOut(
  model: NetworkModel,
  known: ReadonlyMap<string, { readonly x: number; readonly y: number }>,
): ForceLayout {
  const spots = model.nodes.map((node, at) => ({ key: node.key, ...(known.get(node.key) ?? spiral(at)) }));
  const links: SimulationLinkDatum<NodeSpot>[] = model.edges
    .filter(({ source, target }) => source !== target)
    .map(({ source, target }) => ({ source, target }));
  const simulation: Simulation<NodeSpot, undefined> = forceSimulation(spots)
    .force("link", forceLink(links).distance(36).strength(strengthOf(model)))
    .force("apart", forceManyBody<NodeSpot>().strength(-70).distanceMax(400))
    .force(
      "touch",
      forceCollide<NodeSpot>((_, at) => (model.nodes[at]?.radius ?? 6) + 2),
    )
    .force("x", forceX(0).strength(0.05))
    .force("y", forceY(0).strength(0.05))
    .alphaDecay(1 - 0.001 ** (1 / STEPS))
    .stop();
  let left = STEPS;
  return {
    spots,
    advance: (now) => {
      const end = now() + SLICE_MS;
      while (left > 0 && now() < end) {
        simulation.tick();
        left -= 1;
      }
      return left > 0;
    },
    hold: (node, place) => {
      const spot = spots[node];
      if (spot === undefined) return;
      Object.assign(spot, { fx: place?.x ?? null, fy: place?.y ?? null }, place);
      simulation.alpha(Math.max(simulation.alpha(), 0.3));
      left = Math.max(left, STEPS / 4);
    },
  };
}

/** The more lines a node has, the softer each of them pulls. */
function strengthOf(model: NetworkModel): (link: SimulationLinkDatum<NodeSpot>, at: number) => number {
  const lines = new Int32Array(model.nodes.length);
  const real = model.edges.filter(({ source, target }) => source !== target);
  for (const { source, target } of real) for (const end of [source, target]) lines[end] = (lines[end] ?? 0) + 1;
  return (_, at) => {
    const edge = real[at];
    return edge === undefined ? 0 : 1 / Math.min(lines[edge.source] ?? 1, lines[edge.target] ?? 1);
  };
}

/** Where a node begins: evenly around the middle, by its place in the list. */
function spiral(at: number): { x: number; y: number } {
  const out = 12 * Math.sqrt(at + 0.5);
  const around = at * Math.PI * (3 - Math.sqrt(5));
  return { x: out * Math.cos(around), y: out * Math.sin(around) };
}

/** Of a picture in which all nodes are to be seen. */
export interface PictureFrame {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** Around the nodes, and for the labels at the right, px. */
const PADDING = 22;
const LABELS = 44;
/** Few nodes are not drawn farther apart than this. */
const MOST_APART = 4;

export function frameFor(spots: readonly NodeSpot[], width: number, height: number): PictureFrame {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
  for (const { x, y } of spots) {
    left = Math.min(left, x);
    right = Math.max(right, x);
    top = Math.min(top, y);
    bottom = Math.max(bottom, y);
  }
  if (left > right) return { scale: 1, x: width / 2, y: height / 2 };
  const scale = Math.min(
    MOST_APART,
    Math.max(40, width - 2 * PADDING - LABELS) / Math.max(1, right - left),
    Math.max(40, height - 2 * PADDING) / Math.max(1, bottom - top),
  );
  return {
    scale,
    x: (width - LABELS) / 2 - ((left + right) / 2) * scale,
    y: height / 2 - ((top + bottom) / 2) * scale,
  };
}

/** Nodes, and how the picture shows them. */
export interface PlacedNodes {
  readonly spots: readonly NodeSpot[];
  readonly frame: PictureFrame;
}

/** Where a node lies in the picture, px. */
export function onScreen({ spots, frame }: PlacedNodes, at: number): readonly [number, number] {
  const spot = spots[at];
  return [(spot?.x ?? 0) * frame.scale + frame.x, (spot?.y ?? 0) * frame.scale + frame.y];
}

/** The nearest node under a point of the picture, else the nearest line. */
export function hit(
  model: NetworkModel,
  { x, y, ...placed }: PlacedNodes & { readonly x: number; readonly y: number },
): { readonly kind: "node" | "edge"; readonly at: number } | undefined {
  let best = { at: -1, far: Infinity };
  for (const [at, node] of model.nodes.entries()) {
    const [nodeX, nodeY] = onScreen(placed, at);
    const far = Math.hypot(nodeX - x, nodeY - y) - Math.max(node.radius, 5);
    if (far < best.far) best = { at, far };
  }
  if (best.far <= 3) return { kind: "node", at: best.at };
  let line = { at: -1, far: Infinity };
  for (const [at, edge] of model.edges.entries()) {
    const far = fromLine(x, y, onScreen(placed, edge.source), onScreen(placed, edge.target)) - edge.width / 2;
    if (far < line.far) line = { at, far };
  }
  return line.far <= 4 ? { kind: "edge", at: line.at } : undefined;
}

function fromLine(
  x: number,
  y: number,
  [x1, y1]: readonly [number, number],
  [x2, y2]: readonly [number, number],
): number {
  const [dx, dy] = [x2 - x1, y2 - y1];
  const long = dx * dx + dy * dy;
  const share = long === 0 ? 0 : Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / long));
  return Math.hypot(x - x1 - share * dx, y - y1 - share * dy);
}
