import { arc as arcPath } from "d3-shape";
import { useMemo } from "react";
import { Bits } from "../../data/bits.ts";
import { figure, shortNumber } from "../../data/format.ts";
import { countIn } from "../drawing/categories.ts";
import { categoryColor, inkOn, type Palette } from "../drawing/colors.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { Marks, type Mark } from "../drawing/marks.tsx";
import { Svg } from "../drawing/plane.tsx";
import { useLinked, usePlot, type PictureProps, type PlotProps } from "../drawing/plot.ts";
import { chooseGroup } from "../drawing/rows.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { countWords, drawnWords, elide, spokenWords, textWidth } from "../drawing/words.ts";
import { flagOf, numberOf, textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { pieModel, type PieModel, type Slice } from "./model.ts";

export function PieChart(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => pieModel(table, look, plot.rows), [table, look, plot]);
  if (model === undefined) return <Unfit viewer={props} words="Choose a category." />;
  return (
    <Figure
      viewer={props}
      note={model.note}
      sentence={sentenceOf(model, plot.rows.count)}
      legend={{
        kind: "categories",
        title: model.column.name,
        entries: model.slices.map(({ name, index }) => ({ name, color: categoryColor(plot.palette, index) })),
        onPick: (at, keys) => {
          const rows = Bits.of(table.rowCount, model.slices[at]?.rows ?? []);
          chooseGroup({ table, id: props.id, action: textOf(look, "onClick"), rows, keys });
        },
      }}
      top={
        flagOf(look, "showColumnSelector") && <LookColumn label="Category" viewer={props} name="categoryColumnName" />
      }
    >
      {(area) => <PiePicture props={props} model={model} plot={plot} area={area} />}
    </Figure>
  );
}

function sentenceOf({ slices, column, measure, drawn }: PieModel, rows: number): string {
  const most = slices.toSorted((left, right) => right.value - left.value)[0];
  const peak = most === undefined ? "" : `, largest ${most.name} with ${(most.share * 100).toFixed(1)}%`;
  return `Pie chart of ${column.name} by ${measure}, ${drawnWords(drawn, rows)}, ${countWords(slices.length, "slice")}${peak}.`;
}

