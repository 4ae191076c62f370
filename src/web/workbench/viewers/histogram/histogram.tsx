import { useMemo } from "react";
import { wordsOf } from "../drawing/categories.ts";
import { aggregateLegend, lookRamp, splitLegend } from "../drawing/chart-legend.ts";
import { BinSlider, LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { usePlot, type Plot, type PlotProps } from "../drawing/plot.ts";
import { rangeOf } from "../drawing/extent.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, rowsWords } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import { HistogramPicture } from "./picture.tsx";
import { histogramModel, type HistogramModel } from "./model.ts";

export function Histogram(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => histogramModel(table, look, plot), [table, look, plot]);
  if (model === undefined) return <Unfit viewer={props} words="Choose a column of numbers." />;
  return (
    <Figure
      viewer={props}
      sentence={histogramSentence(model)}
      legend={legendOf(props, model, plot)}
      note={noteOf(model)}
      top={topOf(props)}
      bottom={
        flagOf(look, "showColumnSelector") && (
          <LookColumn label="Value" columns="numeric" viewer={props} name="valueColumnName" />
        )
      }
    >
      {(area) => <HistogramPicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

function noteOf({ rule, beyond, column, span }: HistogramModel): string | undefined {
  if (beyond === 0) return rule.note;
  const [from, to] = [wordsOf(column, span.min), wordsOf(column, span.max)];
  return `${rowsWords(beyond)} outside ${from} to ${to} not shown (property cutOutliers).`;
}

function topOf(props: PlotProps) {
  const { look } = props;
  const [split, bins] = [flagOf(look, "showSplitSelector"), flagOf(look, "showBinSelector")];
  if (!split && !bins) return undefined;
  return (
    <>
      {split && <LookColumn label="Split" optional viewer={props} name="splitColumnName" />}
      {bins && <BinSlider viewer={props} least={1} />}
    </>
  );
}

function legendOf(
  { table, look }: PlotProps,
  { split, colors, parts }: HistogramModel,
  { palette, rows }: Plot,
): LegendContent | undefined {
  if (split !== undefined) return splitLegend({ table, palette, rows, column: split, parts });
  const range = colors === undefined ? undefined : rangeOf(colors);
  return range && aggregateLegend(look, "color", { ramp: lookRamp(palette, look), ...range });
}

function histogramSentence({ column, counts, edges, total, split, parts }: HistogramModel): string {
  const most = counts.reduce((best, count, bin) => (count > (counts[best] ?? 0) ? bin : best), 0);
  const peak =
    total === 0
      ? ""
      : `, most (${counts[most]?.toLocaleString("en") ?? 0}) between ${wordsOf(column, edges[most] ?? 0)} and ${wordsOf(column, edges[most + 1] ?? 0)}`;
  const by = split === undefined ? "" : `, split by ${split.name} (${countWords(parts.length, "value")})`;
  return `Histogram of ${column.name}, ${rowsWords(total)}, ${countWords(counts.length, "bin")}${peak}${by}.`;
}
