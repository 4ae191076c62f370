import { scaleLinear, scaleLog, scaleUtc } from "d3-scale";
import { format } from "d3-format";
import { utcFormat } from "d3-time-format";
import type { Column } from "../../data/column.ts";
import type { Bits } from "../../data/bits.ts";

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
    of: (value) => (logarithmic && value <= 0 ? Number.NaN : made(value)),
    at: (pixel) => Number(made.invert(pixel)),
    ticks: ticksOf(made, count, logarithmic),
  };
}

function kindOf(time: boolean, logarithmic: boolean): Scale["kind"] {
  if (time) return "time";
  return logarithmic ? "logarithmic" : "linear";
}

/** A single value gets room on both sides. */
function widened({ min, max }: Extent, logarithmic: boolean): [number, number] {
  const low = logarithmic && min <= 0 ? max / 1e4 : min;
  if (low < max) return [low, max];
  if (!Number.isFinite(low)) return logarithmic ? [1, 10] : [0, 1];
  if (logarithmic) return [low / 2, low * 2];
  const pad = low === 0 ? 1 : Math.abs(low) * 0.05;
  return [low - pad, low + pad];
}

type Made = ReturnType<typeof scaleUtc<number, number>> | ReturnType<typeof scaleLinear<number, number>>;

function ticksOf(made: Made, count: number, logarithmic: boolean): readonly Tick[] {
  const values = made.ticks(count).map(Number);
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

/** The least and most of a column in some rows. Infinity and -Infinity where there are none. */
export function extentOf(column: Column, rows: Bits, positiveOnly = false): Extent {
  const kept = positiveOnly ? positiveExtents : extents;
  const byColumn = kept.get(rows) ?? new Map<Column, Extent>();
  const before = byColumn.get(column);
  if (before !== undefined) return before;
  const made = findExtent(column, rows, positiveOnly);
  kept.set(rows, byColumn.set(column, made));
  return made;
}

function findExtent(column: Column, { words }: Bits, positiveOnly: boolean): Extent {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  if (!("numbers" in column)) return { min, max };
  const { numbers } = column;
  for (let index = 0; index < words.length; index += 1) {
    let word = words[index] ?? 0;
    while (word !== 0) {
      const value = numbers[index * 32 + 31 - Math.clz32(word & -word)] ?? Number.NaN;
      word = (word & (word - 1)) >>> 0;
      if (positiveOnly && value <= 0) continue;
      if (value < min) min = value;
      if (value > max) max = value;
    }
  }
  return { min, max };
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
