import { scaleLinear, scaleLog, scaleUtc } from "d3-scale";
import { format } from "d3-format";
import { utcFormat } from "d3-time-format";
import type { Column } from "../../data/column.ts";
import type { Bits } from "../../data/bits.ts";
import { textWidth } from "./words.ts";

export interface Tick {
  readonly value: number;
  readonly text: string;
}

/** Values onto pixels. Of categories the value is their number, and lands in the middle of their band. */
export interface Scale {
  readonly kind: "linear" | "logarithmic" | "time" | "category";
  readonly domain: readonly [low: number, high: number];
  readonly range: readonly [from: number, to: number];
  /** Pixels of one category; 0 where there are none. */
  readonly band: number;
  readonly of: (value: number) => number;
  readonly at: (pixel: number) => number;
  readonly ticks: readonly Tick[];
}

export interface Extent {
  readonly min: number;
  readonly max: number;
}

/** Room that one tick wants along an axis, pixels. */
const TICK_ROOM = { horizontal: 74, vertical: 38 } as const;

export interface ScaleOptions {
  readonly extent: Extent;
  readonly range: readonly [from: number, to: number];
  readonly type?: string | undefined;
  readonly time?: boolean | undefined;
  readonly inverted?: boolean | undefined;
  /** Round numbers at the ends. */
  readonly nice?: boolean | undefined;
  /** Counts: no ticks between whole numbers. */
  readonly whole?: boolean | undefined;
}

/** Nothing to show: the axis has no numbers, because they would be invented. */
function isEmpty({ min, max }: Extent): boolean {
  return !Number.isFinite(min) || !Number.isFinite(max);
}

/** Pixels of a tick's label: of its height, and between two labels beside each other. */
const LABEL = { size: 11, height: 13, gap: 6 } as const;

/** Without those whose labels would lie over the one before. */
function thinned(
  ticks: readonly Tick[],
  { of, horizontal }: { readonly of: (value: number) => number; readonly horizontal: boolean },
): readonly Tick[] {
  const kept: Tick[] = [];
  let end = Number.NEGATIVE_INFINITY;
  const spots = ticks.map((tick) => ({ tick, at: of(tick.value) })).sort((left, right) => left.at - right.at);
  for (const { tick, at } of spots) {
    const half = horizontal ? textWidth(tick.text, LABEL.size) / 2 : LABEL.height / 2;
    if (at - half < end) continue;
    kept.push(tick);
    end = at + half + (horizontal ? LABEL.gap : 0);
  }
  return kept.sort((left, right) => left.value - right.value);
}

/** A place for every number, at the ends for those beyond them: what is too small for a logarithmic axis lies at its low end. */
export function clampedTo(scale: Scale): (value: number) => number {
  const [from, to] = [scale.of(scale.domain[0]), scale.of(scale.domain[1])];
  const [low, high] = [Math.min(from, to), Math.max(from, to)];
  return (value) => {
    if (value === Number.POSITIVE_INFINITY) return to;
    const at = scale.of(value);
    return Number.isNaN(at) ? from : Math.max(low, Math.min(high, at));
  };
}

/** Of numbers and of times. A logarithmic one starts above zero. */
export function valueScale(options: ScaleOptions): Scale {
  const { range, inverted = false } = options;
  const logarithmic = options.type === "logarithmic" && options.time !== true && options.extent.max > 0;
  const [low, high] = widened(options.extent, logarithmic);
  const ends: [number, number] = inverted ? [range[1], range[0]] : [range[0], range[1]];
  const long = Math.abs(range[1] - range[0]);
  const horizontal = range[0] <= range[1];
  const count = Math.max(2, Math.round(long / (horizontal ? TICK_ROOM.horizontal : TICK_ROOM.vertical)));
  const made =
    options.time === true
      ? scaleUtc([low, high], ends)
      : (logarithmic ? scaleLog() : scaleLinear()).domain([low, high]).range(ends);
  if (options.nice === true) made.nice(count);
  const [from = low, to = high] = made.domain().map(Number);
  return {
    kind: kindOf(options.time === true, logarithmic),
    domain: [from, to],
    range,
    band: 0,
    of: (value) => (!Number.isFinite(value) || (logarithmic && value <= 0) ? Number.NaN : made(value)),
    at: (pixel) => Number(made.invert(pixel)),
    ticks: isEmpty(options.extent)
      ? []
      : thinned(ticksOf(made, { count, logarithmic, whole: options.whole === true }), { of: made, horizontal }),
  };
}

function kindOf(time: boolean, logarithmic: boolean): Scale["kind"] {
  if (time) return "time";
  return logarithmic ? "logarithmic" : "linear";
}

/** Closer ends than these are one value: ticks between them would be of no double. */
const CLOSEST = { absolute: 1e-290, relative: 1e-13 } as const;

/** Whether there is room between two numbers. */
export function isSpan(low: number, high: number): boolean {
  const room = high - low;
  return room > CLOSEST.absolute && room > Math.max(Math.abs(low), Math.abs(high)) * CLOSEST.relative;
}

/** The share of the way from one number to another, 0 to 1; 0.5 where there is no way between them. */
export function shareBetween(value: number, { min, max }: Extent): number {
  // In halves: the whole difference may be more than a double holds.
  if (!isSpan(min / 2, max / 2)) return 0.5;
  return Math.max(0, Math.min(1, (value / 2 - min / 2) / (max / 2 - min / 2)));
}

/** The difference of numbers beyond this is more than a double holds. */
const WIDEST = Number.MAX_VALUE / 4;

/** A number whose difference to any other such is a number. */
export function withinDoubles(value: number): number {
  return Math.max(-WIDEST, Math.min(WIDEST, value));
}

