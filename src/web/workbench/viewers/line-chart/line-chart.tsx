import { useMemo } from "react";
import { figure } from "../../data/format.ts";
import { Bits } from "../../data/bits.ts";
import { categoryColor, type Palette } from "../drawing/colors.ts";
import { ColumnSelect, LookAggregate, LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { joinedNotes } from "../drawing/log-axis.ts";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { selectRows } from "../drawing/rows.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, drawnWords } from "../drawing/words.ts";
import { flagOf, listOf } from "../look.ts";
import { lineModel, placeWords, type LineModel } from "./model.ts";
import { LinePicture } from "./picture.tsx";

export function LineChart(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => lineModel(table, look, plot), [table, look, plot]);
  if (model === undefined) return <Unfit viewer={props} words="Choose columns for both axes." />;
  return (
    <Figure
      viewer={props}
      sentence={sentenceOf(model, plot.rows.count)}
      legend={legendOf(props, model, plot.palette)}
      note={joinedNotes(model.ruleX.note, model.ruleY.note)}
      top={topOf(props)}
      bottom={flagOf(look, "showXSelector") && <LookColumn label="X" viewer={props} name="xColumnName" />}
    >
      {(area) => <LinePicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

function topOf(props: PlotProps) {
  const { table, look, change } = props;
  const [y, kind, split] = ["showYSelectors", "showAggrTypeSelector", "showSplitSelector"].map((name) =>
    flagOf(look, name),
  );
  if (y !== true && kind !== true && split !== true) return undefined;
  const names = listOf(look, "yColumnNames");
  return (
    <>
      {kind === true && <LookAggregate label="Aggregation" viewer={props} name="aggrType" />}
      {y === true && (
        <ColumnSelect
          label="Y"
          table={table}
          columns="numeric"
          value={names[0]}
          onChange={(name) =>
            change({
              yColumnNames: name === undefined ? [] : [name, ...names.slice(1).filter((other) => other !== name)],
            })
          }
        />
      )}
      {split === true && (
        <span className="ml-auto flex min-w-0">
          <LookColumn label="Split" optional viewer={props} name="splitColumnName" />
        </span>
      )}
    </>
  );
}

function legendOf(
  { table, look }: PlotProps,
  { split, series }: LineModel,
  palette: Palette,
): LegendContent | undefined {
  if (series.length < 2) return undefined;
  const byGroup = split !== undefined && flagOf(look, "multiAxis");
  const entries = new Map(series.map((line) => [byGroup ? line.group : line.name, line]));
  return {
    kind: "categories",
    title: split?.name ?? "",
    entries: [...entries].map(([name, { index }]) => ({ name, color: categoryColor(palette, index) })),
    onPick:
      split === undefined
        ? undefined
        : (at, keys) => {
            const line = [...entries.values()][at];
            const rows = new Bits(table.rowCount);
            for (const point of line?.points ?? []) for (const row of point.rows) rows.add(row);
            selectRows(table, rows, keys);
          },
  };
}

function sentenceOf({ x, measures, kind, split, series, drawn }: LineModel, rows: number): string {
  const what = measures.map(({ name }) => `${kind}(${name})`).join(", ");
  const by = split === undefined ? "" : ` for each ${split.name}`;
  const points = series[0]?.points ?? [];
  const [first, last] = [points[0], points.at(-1)];
  const span =
    first === undefined || last === undefined ? "" : `, from ${placeWords(x, first.x)} to ${placeWords(x, last.x)}`;
  const ys = series.flatMap((line) => line.points.map(({ y }) => y));
  const [least, most] = [
    ys.reduce((low, y) => Math.min(low, y), ys[0] ?? 0),
    ys.reduce((top, y) => Math.max(top, y), ys[0] ?? 0),
  ];
  const range = ys.length === 0 ? "" : `, between ${figure(least)} and ${figure(most)}`;
  return `Line chart of ${what} over ${x.column.name}${by}, ${drawnWords(drawn, rows)}, ${countWords(series.length, "line")}${span}${range}.`;
}
