import { useMemo } from "react";
import { AGGREGATES } from "../../data/aggregate.ts";
import { Bits } from "../../data/bits.ts";
import { figure, shortNumber } from "../../data/format.ts";
import { categoriesOf } from "../drawing/categories.ts";
import { categoryColor } from "../drawing/colors.ts";
import { ColumnSelect, LookColumn, WordSelect } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { usePlot, type Plot, type PlotProps } from "../drawing/plot.ts";
import { selectRows } from "../drawing/rows.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, drawnWords } from "../drawing/words.ts";
import { flagOf, textOf } from "../look.ts";
import { barModel, MOST_BARS, type BarModel } from "./model.ts";
import { BarPicture } from "./picture.tsx";

export function BarChart(props: PlotProps) {
  const { table, look, width, height } = props;
  const plot = usePlot(props);
  const model = useMemo(() => barModel(table, look, plot.rows), [table, look, plot]);
  if (model === undefined) return <Unfit width={width} height={height} words="Choose a column to split by." />;
  return (
    <Figure
      look={look}
      width={width}
      height={height}
      sentence={sentenceOf(model, plot.rows.count)}
      legend={legendOf(props, model, plot)}
      note={model.rule.note}
      top={topOf(props)}
      bottom={
        flagOf(look, "showCategorySelector") && (
          <LookColumn label="Split" table={table} name="splitColumnName" look={look} change={props.change} />
        )
      }
    >
      {(area) => <BarPicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

function topOf({ table, look, change }: PlotProps) {
  const [value, stack] = [flagOf(look, "showValueSelector"), flagOf(look, "showStackSelector")];
  if (!value && !stack) return undefined;
  const measured = textOf(look, "valueColumnName");
  return (
    <>
      {value && measured !== undefined && (
        <WordSelect
          label="Aggregation"
          value={textOf(look, "valueAggrType") ?? "count"}
          choices={AGGREGATES}
          onChange={(valueAggrType) => change({ valueAggrType })}
        />
      )}
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
          <LookColumn label="Stack" table={table} optional name="stackColumnName" look={look} change={change} />
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
    return {
      kind: "categories",
      title: stack.name,
      entries: entries.map(([index, name]) => ({ name, color: categoryColor(palette, index) })),
      onPick: (at, keys) => {
        const code = entries[at]?.[0] ?? -1;
        const { codes } = categoriesOf(stack);
        selectRows(
          table,
          Bits.where(table.rowCount, (row) => rows.has(row) && codes[row] === code),
          keys,
        );
      },
    };
  }
  if (textOf(look, "colorColumnName") === undefined || !(model.colorMax >= model.colorMin)) return undefined;
  const inverted = flagOf(look, "invertColorScheme");
  return {
    kind: "scale",
    title: `${textOf(look, "colorAggrType") ?? "avg"}(${textOf(look, "colorColumnName") ?? ""})`,
    ramp: (share) => palette.linear(inverted ? 1 - share : share),
    from: shortNumber(model.colorMin),
    to: shortNumber(model.colorMax),
  };
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