function PiePicture({ props, model, plot, area }: PictureProps<PieModel>) {
  const { look, table, id } = props;
  const { selected } = useLinked(table);
  const outside = textOf(look, "labelPosition") === "Outside";
  const shift = numberOf(look, "shift") ?? 0;
  const margin = outside ? Math.min(70, area.width * 0.2) : 8;
  const radius = Math.max(
    6,
    Math.min(
      numberOf(look, "maxRadius") ?? 250,
      area.width / 2 - margin - shift,
      area.height / 2 - (outside ? 22 : 8) - shift,
    ),
  );
  const marks = model.slices.map((slice): Mark => {
    const chosen = countIn(slice.rows, selected);
    return {
      key: `${slice.index} ${slice.name}`,
      label: `${slice.name}: ${model.measure} ${spokenWords(figure(slice.value), shortNumber(slice.value))}, ${percent(slice.share)}${chosen > 0 ? `, ${chosen.toLocaleString("en")} selected` : ""}`,
      lines: [
        ["", slice.name],
        [model.measure, figure(slice.value)],
        ["share", percent(slice.share)],
        ...(chosen > 0 ? [["selected", chosen.toLocaleString("en")] as const] : []),
      ],
      selected: chosen > 0 && chosen === slice.rows.length,
      shape: (
        <SliceShape
          slice={slice}
          radius={radius}
          look={look}
          palette={plot.palette}
          chosen={chosen}
          filtered={table.filtered}
        />
      ),
      choose: (keys) => {
        chooseGroup({ table, id, action: textOf(look, "onClick"), rows: Bits.of(table.rowCount, slice.rows), keys });
      },
    };
  });
  return (
    <Svg area={area}>
      <g transform={`translate(${area.width / 2},${area.height / 2})`}>
        <Marks inner={props.inner} label={`Slices of ${model.column.name}`} color={plot.palette.ink} marks={marks} />
        {/* Beside the marks, not in them: they have names of their own. */}
        <g aria-hidden="true">
          {model.slices.map((slice) => (
            <SliceLabel
              key={`${slice.index} ${slice.name}`}
              slice={slice}
              long={radius * slice.length}
              look={look}
              palette={plot.palette}
              selected={flagOf(look, "showSelectedRows") ? selected : undefined}
            />
          ))}
        </g>
      </g>
    </Svg>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;
}

interface SliceProps {
  readonly slice: Slice;
  readonly radius: number;
  readonly look: Look;
  readonly palette: Palette;
  readonly chosen: number;
  readonly filtered: Bits;
}

function SliceShape({ slice, radius, look, palette, chosen, filtered }: SliceProps) {
  const middle = (slice.start + slice.end) / 2;
  const shift = numberOf(look, "shift") ?? 0;
  const long = radius * slice.length;
  const path = (outer: number): string =>
    arcPath()({ startAngle: slice.start, endAngle: slice.end, innerRadius: 0, outerRadius: outer }) ?? "";
  const fill = categoryColor(palette, slice.index);
  const share = slice.rows.length === 0 ? 0 : chosen / slice.rows.length;
  const faint = !filtered.isEmpty && countIn(slice.rows, filtered) === 0;
  return (
    <g transform={`translate(${Math.sin(middle) * shift},${-Math.cos(middle) * shift})`}>
      <path
        d={path(long)}
        fill={fill}
        fillOpacity={faint ? 0.25 : 1}
        stroke={palette.paper}
        strokeWidth={numberOf(look, "outlineLineWidth") ?? 1}
        className="hover:brightness-110"
      />
      {flagOf(look, "showSelectedRows") && share > 0 && (
        // The area of the inner part is the selected share of the slice's.
        <path d={path(long * Math.sqrt(share))} fill={palette.selected} />
      )}
      <path className="focus-ring opacity-0" d={path(long)} fill="none" stroke={palette.ink} strokeWidth={3} />
    </g>
  );
}

interface PieChartLabelProps {
  readonly slice: Slice;
  readonly long: number;
  readonly look: Look;
  readonly palette: Palette;
  /** Absent: they are not marked. */
  readonly selected: Bits | undefined;
}

/** From this share on the label stands on the colour of what is selected. */
const MOSTLY = 0.4;

function SliceLabel({ slice, long, look, palette, selected }: PieChartLabelProps) {
  const share = selected === undefined ? 0 : countIn(slice.rows, selected) / slice.rows.length;
  const fill = share > MOSTLY ? palette.selected : categoryColor(palette, slice.index);
  const mode = textOf(look, "labelPosition") ?? "Auto";
  const middle = (slice.start + slice.end) / 2;
  const chord = long * 0.66 * Math.min(slice.end - slice.start, 2);
  const lines = [
    ...(flagOf(look, "showLabel") ? [slice.name] : []),
    ...(flagOf(look, "showValue") ? [shortNumber(slice.value)] : []),
    ...(flagOf(look, "showPercentage") ? [percent(slice.share)] : []),
  ].map((line) => (mode === "Outside" ? elide(line, 90) : elide(line, Math.min(long * 0.7, chord + 20))));
  if (lines.length === 0) return null;
  const fits = chord > Math.max(...lines.map((line) => textWidth(line))) * 1.1 && chord > lines.length * 12;
  if (mode === "Auto" && !fits) return null;
  if (mode === "Outside" && slice.end - slice.start < 0.08) return null;
  const away = (mode === "Outside" ? long + 12 : long * 0.66) + (numberOf(look, "shift") ?? 0);
  const [x, y] = [Math.sin(middle) * away, -Math.cos(middle) * away];
  const anchor =
    mode !== "Outside" || Math.abs(Math.sin(middle)) < 0.3 ? "middle" : Math.sin(middle) > 0 ? "start" : "end";
  return (
    <text fontSize={11} textAnchor={anchor} fill={mode === "Outside" ? palette.soft : inkOn(fill)} pointerEvents="none">
      {lines.map((line, index) => (
        <tspan key={index} x={x} y={y + (index - (lines.length - 1) / 2) * 13 + 4}>
          {line}
        </tspan>
      ))}
    </text>
  );
}
