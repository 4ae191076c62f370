import { useCallback, useMemo, useState, type ReactNode } from "react";
import { Bits } from "../../data/bits.ts";
import { figure, shortNumber } from "../../data/format.ts";
import { useTable } from "../../data/use-table.ts";
import { Canvas } from "../drawing/canvas.tsx";
import { countIn } from "../drawing/categories.ts";
import { aggregateLegend } from "../drawing/chart-legend.ts";
import { categoryColor, inkOn, type Palette } from "../drawing/colors.ts";
import { Figure, type Area } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { selectRows } from "../drawing/rows.ts";
import { usePalette } from "../drawing/use-palette.ts";
import { countWords, elide, rowsWords } from "../drawing/words.ts";
import { chosen, flagOf, numberOf, textOf } from "../look.ts";
import { CutNote, Notice, WORKING } from "../parts/notice.tsx";
import { Spots } from "../parts/spots.tsx";
import { useModel } from "../parts/use-model.ts";
import type { ViewerProps } from "../viewer.ts";
import {
  find,
  place,
  placedAt,
  spaceOf,
  treeMapSteps,
  type RowBranch,
  type PlacedBranch,
  type TreeMapModel,
} from "./model.ts";
import { TreeMapBar } from "./bar.tsx";

export function TreeMap(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter");
  const palette = usePalette();
  const [opened, setOpened] = useState("");
  const model = useModel(table.rowCount, () => treeMapSteps(table, look), [table, look, key]) ?? WORKING;
  const top = typeof model === "string" ? undefined : (find(model.root, opened) ?? model.root);
  return (
    <Figure
      viewer={props}
      sentence={typeof model === "string" ? model : sentenceOf(model, look["splitByColumnNames"])}
      legend={typeof model === "string" ? undefined : legendOf(props, model, palette)}
      top={
        flagOf(look, "showColumnSelectionPanel") || opened !== "" ? (
          <TreeMapBar {...props} top={top} onOpen={setOpened} />
        ) : undefined
      }
    >
      {(area) =>
        typeof model === "string" || top === undefined ? (
          <Notice>{typeof model === "string" ? model : ""}</Notice>
        ) : (
          <Picture {...props} area={area} model={model} top={top} palette={palette} onOpen={setOpened} />
        )
      }
    </Figure>
  );
}

interface TreeMapPictureProps extends ViewerProps {
  readonly area: Area;
  readonly model: TreeMapModel;
  /** What fills the picture. */
  readonly top: RowBranch;
  readonly palette: Palette;
  readonly onOpen: (key: string) => void;
}

function Picture({ table, look, area, model, top, palette, onOpen }: TreeMapPictureProps): ReactNode {
  useTable(table, "selection");
  const { selected } = table;
  const { width, height } = area;
  const placed = useMemo(() => place(top, spaceOf(look, width, height)), [top, look, width, height]);
  const shares = useMemo(
    () =>
      flagOf(look, "showSelectedRows") && !selected.isEmpty
        ? placed.map(({ branch }) => countIn(branch.rows, selected) / branch.rows.length)
        : [],
    [placed, selected, look],
  );
  const fill = useMemo(() => fillOf(model, palette, numberOf(look, "defaultColor")), [model, palette, look]);
  const draw = useCallback(
    (context: CanvasRenderingContext2D) => {
      for (const [at, one] of placed.entries()) drawOne(context, one, { palette, fill, share: shares[at] ?? 0 });
    },
    [placed, shares, fill, palette],
  );
  const size = chosen(table, look, "sizeColumnName");
  const colour = chosen(table, look, "colorColumnName");
  return (
    <>
      <Canvas width={width} height={height} draw={draw} />
      <Spots
        label="Groups"
        width={width}
        height={height}
        count={placed.length}
        at={(x, y) => {
          const found = placedAt(placed, x, y);
          return found === undefined ? -1 : placed.indexOf(found);
        }}
        spot={(index) => {
          const one = placed[index];
          if (one === undefined) return undefined;
          const { branch } = one;
          const lines = [
            ["", branch.path.join(" › ")],
            ["Rows", branch.rows.length.toLocaleString("en-US")],
            ...(size === undefined
              ? []
              : [[`${textOf(look, "sizeAggrType") ?? ""}(${size.name})`, figure(branch.size)]]),
            ...(colour === undefined
              ? []
              : [[`${textOf(look, "colorAggrType") ?? ""}(${colour.name})`, figure(model.colourOf(branch))]]),
          ] as [string, string][];
          return {
            label: lines.map((line) => line.filter((part) => part !== "").join(" ")).join(", "),
            lines,
            selected: (shares[index] ?? 0) > 0,
            box: one,
          };
        }}
        choose={(index, keys) => {
          const rows = placed[index]?.branch.rows;
          if (rows !== undefined) selectRows(table, Bits.of(table.rowCount, rows), keys);
        }}
        open={(index) => {
          const branch = placed[index]?.branch;
          if (branch !== undefined) onOpen(inner(top, branch).key);
        }}
        back={() => onOpen(top.key.slice(0, Math.max(0, top.key.lastIndexOf("/"))))}
      />
      <CutNote
        words={
          model.without === 0
            ? undefined
            : `${countWords(model.without, "group")} without a size ${model.without === 1 ? "is" : "are"} not shown.`
        }
      />
    </>
  );
}

