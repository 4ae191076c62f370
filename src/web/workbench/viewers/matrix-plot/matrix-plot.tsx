import { useMemo } from "react";
import { DensityPlot } from "../density-plot/density-plot.tsx";
import { Figure } from "../drawing/figure.tsx";
import { usePlot, type PictureProps, type Plot, type PlotProps } from "../drawing/plot.ts";
import { useSteps } from "../drawing/use-steps.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { elide, rowsWords } from "../drawing/words.ts";
import { Histogram } from "../histogram/histogram.tsx";
import { flagOf } from "../look.ts";
import { ScatterPlot } from "../scatter-plot/scatter-plot.tsx";
import { matrixModel, type MatrixCell, type MatrixModel } from "./model.ts";

const COMPONENTS = { "Scatter plot": ScatterPlot, "Density plot": DensityPlot, Histogram } as const;

export function MatrixPlot(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const count = plot.rows.count;
  const model = useMemo(() => matrixModel(table, look, count), [table, look, count, plot]);
  if (model.cells.length === 0) return <Unfit viewer={props} words="Choose columns of numbers." />;
  return (
    <Figure
      viewer={props}
      sentence={`Matrix plot of ${model.across.map(({ name }) => name).join(", ")} against ${model.down.map(({ name }) => name).join(", ")}, ${rowsWords(count)}.`}
    >
      {(area) => <Cells props={props} model={model} area={area} plot={plot} />}
    </Figure>
  );
}

const HEAD = 18;

function Cells({ props, model, area, plot }: PictureProps<MatrixModel>) {
  const [columns, lines] = [model.across.length, model.down.length];
  const ready = useSteps({ total: model.cells.length, rows: plot.rows.count, key: plot });
  const [axisLeft, axisBottom] = [flagOf(props.look, "showYAxes") ? 34 : 0, flagOf(props.look, "showXAxes") ? 20 : 0];
  const width = (area.width - HEAD - axisLeft) / columns;
  const height = (area.height - HEAD - axisBottom) / lines;
  return (
    <>
      {model.across.map(({ name }, place) => (
        <span
          key={name}
          title={name}
          className="absolute truncate text-center text-xs text-soft"
          style={{ left: HEAD + axisLeft + place * width, width, top: 0, height: HEAD }}
        >
          {elide(name, width)}
        </span>
      ))}
      {model.down.map(({ name }, line) => (
        <span
          key={name}
          title={name}
          className="absolute rotate-180 truncate text-center text-xs text-soft [writing-mode:vertical-rl]"
          style={{ left: 0, width: HEAD, top: HEAD + line * height, height }}
        >
          {elide(name, height)}
        </span>
      ))}
      {model.cells.slice(0, ready).map((cell, index) => {
        const [place, line] = [index % columns, Math.floor(index / columns)];
        // The first cells are broader and the lowest higher by their axes; histograms have none at the left.
        const broad = place === 0 && cell.plot !== "Histogram";
        const box = {
          left: HEAD + (broad ? 0 : axisLeft) + place * width,
          top: HEAD + line * height,
          width: width + (broad ? axisLeft : 0) - 2,
          height: height + (line === lines - 1 ? axisBottom : 0) - 2,
        };
        // The frame is that of the picture alone, so that all stand in line.
        const frame = { left: broad ? axisLeft : 0, top: 0, width: width - 2, height: height - 2 };
        return (
          <div key={`${cell.x.name} ${cell.y.name}`} className="absolute" style={box}>
            <div aria-hidden className="pointer-events-none absolute border border-line" style={frame} />
            <Inner props={props} cell={cell} width={box.width} height={box.height} within={plot.rows} />
          </div>
        );
      })}
    </>
  );
}

interface InnerProps {
  readonly props: PlotProps;
  readonly cell: MatrixCell;
  readonly width: number;
  readonly height: number;
  readonly within: Plot["rows"];
}

function Inner({ props, cell, width, height, within }: InnerProps) {
  const Component = COMPONENTS[cell.plot];
  return (
    <Component
      id={props.id}
      table={props.table}
      look={cell.look}
      width={width}
      height={height}
      change={() => undefined}
      within={within}
      inner
    />
  );
}
