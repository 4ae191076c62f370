import type { TokenCount, UsageLine } from "../../../../protocol/index.ts";
import { SERIES, type BarChart, type ChartBar } from "../../charts/bars.ts";
import { placesOf, type DayRange } from "./range.ts";
import { t } from "../../../ui/language/t.ts";

export type UsageGrouping = "model" | "agent" | "engine" | "provider" | "key";
export const GROUPS: readonly { readonly value: UsageGrouping; readonly label: string }[] = [
  { value: "model", label: t("model") },
  { value: "agent", label: t("person or agent") },
  { value: "engine", label: t("engine") },
  { value: "provider", label: t("provider") },
  { value: "key", label: t("API key") },
];

const OTHERS = "others";
const MICRO = 1_000_000;

const TOKEN_KINDS = [
  { label: t("input"), of: (tokens: TokenCount) => tokens.input },
  { label: t("output"), of: (tokens: TokenCount) => tokens.output },
  { label: t("cache read"), of: (tokens: TokenCount) => tokens.cache_read },
  { label: t("cache write"), of: (tokens: TokenCount) => tokens.cache_write + tokens.cache_write_1h },
] as const;

function allTokens(tokens: TokenCount): number {
  return TOKEN_KINDS.reduce((sum, kind) => sum + kind.of(tokens), 0);
}

interface SeriesPoint {
  readonly day: string;
  readonly series: string;
  readonly value: number;
}

interface Wanted {
  readonly range: DayRange;
  readonly unit: BarChart["unit"];
  /** A value in words, such as `$1.20`. */
  readonly words: (value: number) => string;
}

/** Cost by day and group. The most expensive series have their own colours; the rest is combined. */
export function costChart(
  lines: readonly UsageLine[],
  group: UsageGrouping,
  { nameOf, ...wanted }: Omit<Wanted, "unit"> & { readonly nameOf: (value: string) => string },
): BarChart {
  const pieces = lines.map((line) => ({
    day: line.day ?? "",
    series: nameOf(line[group] ?? ""),
    value: line.cost_microusd / MICRO,
  }));
  return stack(pieces, { ...wanted, unit: "dollars" });
}

export function tokensByGroup(
  lines: readonly UsageLine[],
  group: UsageGrouping,
  { nameOf, ...wanted }: Omit<Wanted, "unit"> & { readonly nameOf: (value: string) => string },
): BarChart {
  const pieces = lines.map((line) => ({
    day: line.day ?? "",
    series: nameOf(line[group] ?? ""),
    value: allTokens(line.tokens),
  }));
  return stack(pieces, { ...wanted, unit: "count" });
}

export function tokensByKind(lines: readonly UsageLine[], wanted: Omit<Wanted, "unit">): BarChart {
  const pieces = lines.flatMap((line) =>
    TOKEN_KINDS.map((kind) => ({ day: line.day ?? "", series: kind.label, value: kind.of(line.tokens) })),
  );
  const chart = stack(pieces, { ...wanted, unit: "count" });
  // Always in the same order, so that a colour means the same each day.
  return { ...chart, series: TOKEN_KINDS.map(({ label }) => label).filter((label) => chart.series.includes(label)) };
}

function stack(pieces: readonly SeriesPoint[], { range, unit, words }: Wanted): BarChart {
  const { places, months } = placesOf(range);
  const totals = new Map<string, number>();
  for (const { series, value } of pieces) totals.set(series, (totals.get(series) ?? 0) + value);
  const ranked = [...totals].filter(([, value]) => value > 0).sort(([, left], [, right]) => right - left);
  const folded = ranked.length > SERIES;
  const own = new Set(ranked.slice(0, folded ? SERIES - 1 : SERIES).map(([name]) => name));
  const sums = new Map<string, ChartBar>();
  const known = new Set(places);
  for (const piece of pieces) {
    const at = months ? piece.day.slice(0, 7) : piece.day;
    if (piece.value === 0 || !known.has(at)) continue;
    const series = own.has(piece.series) ? piece.series : OTHERS;
    const key = `${at}\u0000${series}`;
    const value = (sums.get(key)?.value ?? 0) + piece.value;
    sums.set(key, { at, series, value, words: `${at}, ${series}: ${words(value)}` });
  }
  return {
    bars: [...sums.values()],
    places,
    series: [...own, ...(folded ? [OTHERS] : [])],
    ...(folded ? { rest: OTHERS } : {}),
    unit,
    months,
  };
}

/** The chart as rows: one for each position with a value, newest first. */
export function rowsOf(chart: BarChart): readonly { readonly at: string; readonly values: readonly number[] }[] {
  const byPlace = new Map<string, number[]>();
  for (const { at, series, value } of chart.bars) {
    const values = byPlace.get(at) ?? chart.series.map(() => 0);
    const index = chart.series.indexOf(series);
    values[index] = (values[index] ?? 0) + value;
    byPlace.set(at, values);
  }
  return chart.places
    .filter((place) => byPlace.has(place))
    .toReversed()
    .map((at) => ({ at, values: byPlace.get(at) ?? [] }));
}
