import { useMemo, type ComponentType } from "react";
import type { Table } from "../../data/table.ts";
import { BarChart } from "../bar-chart/bar-chart.tsx";
import { barChart } from "../bar-chart/definition.ts";
import { barEnds } from "../bar-chart/model.ts";
import { BoxPlot } from "../box-plot/box-plot.tsx";
import { boxPlot } from "../box-plot/definition.ts";
import { densityPlot } from "../density-plot/definition.ts";
import { DensityPlot } from "../density-plot/density-plot.tsx";
import { ColumnSelect, WordSelect } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { innerLook, parseInner } from "../drawing/inner-look.ts";
import { usePlot, type PictureProps, type PlotProps, type SharedEnds, type SharedRows } from "../drawing/plot.ts";
import { chooseGroup } from "../drawing/rows.ts";
import { useSteps } from "../drawing/use-steps.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, elide, rowsWords } from "../drawing/words.ts";
import { histogram } from "../histogram/definition.ts";
import { Histogram } from "../histogram/histogram.tsx";
import { histogramEnds } from "../histogram/model.ts";
import { lineChart } from "../line-chart/definition.ts";
import { LineChart } from "../line-chart/line-chart.tsx";
import { lineEnds } from "../line-chart/model.ts";
import { flagOf, listOf, textOf } from "../look.ts";
import { pieChart } from "../pie-chart/definition.ts";
import { PieChart } from "../pie-chart/pie-chart.tsx";
import { scatterPlot } from "../scatter-plot/definition.ts";
import { ScatterPlot } from "../scatter-plot/scatter-plot.tsx";
import type { Look, ViewerDefinition } from "../viewer.ts";
import { INNER_TYPES } from "./inner-types.ts";
import { trellisModel, type TrellisCell, type TrellisModel } from "./model.ts";

type InnerType = (typeof INNER_TYPES)[number];

const INNER: Readonly<
  Record<
    InnerType,
    {
      readonly definition: ViewerDefinition;
      readonly Component: ComponentType<PlotProps>;
      /** Of axes whose ends do not follow from the rows alone. */
      readonly ends?: (table: Table, look: Look, shared: SharedRows) => SharedEnds | undefined;
    }
  >
> = {
  "Scatter plot": { definition: scatterPlot, Component: ScatterPlot },
  Histogram: { definition: histogram, Component: Histogram, ends: histogramEnds },
  "Bar chart": { definition: barChart, Component: BarChart, ends: barEnds },
  "Line chart": { definition: lineChart, Component: LineChart, ends: lineEnds },
  "Box plot": { definition: boxPlot, Component: BoxPlot },
  "Pie chart": { definition: pieChart, Component: PieChart },
  "Density plot": { definition: densityPlot, Component: DensityPlot },
};

export function TrellisPlot(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => trellisModel(table, look, plot.rows), [table, look, plot]);
  if (model.cells.length === 0) return <Unfit viewer={props} words="No rows are shown." />;
  const type = (textOf(look, "viewerType") ?? "Scatter plot") as InnerType;
  const by = [...listOf(look, "xColumnNames"), ...listOf(look, "yColumnNames")].join(" and ") || "nothing";
  return (
    <Figure
      viewer={props}
      sentence={`Trellis plot: ${type} by ${by}, ${rowsWords(plot.rows.count)}, ${countWords(model.cells.length, "picture")}.`}
      top={topOf(props, type)}
      bottom={flagOf(look, "showXSelectors") && <CategorySelect props={props} label="Across" property="xColumnNames" />}
    >
      {(area) => <Cells props={props} model={model} plot={plot} area={area} type={type} />}
    </Figure>
  );
}

function topOf(props: PlotProps, type: InnerType) {
  const [down, panel] = [flagOf(props.look, "showYSelectors"), flagOf(props.look, "showControlPanel")];
  if (!down && !panel) return undefined;
  return (
    <>
      {down && <CategorySelect props={props} label="Down" property="yColumnNames" />}
      {panel && (
        <span className="ml-auto flex min-w-0">
          <WordSelect
            label="What is drawn"
            value={type}
            choices={INNER_TYPES}
            onChange={(viewerType) => props.change({ viewerType, innerViewerLook: undefined })}
          />
        </span>
      )}
    </>
  );
}

interface CategorySelectProps {
  readonly props: PlotProps;
  readonly label: string;
  readonly property: "xColumnNames" | "yColumnNames";
}

function CategorySelect({ props, label, property }: CategorySelectProps) {
  const names = listOf(props.look, property);
  return (
    <ColumnSelect
      label={label}
      table={props.table}
      optional
      value={names[0]}
      onChange={(name) => props.change({ [property]: name === undefined ? [] : [name, ...names.slice(1)] })}
    />
  );
}

interface TrellisPlotCellsProps extends PictureProps<TrellisModel> {
  readonly type: InnerType;
}

const HEAD = 22;
/** Smaller pictures are not worth drawing: the trellis scrolls, pixels. */
const LEAST = { width: 84, height: 64 } as const;
const ROOMY = { width: 150, height: 110 } as const;

