import { categoryColor, type Palette } from "../drawing/colors.ts";
import { elide, textWidth } from "../drawing/words.ts";
import { onScreen, type PlacedNodes } from "./layout.ts";
import { shareOf, type NetworkEdge, type NetworkModel, type NetworkNode } from "./model.ts";

export interface NetworkDrawing extends PlacedNodes {
  readonly model: NetworkModel;
  readonly palette: Palette;
  /** Which nodes and lines have selected rows. */
  readonly selected: { readonly nodes: readonly boolean[]; readonly edges: readonly boolean[] };
}

/** Longest label, px. */
const LABEL = 120;

export function drawNetwork(context: CanvasRenderingContext2D, drawing: NetworkDrawing): void {
  const { model, selected } = drawing;
  for (const [at, edge] of model.edges.entries()) drawEdge(context, edge, selected.edges[at] ?? false, drawing);
  context.globalAlpha = 1;
  for (const [at, node] of model.nodes.entries()) drawNode(context, node, at, drawing);
  drawLabels(context, drawing);
}

function drawEdge(
  context: CanvasRenderingContext2D,
  edge: NetworkEdge,
  selected: boolean,
  drawing: NetworkDrawing,
): void {
  const { model, palette } = drawing;
  const [x1, y1] = onScreen(drawing, edge.source);
  const [x2, y2] = onScreen(drawing, edge.target);
  const ramp =
    model.edgeColours === undefined || Number.isNaN(edge.colour)
      ? palette.lineStrong
      : palette.linear(shareOf(edge.colour, model.edgeColours));
  context.strokeStyle = selected ? palette.selected : edge.out ? palette.out : ramp;
  context.fillStyle = context.strokeStyle;
  context.globalAlpha = selected ? 0.95 : edge.out ? 0.35 : 0.55;
  context.lineWidth = edge.width;
  context.beginPath();
  if (edge.source === edge.target) {
    context.arc(x1, y1 - 12, 9, 0, Math.PI * 2);
    context.stroke();
    return;
  }
  context.moveTo(x1, y1);
  context.lineTo(x2, y2);
  context.stroke();
  const angle = Math.atan2(y2 - y1, x2 - x1);
  const { to, from, middle } = model.arrows;
  const [start, end] = [(model.nodes[edge.source]?.radius ?? 0) + 1, (model.nodes[edge.target]?.radius ?? 0) + 1];
  if (to) arrow(context, x2 - Math.cos(angle) * end, y2 - Math.sin(angle) * end, angle, edge.width);
  if (from) arrow(context, x1 + Math.cos(angle) * start, y1 + Math.sin(angle) * start, angle + Math.PI, edge.width);
  if (middle) arrow(context, (x1 + x2) / 2, (y1 + y2) / 2, angle, edge.width);
}

/** With its point at a place. */
function arrow(context: CanvasRenderingContext2D, x: number, y: number, angle: number, width: number): void {
  const long = 6 + width * 1.5;
  context.beginPath();
  context.moveTo(x, y);
  for (const side of [-1, 1])
    context.lineTo(x - long * Math.cos(angle + side * 0.42), y - long * Math.sin(angle + side * 0.42));
  context.closePath();
  context.fill();
}

function nodeColor({ model, palette }: NetworkDrawing, node: NetworkNode): string {
  if (node.out) return palette.out;
  if (model.nodeColours !== undefined && !Number.isNaN(node.colour))
    return palette.linear(shareOf(node.colour, model.nodeColours));
  return categoryColor(palette, node.side === 2 ? 1 : 0);
}

function drawNode(context: CanvasRenderingContext2D, node: NetworkNode, at: number, drawing: NetworkDrawing): void {
  const { palette, selected } = drawing;
  const [x, y] = onScreen(drawing, at);
  context.beginPath();
  context.arc(x, y, node.radius, 0, Math.PI * 2);
  context.fillStyle = nodeColor(drawing, node);
  context.fill();
  const isSelected = selected.nodes[at] ?? false;
  context.lineWidth = isSelected ? 3 : 1;
  context.strokeStyle = isSelected ? palette.selected : palette.paper;
  context.stroke();
}

/** Those of large nodes first; a label that would lie over another is left out. */
function drawLabels(context: CanvasRenderingContext2D, drawing: NetworkDrawing): void {
  const { model, palette } = drawing;
  const taken: { readonly x: number; readonly y: number; readonly width: number }[] = [];
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.lineJoin = "round";
  const order = [...model.nodes.keys()].sort(
    (left, right) => (model.nodes[right]?.rows.length ?? 0) - (model.nodes[left]?.rows.length ?? 0),
  );
  for (const at of order) {
    const node = model.nodes[at];
    if (node === undefined) continue;
    const [x, y] = onScreen(drawing, at);
    const text = elide(node.label, LABEL);
    const box = { x: x + node.radius + 3, y, width: textWidth(text) + 4 };
    if (
      taken.some(
        (other) => Math.abs(other.y - box.y) < 12 && box.x < other.x + other.width && other.x < box.x + box.width,
      )
    )
      continue;
    taken.push(box);
    context.lineWidth = 3;
    context.strokeStyle = palette.paper;
    context.strokeText(text, box.x, y);
    context.fillStyle = node.out ? palette.faint : palette.ink;
    context.fillText(text, box.x, y);
  }
}
