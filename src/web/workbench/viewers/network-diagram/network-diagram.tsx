import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { useTable } from "../../data/use-table.ts";
import { aggregateLegend } from "../drawing/chart-legend.ts";
import { LookColumn } from "../drawing/column-select.tsx";
import { Figure } from "../drawing/figure.tsx";
import type { LegendContent } from "../drawing/legend.tsx";
import { usePalette } from "../drawing/use-palette.ts";
import { countWords } from "../drawing/words.ts";
import { flagOf, textOf } from "../look.ts";
import { Notice, WORKING } from "../parts/notice.tsx";
import { useModel } from "../parts/use-model.ts";
import type { Look, ViewerProps } from "../viewer.ts";
import { layOut, type ForceLayout } from "./layout.ts";
import { networkSteps, type NetworkModel } from "./model.ts";
import { NetworkPicture } from "./picture.tsx";
import type { Palette } from "../drawing/colors.ts";

export function NetworkDiagram(props: ViewerProps): ReactNode {
  const { table, look } = props;
  const key = useTable(table, "columns", "filter");
  const palette = usePalette();
  const model = useModel(table.rowCount, () => networkSteps(table, look), [table, look, key]) ?? WORKING;
  const layout = useLayout(model, flagOf(look, "suspendSimulation"));
  return (
    <Figure
      viewer={props}
      sentence={typeof model === "string" ? model : sentenceOf(model)}
      legend={typeof model === "string" ? undefined : legendOf(model, look, palette)}
      top={flagOf(look, "showColumnSelectors") ? <Selectors {...props} /> : undefined}
    >
      {(area) =>
        typeof model === "string" || layout.layout === undefined ? (
          <Notice>{typeof model === "string" ? model : "The network is laid out."}</Notice>
        ) : (
          <NetworkPicture
            {...props}
            area={area}
            model={model}
            layout={layout.layout}
            moved={layout.moved}
            palette={palette}
            wake={layout.wake}
          />
        )
      }
    </Figure>
  );
}

function Selectors(props: ViewerProps): ReactNode {
  return (
    <>
      <LookColumn label="From" viewer={props} name="node1ColumnName" />
      <span aria-hidden className="text-faint">
        →
      </span>
      <LookColumn label="To" viewer={props} name="node2ColumnName" />
      <LookColumn label="Width" viewer={props} name="edgeWidthColumnName" columns="numeric" optional />
    </>
  );
}

interface Moving {
  readonly layout: ForceLayout | undefined;
  /** Grows with each step, so that the picture is drawn anew. */
  readonly moved: number;
  /** Starts the movement again, after a node was dragged. */
  readonly wake: () => void;
}

/** Lets the nodes find their places, a slice of each frame. Nodes that were there before begin where they lay. */
function useLayout(model: NetworkModel | string, suspended: boolean): Moving {
  const before = useRef<ReadonlyMap<string, { readonly x: number; readonly y: number }>>(new Map());
  const [moved, setMoved] = useState(0);
  const [woken, setWoken] = useState(0);
  const layout = useMemo(() => (typeof model === "string" ? undefined : layOut(model, before.current)), [model]);
  useEffect(() => {
    if (layout === undefined) return undefined;
    let request = 0;
    const frame = (): void => {
      const more = layout.advance(() => performance.now());
      setMoved((count) => count + 1);
      if (more) request = requestAnimationFrame(frame);
    };
    if (!suspended) request = requestAnimationFrame(frame);
    return () => {
      cancelAnimationFrame(request);
      before.current = new Map(layout.spots.map(({ key, x, y }) => [key, { x, y }]));
    };
  }, [layout, suspended, woken]);
  return { layout, moved, wake: () => setWoken((count) => count + 1) };
}

function legendOf(model: NetworkModel, look: Look, palette: Palette): LegendContent | undefined {
  const range = model.nodeColours ?? model.edgeColours;
  if (range === undefined) return undefined;
  const name =
    ["node1Color", "node2Color", "edgeColor"].find((what) => textOf(look, `${what}ColumnName`) !== undefined) ?? "";
  return aggregateLegend(look, name, { ramp: palette.linear, ...range });
}

function sentenceOf({ nodes, edges, cut }: NetworkModel): string {
  const most = nodes.reduce<(typeof nodes)[number] | undefined>(
    (best, node) => (best === undefined || node.lines > best.lines ? node : best),
    undefined,
  );
  const shown = cut === undefined ? "" : ` ${cut}`;
  return `Network of ${countWords(nodes.length, "node")} and ${countWords(edges.length, "line")}. ${most?.label ?? ""} has the most lines: ${(most?.lines ?? 0).toLocaleString("en")}.${shown}`;
}
