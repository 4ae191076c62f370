import { useMemo } from "react";
import { wordsOf } from "../drawing/categories.ts";
import { useColoring } from "../drawing/coloring.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import { boxModel, pWords, type BoxModel } from "./model.ts";
import { BoxPicture } from "./picture.tsx";

export function BoxPlot(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => boxModel(table, look, plot), [table, look, plot]);
  const coloring = useColoring(props, plot, { name: "markerColorColumnName", rows: plot.rows });
  if (model === undefined) return <Unfit viewer={props} words="Choose a column of numbers." />;
  return (
    <Figure
      viewer={props}
      sentence={sentenceOf(model)}
      legend={coloring.legend}
      note={model.rule.note}
      top={
        flagOf(look, "showValueSelector") && (
          <LookColumn label="Value" columns="numeric" viewer={props} name="valueColumnName" />
        )
      }
      bottom={
        flagOf(look, "showCategorySelector") && (
          <>
            <LookColumn label="Category" optional viewer={props} name="category1ColumnName" />
            <LookColumn label="Second" optional viewer={props} name="category2ColumnName" />
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
