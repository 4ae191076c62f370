import { useMemo, type ReactNode } from "react";
import { useTable } from "../../data/use-table.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import { usePalette } from "../drawing/use-palette.ts";
import { countWords } from "../drawing/words.ts";
import { chosen, flagOf } from "../look.ts";
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
      viewer={props}
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

function Selectors(props: ViewerProps): ReactNode {
  const { look } = props;
  const axes = LETTERS.filter((letter) => flagOf(look, `show${letter.toUpperCase()}Selector`));
  const color = flagOf(look, "showColorSelector");
  return (
    <>
      {axes.map((letter) => (
        <LookColumn key={letter} label={letter.toUpperCase()} viewer={props} name={`${letter}ColumnName`} />
      ))}
      {color && <LookColumn label="Color" viewer={props} name="colorColumnName" optional />}
    </>
  );
}

function sentenceOf(model: PointsModel): string {
  const { x, y, z } = model.axes;
  return `${countWords(model.rows.length, "point")} in a cube of ${x.column.name}, ${y.column.name} and ${z.column.name}.`;
}
