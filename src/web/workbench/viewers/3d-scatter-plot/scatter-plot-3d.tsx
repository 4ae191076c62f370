import { useMemo, type ReactNode } from "react";
import { useTable } from "../../data/use-table.ts";
import { ColumnSelect, LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { usePalette } from "../drawing/use-palette.ts";
import { countWords } from "../drawing/words.ts";
import { chosen, flagOf, textOf } from "../look.ts";
import { Notice } from "../parts/notice.tsx";
import type { ViewerProps } from "../viewer.ts";
import { coloring } from "./coloring.ts";
import { pointsOf, type PointsModel } from "./model.ts";
import { Cube } from "./cube.tsx";

const LETTERS = ["x", "y", "z"] as const;

export function ScatterPlot3d(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter");
  const palette = usePalette();
  const model = useMemo(() => pointsOf(table, look), [table, look, key]);
  const column = chosen(table, look, "colorColumnName");
  const colors = useMemo(
    () => (typeof model === "string" ? undefined : coloring(model.rows, column, palette)),
    [model, column, palette],
  );
  return (
    <Figure
      look={look}
      width={props.width}
      height={props.height}
      sentence={typeof model === "string" ? model : sentenceOf(model)}
      legend={colors?.legend}
      top={<Selectors {...props} />}
    >
      {(area) =>
        typeof model === "string" || colors === undefined ? (
          <Notice>{typeof model === "string" ? model : ""}</Notice>
        ) : (
          <Cube {...props} area={area} model={model} colors={colors.rgb} palette={palette} />
        )
      }
    </Figure>
  );
}

function Selectors({ table, look, change }: ViewerProps): ReactNode {
  const axes = LETTERS.filter((letter) => flagOf(look, `show${letter.toUpperCase()}Selector`));
  const color = flagOf(look, "showColorSelector");
  return (
    <>
      {axes.map((letter) => (
        <ColumnSelect
          key={letter}
          label={letter.toUpperCase()}
          table={table}
          value={textOf(look, `${letter}ColumnName`)}
          onChange={(name) => change({ [`${letter}ColumnName`]: name })}
        />
      ))}
      {color && <LookColumn label="Color" table={table} name="colorColumnName" look={look} optional change={change} />}
    </>
  );
}

function sentenceOf(model: PointsModel): string {
  const { x, y, z } = model.axes;
  return `${countWords(model.rows.length, "point")} in a cube of ${x.column.name}, ${y.column.name} and ${z.column.name}.`;
}