function Cells({ props, model, plot, area, type }: TrellisPlotCellsProps) {
  const { table, look } = props;
  const [showX, showY] = [!model.tiled && flagOf(look, "showXLabels"), !model.tiled && flagOf(look, "showYLabels")];
  const [headX, headY] = [showX ? HEAD : 0, showY && model.down.some((name) => name !== "") ? HEAD : 0];
  const width = Math.max(LEAST.width, (area.width - headY) / model.columns);
  const height = Math.max(LEAST.height, (area.height - headX) / model.lines);
  const inner = useMemo(() => cellLook({ props, type, width, height }), [table, look, type, width, height]);
  const shared = useMemo(() => {
    if (!flagOf(look, "globalScale")) return undefined;
    const sets = model.cells.filter(({ count }) => count > 0).map(({ rows }) => rows);
    return INNER[type].ends?.(table, inner, { sets, scaleRows: plot.rows });
  }, [table, look, type, inner, model, plot]);
  const lines = textOf(look, "showGridlines") ?? "auto";
  const framed = lines === "always" || (lines === "auto" && width >= LEAST.width * 1.2);
  const scrolls = width * model.columns + headY > area.width + 1 || height * model.lines + headX > area.height + 1;
  const choose =
    (cells: readonly TrellisCell[]) => (keys: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }) => {
      const rows = cells.reduce((all, cell) => all.or(cell.rows), cells[0]?.rows ?? plot.rows);
      chooseGroup({ table, id: props.id, action: textOf(look, "onClick"), rows, keys });
    };
  const { Component } = INNER[type];
  // The rows are divided among the pictures, the ends of the axes are looked for once.
  const ready = useSteps({ total: model.cells.length, rows: plot.rows.count / 8, key: plot });
  return (
    <div className={`absolute inset-0 ${scrolls ? "overflow-auto" : "overflow-hidden"}`}>
      {headX > 0 &&
        model.across.map((name, column) => (
          <Head
            key={name}
            name={name}
            choose={choose(model.cells.filter((cell) => cell.column === column))}
            style={{ left: headY + column * width, top: 0, width, height: HEAD }}
          />
        ))}
      {headY > 0 &&
        model.down.map((name, line) => (
          <Head
            key={name}
            name={name}
            upright
            choose={choose(model.cells.filter((cell) => cell.line === line))}
            style={{ left: 0, top: headX + line * height, width: HEAD, height }}
          />
        ))}
      {model.cells.map((cell, index) => (
        <div
          key={`${cell.column} ${cell.line}`}
          className={`absolute ${framed ? "border-b border-r border-line" : ""}`}
          style={{ left: headY + cell.column * width, top: headX + cell.line * height, width, height }}
        >
          {model.tiled && (
            <Head name={cell.name} choose={choose([cell])} style={{ left: 0, top: 0, width, height: HEAD }} />
          )}
          <div className="absolute" style={{ top: model.tiled ? HEAD : 0 }}>
            {cell.count > 0 && index < ready && (
              <Component
                id={props.id}
                table={table}
                look={inner}
                width={width - 2}
                height={height - (model.tiled ? HEAD : 0) - 2}
                change={() => undefined}
                within={cell.rows}
                scaleWithin={flagOf(look, "globalScale") ? plot.rows : undefined}
                shared={shared}
                inner
              />
            )}
          </div>
        </div>
      ))}
    </div>
  );
}

interface TrellisPlotHeadProps {
  readonly name: string;
  readonly upright?: boolean;
  readonly choose: (keys: { shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }) => void;
  readonly style: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
}

function Head({ name, upright = false, choose, style }: TrellisPlotHeadProps) {
  return (
    <button
      type="button"
      title={name}
      className="absolute flex items-center justify-center text-xs text-soft hover:bg-sunken hover:text-ink focus-visible:outline-offset-[-2px]"
      style={style}
      onClick={choose}
    >
      <span className={`truncate ${upright ? "max-h-full rotate-180 [writing-mode:vertical-rl]" : "max-w-full px-1"}`}>
        {elide(name || "all", (upright ? style.height : style.width) - 8)}
      </span>
    </button>
  );
}

interface CellLookOptions {
  readonly props: PlotProps;
  readonly type: InnerType;
  readonly width: number;
  readonly height: number;
}

const AXES_X = ["showXAxis", "showCategoryAxis", "showCategoryValues"] as const;
const AXES_Y = ["showYAxis", "showValueAxis"] as const;

/** What the pictures look like: axes only where there is room for them. */
function cellLook({ props, type, width, height }: CellLookOptions): Look {
  const { table, look } = props;
  const { definition } = INNER[type];
  const set = parseInner(definition, table, textOf(look, "innerViewerLook"));
  const roomy = width >= ROOMY.width && height >= ROOMY.height;
  const shown = (mode: string | undefined): boolean => mode === "Always" || (mode !== "Never" && roomy);
  const axes: Record<string, unknown> = {};
  for (const name of AXES_X) axes[name] = shown(textOf(look, "showXAxes"));
  for (const name of AXES_Y) axes[name] = shown(textOf(look, "showYAxes"));
  return innerLook(definition, table, {
    showPValue: false,
    markerDefaultSize: 4,
    showColorScale: false,
    ...axes,
    ...set,
  });
}
