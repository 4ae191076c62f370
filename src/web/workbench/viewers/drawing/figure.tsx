import { useId, type ReactNode } from "react";
import { textOf } from "../look.ts";
import type { ViewerProps } from "../viewer.ts";
import { Legend, legendPlace, type LegendContent } from "./legend.tsx";

export interface Area {
  readonly width: number;
  readonly height: number;
}

interface FigureProps {
  readonly viewer: Pick<ViewerProps, "look" | "width" | "height">;
  /** One sentence that says what is to be seen. */
  readonly sentence: string;
  readonly legend?: LegendContent | undefined;
  /** What is not to be seen, though one would look for it. */
  readonly note?: string | undefined;
  /** Selectors above the picture; small pictures leave them out. */
  readonly top?: ReactNode;
  /** Selectors below it. */
  readonly bottom?: ReactNode;
  /** The picture in the room that is left. */
  readonly children: (area: Area) => ReactNode;
}

const ROW = 26;
const LINE = 22;
/** Smaller pictures have no selectors, pixels. */
const LEAST = { width: 200, height: 150 } as const;

/** Title, selectors, legend, and between them the picture. */
export function Figure({ viewer, sentence, legend, note, top, bottom, children }: FigureProps) {
  const { look, width, height } = viewer;
  const id = useId();
  const title = textOf(look, "title");
  const description = textOf(look, "description");
  const roomy = width >= LEAST.width && height >= LEAST.height;
  const place = legendPlace(look, { width, height }, legend);
  const upright = place?.side === "left" || place?.side === "right";
  const [above, below] = [roomy && Boolean(top), roomy && Boolean(bottom)];
  const noted = roomy ? note : undefined;
  const taken =
    (title ? LINE : 0) +
    (description ? LINE : 0) +
    (noted === undefined ? 0 : LINE) +
    (above ? ROW : 0) +
    (below ? ROW : 0);
  const area = {
    width: Math.max(10, width - (upright ? place.size : 0)),
    height: Math.max(10, height - taken - (place === undefined || upright ? 0 : place.size)),
  };
  const shownLegend = legend !== undefined && place !== undefined && <Legend content={legend} place={place} />;
  const legendFirst = place?.side === "left" || place?.side === "top";
  return (
    <figure aria-labelledby={id} className="flex flex-col overflow-hidden" style={{ width, height }}>
      <figcaption id={id} className="sr-only">
        {note === undefined ? sentence : `${sentence} ${note}`}
      </figcaption>
      {title !== undefined && <p className="h-[22px] shrink-0 truncate text-center text-sm font-medium">{title}</p>}
      {above && <div className="flex h-[26px] shrink-0 items-center gap-1 px-1">{top}</div>}
      <div className={`flex min-h-0 ${upright ? "" : "flex-col"}`}>
        {legendFirst && shownLegend}
        <div className="relative shrink-0" style={area}>
          {children(area)}
        </div>
        {!legendFirst && shownLegend}
      </div>
      {below && <div className="flex h-[26px] shrink-0 items-center justify-center gap-1 px-1">{bottom}</div>}
      {noted !== undefined && (
        <p role="note" title={noted} className="h-[22px] shrink-0 truncate px-2 text-center text-xs text-soft">
          {noted}
        </p>
      )}
      {description !== undefined && (
        <p className="h-[22px] shrink-0 truncate text-center text-xs text-soft">{description}</p>
      )}
    </figure>
  );
}
