import { useCallback, useMemo, type ReactNode } from "react";
import { Bits } from "../../data/bits.ts";
import { figure } from "../../data/format.ts";
import { useTable } from "../../data/use-table.ts";
import { Canvas } from "../drawing/canvas.tsx";
import { categoryColor, type Palette } from "../drawing/colors.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure, type Area } from "../drawing/figure.tsx";
import { selectRows } from "../drawing/rows.ts";
import { usePalette } from "../drawing/use-palette.ts";
import { rowsWords } from "../drawing/words.ts";
import { textOf } from "../look.ts";
import { CutNote, Notice } from "../parts/notice.tsx";
import { Spots } from "../parts/spots.tsx";
import type { ViewerProps } from "../viewer.ts";
import {
  boxAround,
  layWords,
  rowsWith,
  selectedCodes,
  wordAt,
  wordCloudOf,
  type Cloud,
  type WordCloudModel,
} from "./model.ts";

export function WordCloud(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter");
  const palette = usePalette();
  const model = useMemo(() => wordCloudOf(table, look), [table, look, key]);
  return (
    <Figure
      viewer={props}
      sentence={typeof model === "string" ? model : sentenceOf(model)}
      top={
        <>
          <LookColumn label="Words" viewer={props} name="columnColumnName" />
          <LookColumn label="Size" viewer={props} name="sizeColumnName" columns="numeric" optional />
        </>
      }
    >
      {(area) =>
        typeof model === "string" ? (
          <Notice>{model}</Notice>
        ) : (
          <Picture {...props} area={area} model={model} palette={palette} />
        )
      }
    </Figure>
  );
}

interface WordCloudPictureProps extends ViewerProps {
  readonly area: Area;
  readonly model: WordCloudModel;
  readonly palette: Palette;
}

function Picture({ table, look, area, model, palette }: WordCloudPictureProps): ReactNode {
  useTable(table, "selection");
  const { width, height } = area;
  const cloud = useMemo(() => layWords(model, { width, height }, measurer(model)), [model, width, height]);
  const name = textOf(look, "columnColumnName") ?? "";
  const size = textOf(look, "sizeColumnName");
  const { selected } = table;
  const chosen = useMemo(() => selectedCodes(table, name, selected), [table, name, selected]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D) => {
      drawWords(context, cloud, { model, palette, chosen });
    },
    [cloud, model, palette, chosen],
  );
  return (
    <>
      <Canvas width={width} height={height} draw={draw} />
      <Spots
        label={`Words of ${name}`}
        width={width}
        height={height}
        count={cloud.placed.length}
        at={(x, y) => wordAt(cloud, x, y)}
        spot={(index) => {
          const placed = cloud.placed[index];
          if (placed === undefined) return undefined;
          return {
            label: `${placed.word.text}, ${rowsWords(placed.word.count)}`,
            lines: [
              ["", placed.word.text],
              ["Rows", placed.word.count.toLocaleString("en-US")],
              ...(size === undefined
                ? []
                : ([[`${textOf(look, "sizeAggrType") ?? "sum"}(${size})`, figure(placed.word.weight)]] as const)),
            ],
            selected: chosen.has(placed.word.code),
            box: boxAround(placed),
          };
        }}
        choose={(index, keys) => {
          const code = cloud.placed[index]?.word.code;
          if (code !== undefined) selectRows(table, Bits.of(table.rowCount, rowsWith(table, name, code)), keys);
        }}
      />
      <CutNote words={cutWords(model, cloud)} />
    </>
  );
}

function fontOf({ font }: WordCloudModel, size: number): string {
  return `${font.bold ? "600 " : ""}${size.toFixed(1)}px ${font.family === "sans-serif" ? "system-ui, sans-serif" : font.family}`;
}

/** Widths grow with the size, so each text is measured once. */
function measurer(model: WordCloudModel): (text: string, size: number) => number {
  const context = document.createElement("canvas").getContext("2d");
  const known = new Map<string, number>();
  return (text, size) => {
    let width = known.get(text);
    if (width === undefined) {
      if (context !== null) context.font = fontOf(model, 100);
      width = (context?.measureText(text).width ?? text.length * 56) / 100;
      known.set(text, width);
    }
    return width * size;
  };
}

function drawWords(
  context: CanvasRenderingContext2D,
  cloud: Cloud,
  {
    model,
    palette,
    chosen,
  }: { readonly model: WordCloudModel; readonly palette: Palette; readonly chosen: ReadonlySet<number> },
): void {
  context.textAlign = "center";
  context.textBaseline = "middle";
  for (const [at, { word, x, y, size }] of cloud.placed.entries()) {
    context.save();
    context.translate(x, y);
    context.rotate((word.angle * Math.PI) / 180);
    context.font = fontOf(model, size);
    context.fillStyle = chosen.has(word.code)
      ? palette.selected
      : categoryColor(palette, at % palette.categories.length);
    context.fillText(word.text, 0, 0);
    context.restore();
  }
}

function cutWords(model: WordCloudModel, cloud: Cloud): string | undefined {
  const shown = cloud.placed.length;
  if (shown === model.different) return undefined;
  return `The ${shown.toLocaleString("en-US")} largest of ${model.different.toLocaleString("en-US")} values.`;
}

function sentenceOf({ words, different }: WordCloudModel): string {
  const first = words.slice(0, 5).map(({ text, weight }) => `${text} (${figure(weight)})`);
  return `Word cloud of ${different.toLocaleString("en-US")} values. Largest: ${first.join(", ")}.`;
}
