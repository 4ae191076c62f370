import { useMemo } from "react";
import { coloringOf } from "../drawing/coloring.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { joinedNotes } from "../drawing/log-axis.ts";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { rowsWords } from "../drawing/words.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import { pcModel } from "./model.ts";
import { PcPicture } from "./picture.tsx";

export function PcPlot(props: PlotProps) {
  const { table, look, width, height, change } = props;
  const plot = usePlot(props);
  const model = useMemo(() => pcModel(table, look, plot), [table, look, plot]);
  const coloring = useMemo(
    () =>
      coloringOf({
        table,
        column: chosen(table, look, "colorColumnName"),
        palette: plot.palette,
        rows: plot.rows,
        min: numberOf(look, "colorMin"),
        max: numberOf(look, "colorMax"),
        type: textOf(look, "colorAxisType"),
        inverted: flagOf(look, "invertColorScheme"),
      }),
    [table, look, plot],
  );
  if (model.axes.length < 2) return <Unfit width={width} height={height} words="Choose at least two columns." />;
  const names = model.axes.map(({ axis }) => axis.column.name).join(", ");
  return (
    <Figure
      look={look}
      width={width}
      height={height}
      sentence={`Parallel coordinates of ${names}, ${rowsWords(model.rows.length)}${coloring.column === undefined ? "" : `, coloured by ${coloring.column.name}`}.`}
      legend={coloring.legend}
      note={joinedNotes(model.note, coloring.note)}
      top={
        flagOf(look, "showColorSelector") && (
          <LookColumn label="Color" table={table} optional name="colorColumnName" look={look} change={change} />
        )
      }
    >
      {(area) => <PcPicture props={props} model={model} plot={plot} area={area} coloring={coloring} />}
    </Figure>
  );
}
