import { useMemo } from "react";
import { shortNumber } from "../../data/format.ts";
import { categoriesOf, wordsOf } from "../drawing/categories.ts";
import { categoryColor } from "../drawing/colors.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { usePlot, type Plot, type PlotProps } from "../drawing/plot.ts";
import { selectRows } from "../drawing/rows.ts";
import { Bits } from "../../data/bits.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, rowsWords } from "../drawing/words.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import { HistogramPicture } from "./picture.tsx";
import { colorRange, histogramModel, type HistogramModel } from "./model.ts";

export function Histogram(props: PlotProps) {
  const { table, look, width, height } = props;
  const plot = usePlot(props);
  const model = useMemo(() => histogramModel(table, look, plot), [table, look, plot]);
  if (model === undefined) return <Unfit width={width} height={height} words="Choose a column of numbers." />;
  return (
    <Figure
      look={look}
      width={width}
      height={height}
      sentence={histogramSentence(model)}
      legend={legendOf(props, model, plot)}
      note={model.rule.note}
      top={topOf(props)}
      bottom={
        flagOf(look, "showColumnSelector") && (
          <LookColumn
            label="Value"
            table={table}
            columns="numeric"
            name="valueColumnName"
            look={look}
            change={props.change}
          />
        )
      }
    >
      {(area) => <HistogramPicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

function topOf({ table, look, change }: PlotProps) {
  const [split, bins] = [flagOf(look, "showSplitSelector"), flagOf(look, "showBinSelector")];
  if (!split && !bins) return undefined;
  return (
    <>
      {split && <LookColumn label="Split" table={table} optional name="splitColumnName" look={look} change={change} />}
      {bins && (
        <label className="ml-auto flex items-center gap-1.5 text-xs text-soft">
          Bins
          <input
            type="range"
            min={1}
            max={100}
            className="h-6 w-20 accent-(--accent)"
            value={numberOf(look, "bins") ?? 20}
            onChange={(event) => change({ bins: Number(event.target.value) })}
          />
          <span className="w-6 tabular-nums">{numberOf(look, "bins") ?? 20}</span>
        </label>
      )}
    </>
  );
}

function legendOf(
  { table, look }: PlotProps,
  model: HistogramModel,
  { palette, rows }: Plot,
): LegendContent | undefined {
  const { split, colors } = model;
  if (split !== undefined)
    return {
      kind: "categories",
      title: split.name,
      entries: model.parts.map(({ name, index }) => ({ name, color: categoryColor(palette, index) })),
      onPick: (index, keys) => {
        const code = model.parts[index]?.index ?? -1;
        const { codes } = categoriesOf(split);
        selectRows(
          table,
          Bits.where(table.rowCount, (row) => rows.has(row) && codes[row] === code),
          keys,
        );
      },
    };
  if (colors === undefined) return undefined;
  const { min, max } = colorRange(colors);
  if (!Number.isFinite(min)) return undefined;
  const inverted = flagOf(look, "invertColorScheme");
  return {
    kind: "scale",
    title: `${textOf(look, "colorAggrType") ?? "avg"}(${textOf(look, "colorColumnName") ?? ""})`,
    ramp: (share) => palette.linear(inverted ? 1 - share : share),
    from: shortNumber(min),
    to: shortNumber(max),
  };
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
