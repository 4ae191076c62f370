import { useMemo } from "react";
import { figure } from "../../data/format.ts";
import { aggregateLegend, lookRamp, splitLegend } from "../drawing/chart-legend.ts";
import { ColumnSelect, LookAggregate, LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { usePlot, type Plot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, drawnWords } from "../drawing/words.ts";
import { flagOf, textOf } from "../look.ts";
import { barModel, MOST_BARS, type BarModel } from "./model.ts";
import { BarPicture } from "./picture.tsx";

export function BarChart(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => barModel(table, look, plot.rows), [table, look, plot]);
  if (model === undefined) return <Unfit viewer={props} words="Choose a column to split by." />;
  return (
    <Figure
      viewer={props}
      sentence={sentenceOf(model, plot.rows.count)}
      legend={legendOf(props, model, plot)}
      note={model.rule.note}
      top={topOf(props)}
      bottom={
        flagOf(look, "showCategorySelector") && <LookColumn label="Split" viewer={props} name="splitColumnName" />
      }
    >
      {(area) => <BarPicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

function topOf(props: PlotProps) {
  const { table, look, change } = props;
  const [value, stack] = [flagOf(look, "showValueSelector"), flagOf(look, "showStackSelector")];
  if (!value && !stack) return undefined;
  const measured = textOf(look, "valueColumnName");
  return (
    <>
      {value && measured !== undefined && <LookAggregate label="Aggregation" viewer={props} name="valueAggrType" />}
      {value && (
        <ColumnSelect
          label="Value"
          table={table}
          optional
          value={measured}
          onChange={(valueColumnName) =>
            change(
              valueColumnName !== undefined && textOf(look, "valueAggrType") === "count"
                ? { valueColumnName, valueAggrType: "avg" }
                : { valueColumnName },
            )
          }
        />
      )}
      {stack && (
        <span className="ml-auto flex min-w-0">
          <LookColumn label="Stack" optional viewer={props} name="stackColumnName" />
        </span>
      )}
    </>
  );
}

function legendOf({ table, look }: PlotProps, model: BarModel, { palette, rows }: Plot): LegendContent | undefined {
  const { stack } = model;
  if (stack !== undefined) {
    const shown = new Map(model.bars.flatMap(({ parts }) => parts.map((part) => [part.index, part.name])));
    const entries = [...shown].sort(([left], [right]) => (left < 0 ? 1 : right < 0 ? -1 : left - right));
    const parts = entries.map(([index, name]) => ({ name, index }));
    return splitLegend({ table, palette, rows, column: stack, parts });
  }
  if (textOf(look, "colorColumnName") === undefined || !(model.colorMax >= model.colorMin)) return undefined;
  return aggregateLegend(look, "color", { ramp: lookRamp(palette, look), min: model.colorMin, max: model.colorMax });
}

function sentenceOf({ bars, split, measure, stack, drawn }: BarModel, rows: number): string {
  const known = bars.filter(({ value }) => !Number.isNaN(value));
  const most = known.reduce<(typeof bars)[number] | undefined>(
    (best, bar) => (best === undefined || bar.value > best.value ? bar : best),
    undefined,
  );
  const by = stack === undefined ? "" : `, stacked by ${stack.name}`;
  const peak = most === undefined ? "" : `, most ${most.name} with ${figure(most.value)}`;
  const limit = bars.length === MOST_BARS ? ` (the first ${MOST_BARS})` : "";
  return `Bar chart of ${measure} by ${split.name}${by}, ${drawnWords(drawn, rows)}, ${countWords(bars.length, "bar")}${limit}${peak}.`;
}
