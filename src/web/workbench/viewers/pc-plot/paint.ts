import type { Bits } from "../../data/bits.ts";
import type { Rgb } from "../drawing/colors.ts";
import { strandsOf, type PcAxis, type PcModel } from "./model.ts";

/** Where the axes stand, pixels. */
export interface PcLayout {
  readonly top: number;
  readonly bottom: number;
  readonly xOf: (axis: number) => number;
}

/** What is drawn on, and where. */
interface PcCanvas {
  readonly context: CanvasRenderingContext2D;
  readonly model: PcModel;
  readonly layout: PcLayout;
}

export interface PcLines {
  readonly rows: Int32Array;
  readonly colors: readonly Rgb[];
  readonly places: Uint16Array | undefined;
  readonly width: number;
  /** Of one line, 0 to 1; absent: the more lines the fainter. */
  readonly opacity?: number | undefined;
}

/** So many rows have a line each; more are gathered into strands. */
const SINGLE_LINES = 4_000;
const LINES_AT_ONCE = 200;
const STRANDS_AT_ONCE = 2_000;

export function yOf(layout: PcLayout, axis: PcAxis, row: number): number {
  return layout.bottom - axis.shareOf(axis.axis.positions[row] ?? Number.NaN) * (layout.bottom - layout.top);
}

/** Draws in steps. */
export function* paintLines(canvas: PcCanvas, lines: PcLines): Generator<void, void> {
  const { context } = canvas;
  context.lineWidth = lines.width;
  context.lineJoin = "round";
  if (lines.rows.length > SINGLE_LINES) yield* paintStrands(canvas, lines);
  else yield* paintEach(canvas, lines);
  context.globalAlpha = 1;
}

function style([red, green, blue]: Rgb): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

/** Lines together must not cover everything: the more there are the fainter each is. */
function opacityOf(rows: number): number {
  return Math.min(0.75, 250 / Math.max(1, rows));
}

/** Fainter is not seen at all. */
const FAINTEST = 0.01;

function* paintEach(canvas: PcCanvas, lines: PcLines): Generator<void, void> {
  const { context } = canvas;
  const { rows, colors, places } = lines;
  context.globalAlpha = lines.opacity ?? opacityOf(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? 0;
    context.strokeStyle = style(colors[places?.[row] ?? 0] ?? [0, 0, 0]);
    strokeRow(canvas, row);
    if (at % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
  }
}

/** A row without a value on an axis has a gap there. */
function strokeRow({ context, model, layout }: PcCanvas, row: number): void {
  context.beginPath();
  let drawing = false;
  model.axes.forEach((axis, index) => {
    const y = yOf(layout, axis, row);
    if (Number.isNaN(y)) drawing = false;
    else if (drawing) context.lineTo(layout.xOf(index), y);
    else {
      context.moveTo(layout.xOf(index), y);
      drawing = true;
    }
  });
  context.stroke();
}

function* paintStrands({ context, model, layout }: PcCanvas, lines: PcLines): Generator<void, void> {
  const height = layout.bottom - layout.top;
  for (let index = 0; index + 1 < model.axes.length; index += 1) {
    const [left, right] = [model.axes[index], model.axes[index + 1]];
    if (left === undefined || right === undefined) continue;
    const strands = strandsOf(left, right, lines.rows, lines.places).toSorted(
      (first, second) => first.count - second.count,
    );
    yield;
    const one = opacityOf(lines.rows.length);
    for (let at = 0; at < strands.length; at += 1) {
      const strand = strands[at];
      if (strand === undefined) continue;
      context.globalAlpha = lines.opacity ?? Math.max(FAINTEST, 1 - (1 - one) ** strand.count);
      context.strokeStyle = style(lines.colors[strand.color] ?? [0, 0, 0]);
      context.beginPath();
      context.moveTo(layout.xOf(index), layout.bottom - strand.from * height);
      context.lineTo(layout.xOf(index + 1), layout.bottom - strand.to * height);
      context.stroke();
      if (at % STRANDS_AT_ONCE === STRANDS_AT_ONCE - 1) yield;
    }
  }
}

/** Too many to look through at each move of the mouse. */
const MOST_SEARCHED = 200_000;
const REACH = 6;

/** The row whose line is nearest to a spot; -1: none. */
export function nearestLine(
  model: PcModel,
  layout: PcLayout,
  spot: { readonly x: number; readonly y: number },
): number {
  if (model.rows.length > MOST_SEARCHED) return -1;
  const right = model.axes.findIndex((_, index) => index > 0 && layout.xOf(index) >= spot.x);
  const [one, other] = [model.axes[right - 1], model.axes[right]];
  if (one === undefined || other === undefined || spot.x < layout.xOf(0)) return -1;
  const [from, to] = [layout.xOf(right - 1), layout.xOf(right)];
  const share = (spot.x - from) / (to - from);
  let [best, least] = [-1, REACH];
  for (const row of model.rows) {
    const distance = Math.abs(yOf(layout, one, row) * (1 - share) + yOf(layout, other, row) * share - spot.y);
    if (distance <= least) [best, least] = [row, distance];
  }
  return best;
}

/** Rows within ranges of shares, by axis. */
export function rowsInRanges(
  model: PcModel,
  ranges: ReadonlyMap<string, readonly [number, number]>,
  all: Bits,
): (row: number) => boolean {
  const checks = model.axes.flatMap((axis) => {
    const range = ranges.get(axis.axis.column.name);
    return range === undefined ? [] : [{ axis, range }];
  });
  return (row) =>
    all.has(row) &&
    checks.every(({ axis, range: [low, high] }) => {
      const share = axis.shareOf(axis.axis.positions[row] ?? Number.NaN);
      return share >= low && share <= high;
    });
}
