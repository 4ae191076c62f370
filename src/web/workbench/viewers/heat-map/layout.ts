import type { Bits } from "../../data/bits.ts";
import { rgbOf, type Palette, type Rgb } from "../drawing/colors.ts";
import type { Area } from "../drawing/figure.tsx";
import { textWidth } from "../drawing/words.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { heatColors, shareOfRows, type HeatModel } from "./model.ts";

/** Where rows and columns lie, pixels. */
export interface HeatLayout {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  readonly columnWidth: number;
  readonly rowHeight: number;
  /** Names of columns stand upright. */
  readonly upright: boolean;
  readonly topOf: (place: number) => number;
  readonly placeAt: (y: number) => number;
  readonly columnAt: (x: number) => number;
  /** How far it is scrolled after so many pixels more. */
  readonly scrolled: (pixels: number) => number;
}

export function heatLayout(model: HeatModel, look: Look, area: Area, scroll: number): HeatLayout {
  const left = flagOf(look, "showRowHeader")
    ? textWidth(Math.max(...tail(model.rows), 1).toLocaleString("en"), 10) + 10
    : 4;
  const right = Math.max(left + 10, area.width - 6);
  const columnWidth = (right - left) / model.columns.length;
  const longest = Math.max(...model.columns.map(({ column }) => textWidth(column.name, 12)), 10);
  const orientation = textOf(look, "colLabelsOrientation") ?? "Auto";
  const upright = orientation === "Vert" || (orientation === "Auto" && longest > columnWidth - 6);
  const needed = upright ? Math.min(150, area.height * 0.4, longest + 16) : 22;
  const top = flagOf(look, "showColumnLabels") ? (numberOf(look, "colHeaderHeight") ?? needed) : 4;
  const bottom = Math.max(top + 4, area.height - 4);
  const rowHeight = numberOf(look, "rowHeight") ?? (bottom - top) / Math.max(1, model.rows.length);
  const most = Math.max(0, rowHeight * model.rows.length - (bottom - top));
  const shift = Math.min(scroll, most);
  return {
    left,
    right,
    top,
    bottom,
    columnWidth,
    rowHeight,
    upright,
    topOf: (place) => top + place * rowHeight - shift,
    placeAt: (y) => Math.floor((y - top + shift) / rowHeight),
    columnAt: (x) => (x < left || x > right ? -1 : Math.floor((x - left) / columnWidth)),
    scrolled: (pixels) => Math.max(0, Math.min(most, shift + pixels)),
  };
}

/** The last rows are enough to know how broad their numbers are. */
function tail(rows: Int32Array): Int32Array {
  return rows.subarray(Math.max(0, rows.length - 50));
}

/** The row at a height; -1: none. */
export function rowAt(model: HeatModel, layout: HeatLayout, y: number): number {
  return y < layout.top || y > layout.bottom ? -1 : (model.rows[layout.placeAt(y)] ?? -1);
}

interface HeatMapPaintOptions {
  readonly model: HeatModel;
  readonly layout: HeatLayout;
  readonly palette: Palette;
  readonly look: Look;
  readonly ratio: number;
  readonly selected: Bits;
}

const LINES_AT_ONCE = 8;

/** Line by line of the screen: as many lines as there are pixels, however many rows. */
export function* paintHeat(context: CanvasRenderingContext2D, options: HeatMapPaintOptions): Generator<void, void> {
  const { model, layout, palette, look, ratio, selected } = options;
  const mean = flagOf(look, "drawEveryRow");
  const colors = model.columns.map((column) => heatColors(column, palette));
  const chosen = rgbOf(palette.selected);
  const [width, height] = [
    Math.round((layout.right - layout.left) * ratio),
    Math.round((layout.bottom - layout.top) * ratio),
  ];
  const pixels = new Uint8ClampedArray(width * height * 4);
  const show = (): void => {
    context.putImageData(
      new ImageData(pixels, width, height),
      Math.round(layout.left * ratio),
      Math.round(layout.top * ratio),
    );
    gridLines(context, options);
  };
  for (let line = 0; line < height; line += 1) {
    const from = layout.placeAt(layout.top + line / ratio);
    const to = Math.max(from + 1, layout.placeAt(layout.top + (line + 1) / ratio));
    if (from >= model.rows.length) break;
    const share = selectedShare(model.rows, from, mean ? to : from + 1, selected);
    model.columns.forEach((column, index) => {
      const own = colors[index]?.(shareOfRows(column, model.rows, from, to, mean)) ?? [0, 0, 0];
      const [red, green, blue] = mixed(own, chosen, share * 0.75);
      const end = Math.round((index + 1) * layout.columnWidth * ratio);
      for (let x = Math.round(index * layout.columnWidth * ratio); x < end; x += 1) {
        const at = (line * width + x) * 4;
        pixels[at] = red;
        pixels[at + 1] = green;
        pixels[at + 2] = blue;
        pixels[at + 3] = 255;
      }
    });
    if (line % LINES_AT_ONCE === LINES_AT_ONCE - 1) yield;
  }
  show();
}

/** How many of the rows of a line are selected, 0 to 1. */
function selectedShare(rows: Int32Array, from: number, to: number, selected: Bits): number {
  let count = 0;
  for (let at = from; at < to; at += 1) if (selected.has(rows[at] ?? -1)) count += 1;
  return count / (to - from);
}

function mixed(own: Rgb, over: Rgb, share: number): Rgb {
  const part = (index: 0 | 1 | 2): number => own[index] * (1 - share) + over[index] * share;
  return [part(0), part(1), part(2)];
}

const LEAST_ROW = 4;

function gridLines(context: CanvasRenderingContext2D, { model, layout, palette, look }: HeatMapPaintOptions): void {
  context.strokeStyle = palette.paper;
  context.lineWidth = 1;
  context.beginPath();
  if (flagOf(look, "showColumnGridlines") && layout.columnWidth > LEAST_ROW)
    for (let index = 1; index < model.columns.length; index += 1) {
      const x = Math.round(layout.left + index * layout.columnWidth) + 0.5;
      context.moveTo(x, layout.top);
      context.lineTo(x, layout.bottom);
    }
  if (flagOf(look, "showRowGridlines") && layout.rowHeight >= LEAST_ROW)
    for (let place = Math.max(0, layout.placeAt(layout.top)); layout.topOf(place) < layout.bottom; place += 1) {
      const y = Math.round(layout.topOf(place)) + 0.5;
      context.moveTo(layout.left, y);
      context.lineTo(layout.right, y);
    }
  context.stroke();
}
