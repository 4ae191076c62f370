import { useMemo } from "react";
import { useColoring } from "../drawing/coloring.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { joinedNotes } from "../drawing/log-axis.ts";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { drawnWords } from "../drawing/words.ts";
import { flagOf, textOf } from "../look.ts";
import { scatterModel, type ScatterModel } from "./model.ts";
import { ScatterPicture } from "./picture.tsx";

export function ScatterPlot(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => scatterModel(table, look, plot), [table, look, plot]);
  const coloring = useColoring(props, plot, { name: "colorColumnName", rows: plot.scaleRows });
  if (model === undefined) return <Unfit viewer={props} words="Choose columns for both axes." />;
  return (
    <Figure
      viewer={props}
      sentence={sentenceOf(model, textOf(look, "colorColumnName"), plot.rows.count)}
      legend={coloring.legend}
      note={joinedNotes(model.ruleX.note, model.ruleY.note, coloring.note)}
      top={topOf(props)}
      bottom={flagOf(look, "showXSelector") && <LookColumn label="X" viewer={props} name="xColumnName" />}
    >
      {(area) => <ScatterPicture props={props} model={model} plot={plot} area={area} coloring={coloring} />}
    </Figure>
  );
}

function topOf(props: PlotProps) {
  const { look } = props;
  const [y, color, size] = ["showYSelector", "showColorSelector", "showSizeSelector"].map((name) => flagOf(look, name));
  if (y !== true && color !== true && size !== true) return undefined;
  return (
    <>
      {y === true && <LookColumn label="Y" viewer={props} name="yColumnName" />}
      <span className="ml-auto flex min-w-0 gap-1">
        {color === true && <LookColumn label="Color" optional viewer={props} name="colorColumnName" />}
        {size === true && <LookColumn label="Size" optional columns="numeric" viewer={props} name="sizeColumnName" />}
      </span>
    </>
  );
}

function sentenceOf({ x, y, rows, notes }: ScatterModel, color: string | undefined, all: number): string {
  const colored = color === undefined ? "" : `, coloured by ${color}`;
  const said = notes.length === 0 ? "" : `; ${notes.join("; ")}`;
  return `Scatter plot of ${y.column.name} over ${x.column.name}, ${drawnWords(rows.length, all)}${colored}${said}.`;
}
