import { SIZES } from "./sizes.ts";

/** Where the rows are scrolled to. */
export interface ScrollPlace {
  /** Of the rows, from the first one's upper edge. */
  readonly top: number;
  /** Of the browser's bar (`scrollTop`); the same as `top` until the rows are taller than a browser can scroll. */
  readonly bar: number;
}

export interface ScrollExtent {
  /** All rows. */
  readonly content: number;
  /** The height in sight. */
  readonly view: number;
}

/** The height that the browser is told. */
export function barLength({ content }: ScrollExtent): number {
  return Math.min(content, SIZES.maxBar);
}

/** The bar was moved. Steps of up to a screen are steps of the rows, pixel by pixel; anything longer was a jump along the bar. */
export function scrolledTo(place: ScrollPlace, bar: number, extent: ScrollExtent): ScrollPlace {
  const last = lastTop(extent);
  const lastBar = Math.max(0, barLength(extent) - extent.view);
  if (extent.content <= SIZES.maxBar) return { top: clamp(bar, last), bar };
  const step = bar - place.bar;
  if (Math.abs(step) <= extent.view) return { top: clamp(place.top + step, last), bar };
  return { top: lastBar === 0 ? 0 : clamp((bar / lastBar) * last, last), bar };
}

/** Where the bar belongs for the rows in sight. Only the very first and last row have it at its ends, so that it never stops early. */
export function placeAt(top: number, extent: ScrollExtent): ScrollPlace {
  const last = lastTop(extent);
  const clamped = clamp(top, last);
  if (extent.content <= SIZES.maxBar) return { top: clamped, bar: clamped };
  const lastBar = barLength(extent) - extent.view;
  if (clamped === 0 || clamped === last) return { top: clamped, bar: clamped === 0 ? 0 : lastBar };
  return { top: clamped, bar: Math.min(lastBar - 1, Math.max(1, Math.round((clamped / last) * lastBar))) };
}

/** Whether the bar stands at an end that the rows have not reached, so that it must be set right at once. */
export function isStuck(place: ScrollPlace, extent: ScrollExtent): boolean {
  const lastBar = Math.max(0, barLength(extent) - extent.view);
  return (place.bar <= 0 && place.top > 0) || (place.bar >= lastBar && place.top < lastTop(extent));
}

/** The least scrolling that brings a whole row into sight. */
export function topShowing(position: number, top: number, extent: ScrollExtent): number {
  const upper = position * SIZES.row;
  const lower = upper + SIZES.row;
  if (upper < top) return upper;
  return lower > top + extent.view ? lower - extent.view : top;
}

function lastTop({ content, view }: ScrollExtent): number {
  return Math.max(0, content - view);
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(0, value));
}
