import { useMemo } from "react";
import { wordsOf } from "../drawing/categories.ts";
import { coloringOf } from "../drawing/coloring.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords } from "../drawing/words.ts";
import { chosen, flagOf } from "../look.ts";
import { boxModel, pWords, type BoxModel } from "./model.ts";
import { BoxPicture } from "./picture.tsx";

export function BoxPlot(props: PlotProps) {
  const { table, look, width, height, change } = props;
  const plot = usePlot(props);
  const model = useMemo(() => boxModel(table, look, plot), [table, look, plot]);
  const coloring = useMemo(
    () =>
      coloringOf({
        table,
        column: chosen(table, look, "markerColorColumnName"),
        palette: plot.palette,
        rows: plot.rows,
      }),
    [table, look, plot],
  );
  if (model === undefined) return <Unfit width={width} height={height} words="Choose a column of numbers." />;
  return (
    <Figure
      look={look}
      width={width}
      height={height}
      sentence={sentenceOf(model)}
      legend={coloring.legend}
      note={model.rule.note}
      top={
        flagOf(look, "showValueSelector") && (
          <LookColumn
            label="Value"
            table={table}
            columns="numeric"
            name="valueColumnName"
            look={look}
            change={change}
          />
        )
      }
      bottom={
        flagOf(look, "showCategorySelector") && (
          <>
            <LookColumn
              label="Category"
              table={table}
              optional
              name="category1ColumnName"
              look={look}
              change={change}
            />
            <LookColumn label="Second" table={table} optional name="category2ColumnName" look={look} change={change} />
          </>
        )
      }
    >
      {(area) => <BoxPicture props={props} model={model} plot={plot} area={area} coloring={coloring} />}
    </Figure>
  );
}

function sentenceOf({ value, categories, groups, p }: BoxModel): string {
  const by = categories.length === 0 ? "" : ` by ${categories.map(({ name }) => name).join(" and ")}`;
  const known = groups.filter(({ statistics }) => statistics.count > 0);
  const rows = known.reduce((sum, { statistics }) => sum + statistics.count, 0);
  const most = known.toSorted((left, right) => right.statistics.median - left.statistics.median)[0];
  const top = most === undefined ? "" : `, highest median ${wordsOf(value, most.statistics.median)} of ${most.name}`;
  const chance = Number.isNaN(p) ? "" : `, p ${pWords(p)}`;
  return `Box plot of ${value.name}${by}, ${countWords(rows, "value")}, ${countWords(groups.length, "box", "boxes")}${top}${chance}.`;
}
