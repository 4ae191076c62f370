import { useMemo } from "react";
import { Bits } from "../../data/bits.ts";
import { BinSlider, LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { joinedNotes } from "../drawing/log-axis.ts";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { drawnWords } from "../drawing/words.ts";
import { hasPlace, xyAxes, type XyAxes } from "../drawing/xy-axes.ts";
import { flagOf, numberOf } from "../look.ts";
import { DensityPicture } from "./picture.tsx";

export interface DensityModel extends XyAxes {
  /** Rows with a place on both axes. */
  readonly rows: Bits;
}

export function DensityPlot(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo((): DensityModel | undefined => {
    const axes = xyAxes(table, look, plot);
    const isDrawn = (row: number): boolean => axes !== undefined && plot.rows.has(row) && hasPlace(axes, row);
    return axes && { ...axes, rows: Bits.where(table.rowCount, isDrawn) };
  }, [table, look, plot]);
  if (model === undefined) return <Unfit viewer={props} words="Choose columns of numbers for both model." />;
  return (
    <Figure
      viewer={props}
      sentence={`Density plot of ${model.y.column.name} over ${model.x.column.name}, ${drawnWords(model.rows.count, plot.rows.count)}, ${numberOf(look, "bins") ?? 40} cells side by side.`}
      note={joinedNotes(model.ruleX.note, model.ruleY.note)}
      top={topOf(props)}
      bottom={
        flagOf(look, "showXSelector") && <LookColumn label="X" columns="numeric" viewer={props} name="xColumnName" />
      }
    >
      {(area) => <DensityPicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

function topOf(props: PlotProps) {
  const { look } = props;
  const [y, bins] = [flagOf(look, "showYSelector"), flagOf(look, "showBinSelector")];
  if (!y && !bins) return undefined;
  return (
    <>
      {y && <LookColumn label="Y" columns="numeric" viewer={props} name="yColumnName" />}
      {bins && <BinSlider viewer={props} least={5} />}
    </>
  );
}
