import { scaleBand, scaleLinear } from "d3-scale";
import { locale } from "../../ui/language/t.ts";
import { count, moneyAlike } from "../../ui/words.tsx";

/** One piece of a bar. */
export interface ChartBar {
  /** `2026-11-15` or `2026-11`: the position on the axis. */
  readonly at: string;
  readonly series: string;
  readonly value: number;
  /** The tooltip. */
  readonly words: string;
}

export interface BarChart {
  readonly bars: readonly ChartBar[];
  /** Every position of the axis in order, including those without a bar. */
  readonly places: readonly string[];
  /** From the bottom up; the names in the legend. */
  readonly series: readonly string[];
  /** Which of the series is the combined rest, if there is one. */
  readonly rest?: string;
  readonly unit: "dollars" | "count";
  /** Places are months, not days. */
  readonly months: boolean;
}

/** How many series have a colour of their own; the smaller ones are folded together. */
export const SERIES = 6;

const FULL = ["var(--info)", "var(--accent)", "var(--ok)", "var(--bad)"];
const COLOURS = [...FULL, ...FULL.map((colour) => `color-mix(in srgb, ${colour} 52%, var(--raised))`)].slice(0, SERIES);
const REST = "var(--line-strong)";

/** A CSS colour of the page's theme. */
export function colourOf({ series, rest }: Pick<BarChart, "series" | "rest">, name: string): string {
  return name === rest ? REST : (COLOURS[series.indexOf(name) % SERIES] ?? REST);
}

interface PlacedBar {
  readonly bar: ChartBar;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface AxisLabel {
  readonly at: number;
  readonly text: string;
}

/** Where everything of a chart is, in CSS pixels. */
export interface BarLayout {
  readonly bars: readonly PlacedBar[];
  /** The left end of the axis of places, and the height at which it is. */
  readonly left: number;
  readonly right: number;
  readonly bottom: number;
  readonly xLabels: readonly AxisLabel[];
  readonly yLabels: readonly AxisLabel[];
}

export const HEIGHT = 240;
const TOP = 10;
const BOTTOM = 24;
/** Room for half of the last label. */
const RIGHT = 18;
const CHAR_WIDTH = 6.5;
const TICK = 10;
const LABEL_WIDTH = 62;
const MIN_LABELS = 2;
const TICKS = 4;
const MICRO = 1_000_000;
/** With this many bars they are drawn closer together. */
const CROWDED = 45;

/** Stacked bars over time. */
export function layoutOf(chart: BarChart, width: number): BarLayout {
  const { places, series, unit } = chart;
  const totals = new Map<string, number>();
  for (const { at, value } of chart.bars) totals.set(at, (totals.get(at) ?? 0) + value);
  const bottom = HEIGHT - BOTTOM;
  const y = scaleLinear([0, Math.max(...totals.values(), Number.MIN_VALUE)], [bottom, TOP]).nice(TICKS);
  const ticks = y.ticks(TICKS);
  const written = unit === "dollars" ? moneyAlike(ticks.map((tick) => Math.round(tick * MICRO))) : ticks.map(count);
  const yLabels = ticks.map((tick, index) => ({ at: y(tick), text: written[index] ?? "" }));
  const left = Math.max(...yLabels.map(({ text }) => text.length)) * CHAR_WIDTH + TICK;
  const right = Math.max(left, width - RIGHT);
  const x = scaleBand(places, [left, right])
    .paddingInner(places.length > CROWDED ? 0.1 : 0.25)
    .paddingOuter(0.05);
  const below = new Map<string, number>();
  const bars = chart.bars
    .toSorted((one, other) => series.indexOf(one.series) - series.indexOf(other.series))
    .map((bar) => {
      const from = below.get(bar.at) ?? 0;
      below.set(bar.at, from + bar.value);
      const top = y(from + bar.value);
      return { bar, x: x(bar.at) ?? left, y: top, width: x.bandwidth(), height: y(from) - top };
    });
  const xLabels = labelled(places, width).map((place) => ({
    at: (x(place) ?? left) + x.bandwidth() / 2,
    text: placeWords(place, chart.months),
  }));
  return { bars, left, right, bottom, xLabels, yLabels };
}

function placeWords(place: string, months: BarChart["months"]): string {
  const rest = months ? ({ year: "numeric" } as const) : ({ day: "numeric" } as const);
  return new Date(place).toLocaleDateString(locale, { month: "short", ...rest, timeZone: "UTC" });
}

/** As many positions as have room for a label, evenly spaced, including the newest. */
export function labelled(places: readonly string[], width: number): readonly string[] {
  const room = Math.max(MIN_LABELS, Math.floor(width / LABEL_WIDTH));
  const step = Math.max(1, Math.ceil(places.length / room));
  return places.filter((_, index) => (places.length - 1 - index) % step === 0);
}