/** A single value gets room on both sides. */
function widened(extent: Extent, logarithmic: boolean): [number, number] {
  const [min, max] = [withinDoubles(extent.min), withinDoubles(extent.max)];
  const low = logarithmic && min <= 0 ? max / 1e4 : min;
  if (isSpan(low, max)) return [low, max];
  if (isEmpty(extent)) return logarithmic ? [1, 10] : [0, 1];
  if (logarithmic) return low < CLOSEST.absolute ? [1, 10] : [low / 2, low * 2];
  const pad = Math.abs(low) < CLOSEST.absolute ? 1 : Math.abs(low) * 0.05;
  return [low - pad, low + pad];
}

type DrawnScale = ReturnType<typeof scaleUtc<number, number>> | ReturnType<typeof scaleLinear<number, number>>;

interface TickOptions {
  readonly count: number;
  readonly logarithmic: boolean;
  readonly whole: boolean;
}

function ticksOf(made: DrawnScale, { count, logarithmic, whole }: TickOptions): readonly Tick[] {
  const values = made
    .ticks(count)
    .map(Number)
    .filter((value) => !whole || Number.isInteger(value));
  if (made.ticks(1)[0] instanceof Date) return values.map((value) => ({ value, text: timeText(new Date(value)) }));
  const few = logarithmic && values.length > count * 1.5 ? values.filter((value) => powerOfTen(value)) : values;
  const text = tickFormat(few);
  return few.map((value) => ({ value, text: text(value) }));
}

const TIMES = ["%Y", "%b", "%b %-d", "%H:%M", ":%S", ".%L"].map((form) => utcFormat(form));

/** As short as tells neighbours apart: the year at its start, the month at its start, and so on. */
function timeText(date: Date): string {
  const parts = [
    date.getUTCMonth(),
    date.getUTCDate() - 1,
    date.getUTCHours() + date.getUTCMinutes(),
    date.getUTCSeconds(),
    date.getUTCMilliseconds(),
  ];
  const finest = parts.findLastIndex((part) => part !== 0) + 1;
  return TIMES[finest]?.(date) ?? "";
}

function powerOfTen(value: number): boolean {
  const power = Math.log10(value);
  return Math.abs(power - Math.round(power)) < 1e-9;
}

const plain = format(",~r");
const short = format("~s");
const scientific = format("~e");

/** As few figures as tell the ticks apart. */
function tickFormat(values: readonly number[]): (value: number) => string {
  const largest = Math.max(...values.map(Math.abs), 0);
  const step = Math.abs((values[1] ?? 1) - (values[0] ?? 0));
  if (largest >= 1e15 || (largest > 0 && largest < 1e-4)) return (value) => (value === 0 ? "0" : scientific(value));
  if (largest >= 10_000 && step >= 100) return (value) => (value === 0 ? "0" : short(value).replace("G", "B"));
  return (value) => (value === 0 ? "0" : plain(Number(value.toPrecision(12))));
}

/** Categories, each with a band of the same breadth. */
export function categoryScale(
  names: readonly string[],
  range: readonly [from: number, to: number],
  inverted = false,
): Scale {
  const count = Math.max(1, names.length);
  const band = Math.abs(range[1] - range[0]) / count;
  const [from, direction] = inverted
    ? [range[1], range[0] <= range[1] ? -1 : 1]
    : [range[0], range[0] <= range[1] ? 1 : -1];
  return {
    kind: "category",
    domain: [-0.5, count - 0.5],
    range,
    band,
    of: (value) => from + direction * (value + 0.5) * band,
    at: (pixel) => ((pixel - from) * direction) / band - 0.5,
    ticks: names.map((text, value) => ({ value, text })),
  };
}

/** Sets of rows and columns never change, so what was found is kept with them: many small pictures ask the same. */
const extents = new WeakMap<Bits, Map<Column, Extent>>();
const positiveExtents = new WeakMap<Bits, Map<Column, Extent>>();

/** The least and most finite number of a column in some rows. Infinity and -Infinity where there are none. */
export function extentOf(column: Column, rows: Bits, positiveOnly = false): Extent {
  const kept = positiveOnly ? positiveExtents : extents;
  const byColumn = kept.get(rows) ?? new Map<Column, Extent>();
  const before = byColumn.get(column);
  if (before !== undefined) return before;
  const made = findExtent(column, rows, positiveOnly);
  kept.set(rows, byColumn.set(column, made));
  return made;
}

function findExtent(column: Column, rows: Bits, positiveOnly: boolean): Extent {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  if (!("numbers" in column)) return { min, max };
  for (const row of rows.toArray()) {
    const value = column.numbers[row] ?? Number.NaN;
    if ((positiveOnly && value <= 0) || !Number.isFinite(value)) continue;
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
}

/** From the least to the most of several. */
export function joinedExtent(extents: readonly Extent[]): Extent {
  return extents.reduce((all, { min, max }) => ({ min: Math.min(all.min, min), max: Math.max(all.max, max) }), {
    min: Number.POSITIVE_INFINITY,
    max: Number.NEGATIVE_INFINITY,
  });
}

/** An extent with the ends that a look sets. */
export function bounded(extent: Extent, min: number | undefined, max: number | undefined): Extent {
  return { min: min ?? extent.min, max: max ?? extent.max };
}

/** With some room around, so that marks at the ends are whole. */
export function padded({ min, max }: Extent, share: number, logarithmic = false): Extent {
  if (!(max > min)) return { min, max };
  if (logarithmic && min > 0) {
    const factor = (max / min) ** share;
    return { min: min / factor, max: max * factor };
  }
  const pad = (max - min) * share;
  return { min: min - pad, max: max + pad };
}