/** One step down from the top towards a branch. */
function inner(top: RowBranch, branch: RowBranch): RowBranch {
  const step = top.parts.find(({ key }) => branch.key === key || branch.key.startsWith(`${key}/`));
  return step === undefined || step.parts.length === 0 ? top : step;
}

function fillOf(model: TreeMapModel, palette: Palette, one: number | undefined): (branch: RowBranch) => string {
  const { colours } = model;
  if (colours !== undefined) {
    const span = colours.max - colours.min;
    return ({ colour }) =>
      Number.isNaN(colour) ? palette.missing : palette.linear(span === 0 ? 0.5 : (colour - colours.min) / span);
  }
  if (one !== undefined) return () => `#${(one & 0xffffff).toString(16).padStart(6, "0")}`;
  return ({ family }) => categoryColor(palette, family);
}

function drawOne(
  context: CanvasRenderingContext2D,
  { branch, x, y, width, height }: PlacedBranch,
  {
    palette,
    fill,
    share,
  }: { readonly palette: Palette; readonly fill: (branch: RowBranch) => string; readonly share: number },
): void {
  const isLeaf = branch.parts.length === 0;
  context.fillStyle = isLeaf ? fill(branch) : palette.panel;
  context.fillRect(x, y, width, height);
  if (share > 0) {
    const bar = Math.min(5, height / 3);
    context.fillStyle = palette.paper;
    context.fillRect(x, y + (isLeaf ? height - bar - 1 : 14), width * share, bar + 1);
    context.fillStyle = palette.selected;
    context.fillRect(x, y + (isLeaf ? height - bar : 14), width * share, isLeaf ? bar : 4);
  }
  if (width < 22 || height < 14) return;
  context.save();
  context.beginPath();
  context.rect(x, y, width, height);
  context.clip();
  context.textBaseline = "top";
  context.fillStyle = isLeaf ? inkOn(fill(branch)) : palette.ink;
  context.font = isLeaf ? "12px system-ui, sans-serif" : "600 11px system-ui, sans-serif";
  context.fillText(elide(branch.label, width - 8, 12), x + 4, y + 3);
  if (isLeaf && height >= 32 && width >= 40) {
    context.globalAlpha = 0.85;
    context.font = "11px system-ui, sans-serif";
    const isCount = branch.size === branch.rows.length;
    const size = isCount ? branch.size.toLocaleString("en-US") : shortNumber(branch.size);
    context.fillText(elide(size, width - 8, 11), x + 4, y + 18);
  }
  context.restore();
}

function legendOf({ look }: ViewerProps, model: TreeMapModel, palette: Palette): LegendContent | undefined {
  return model.colours && aggregateLegend(look, "color", { ramp: palette.linear, ...model.colours });
}

function sentenceOf({ root }: TreeMapModel, names: unknown): string {
  const largest = root.parts.toSorted((left, right) => right.size - left.size).slice(0, 3);
  return `Tree map of ${rowsWords(root.rows.length)} by ${Array.isArray(names) ? names.join(", ") : ""}. Largest: ${largest
    .map(({ label, rows }) => `${label} (${rowsWords(rows.length)})`)
    .join(", ")}.`;
}
