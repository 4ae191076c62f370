import type { TopLevelSpec } from "vega-lite";
import type { ChartColours } from "./palette.ts";

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

const HEIGHT = 220;
const LABEL_WIDTH = 62;
const MIN_LABELS = 2;
const TICKS = 4;
/** With this many bars they are drawn closer together. */
const CROWDED = 45;

/** Stacked bars over time. */
export function barSpec(chart: BarChart, colours: ChartColours, width: number): TopLevelSpec {
  const { bars, series, rest } = chart;
  const range = series.map((name, index) =>
    name === rest ? colours.rest : (colours.series[index % colours.series.length] ?? colours.rest),
  );
  return {
    data: {
      values: bars.map(({ at, series: name, value, words }) => {
        return { at, series: name, value, words, order: series.indexOf(name) };
      }),
    },
    width: "container",
    height: HEIGHT,
    autosize: { type: "fit-x", contains: "padding" },
    background: "transparent",
    // Room for half of the last label.
    padding: { top: 4, left: 4, bottom: 4, right: 16 },
    mark: { type: "bar", cornerRadius: 1, stroke: null },
    encoding: {
      ...axes(chart, colours, width),
      color: { field: "series", type: "nominal", scale: { domain: [...series], range }, legend: null },
      order: { field: "order", type: "quantitative" },
      tooltip: { field: "words", type: "nominal" },
    },
    config: { view: { stroke: null }, font: "inherit" },
  };
}

function axes({ places, unit, months }: BarChart, colours: ChartColours, width: number) {
  const axis = {
    title: null,
    labelColor: colours.soft,
    tickColor: colours.line,
    domainColor: colours.line,
  };
  return {
    x: {
      field: "at",
      type: "ordinal" as const,
      scale: { domain: [...places], paddingInner: places.length > CROWDED ? 0.1 : 0.25, paddingOuter: 0.05 },
      axis: {
        ...axis,
        values: [...labelled(places, width)],
        labelAngle: 0,
        labelExpr: months ? "utcFormat(toDate(datum.value), '%b %Y')" : "utcFormat(toDate(datum.value), '%b %-d')",
      },
    },
    y: {
      field: "value",
      type: "quantitative" as const,
      scale: { nice: TICKS },
      axis: {
        ...axis,
        tickCount: TICKS,
        labelExpr: unit === "dollars" ? "'$' + format(datum.value, ',~r')" : "format(datum.value, '~s')",
        gridColor: colours.line,
      },
    },
  };
}

/** As many positions as have room for a label, evenly spaced, including the newest. */
export function labelled(places: readonly string[], width: number): readonly string[] {
  const room = Math.max(MIN_LABELS, Math.floor(width / LABEL_WIDTH));
  const step = Math.max(1, Math.ceil(places.length / room));
  return places.filter((_, index) => (places.length - 1 - index) % step === 0);
}
