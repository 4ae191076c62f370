import { useMemo } from "react";
import { coloringOf } from "../drawing/coloring.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { joinedNotes } from "../drawing/log-axis.ts";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { drawnWords } from "../drawing/words.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import { scatterModel, type ScatterModel } from "./model.ts";
import { ScatterPicture } from "./picture.tsx";

export function ScatterPlot(props: PlotProps) {
  const { table, look, width, height } = props;
  const plot = usePlot(props);
  const model = useMemo(() => scatterModel(table, look, plot), [table, look, plot]);
  const coloring = useMemo(
    () =>
      coloringOf({
        table,
        column: chosen(table, look, "colorColumnName"),
        palette: plot.palette,
        rows: plot.scaleRows,
        min: numberOf(look, "colorMin"),
        max: numberOf(look, "colorMax"),
        type: textOf(look, "colorAxisType"),
        inverted: flagOf(look, "invertColorScheme"),
      }),
    [table, look, plot],
  );
  if (model === undefined) return <Unfit width={width} height={height} words="Choose columns for both axes." />;
  return (
    <Figure
      look={look}
      width={width}
      height={height}
      sentence={sentenceOf(model, textOf(look, "colorColumnName"), plot.rows.count)}
      legend={coloring.legend}
      note={joinedNotes(model.ruleX.note, model.ruleY.note, coloring.note)}
      top={topOf(props)}
      bottom={
        flagOf(look, "showXSelector") && (
          <LookColumn label="X" table={table} name="xColumnName" look={look} change={props.change} />
        )
      }
    >
      {(area) => <ScatterPicture props={props} model={model} plot={plot} area={area} coloring={coloring} />}
    </Figure>
  );
}

function topOf({ table, look, change }: PlotProps) {
  const [y, color, size] = ["showYSelector", "showColorSelector", "showSizeSelector"].map((name) => flagOf(look, name));
  if (y !== true && color !== true && size !== true) return undefined;
  return (
    <>
      {y === true && <LookColumn label="Y" table={table} name="yColumnName" look={look} change={change} />}
      <span className="ml-auto flex min-w-0 gap-1">
        {color === true && (
          <LookColumn label="Color" table={table} optional name="colorColumnName" look={look} change={change} />
        )}
        {size === true && (
          <LookColumn
            label="Size"
            table={table}
            optional
            columns="numeric"
            name="sizeColumnName"
            look={look}
            change={change}
          />
        )}
      </span>
    </>
  );
}

function sentenceOf({ x, y, rows, notes }: ScatterModel, color: string | undefined, all: number): string {
  const colored = color === undefined ? "" : `, coloured by ${color}`;
  const said = notes.length === 0 ? "" : `; ${notes.join("; ")}`;
  return `Scatter plot of ${y.column.name} over ${x.column.name}, ${drawnWords(rows.length, all)}${colored}${said}.`;
}
