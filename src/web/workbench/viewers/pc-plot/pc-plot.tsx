import { useMemo } from "react";
import { useColoring } from "../drawing/coloring.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { joinedNotes } from "../drawing/log-axis.ts";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { rowsWords } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import { pcModel } from "./model.ts";
import { PcPicture } from "./picture.tsx";

export function PcPlot(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => pcModel(table, look, plot), [table, look, plot]);
  const coloring = useColoring(props, plot, { name: "colorColumnName", rows: plot.rows });
  if (model.axes.length < 2) return <Unfit viewer={props} words="Choose at least two columns." />;
  const names = model.axes.map(({ axis }) => axis.column.name).join(", ");
  return (
    <Figure
      viewer={props}
      sentence={`Parallel coordinates of ${names}, ${rowsWords(model.rows.length)}${coloring.column === undefined ? "" : `, coloured by ${coloring.column.name}`}.`}
      legend={coloring.legend}
      note={joinedNotes(model.note, coloring.note)}
      top={
        flagOf(look, "showColorSelector") && <LookColumn label="Color" optional viewer={props} name="colorColumnName" />
      }
    >
      {(area) => <PcPicture props={props} model={model} plot={plot} area={area} coloring={coloring} />}
    </Figure>
  );
}
