import { useId, type ReactNode } from "react";
import { textOf } from "../look.ts";
import type { Look } from "../viewer.ts";
import { Legend, legendPlace, type LegendContent } from "./legend.tsx";

export interface Area {
  readonly width: number;
  readonly height: number;
}

interface FigureProps {
  readonly look: Look;
  readonly width: number;
  readonly height: number;
  /** One sentence that says what is to be seen. */
  readonly sentence: string;
  readonly legend?: LegendContent | undefined;
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
export function Figure({ look, width, height, sentence, legend, top, bottom, children }: FigureProps) {
  const id = useId();
  const title = textOf(look, "title");
  const description = textOf(look, "description");
  const roomy = width >= LEAST.width && height >= LEAST.height;
  const place = legendPlace(look, { width, height }, legend);
  const upright = place?.side === "left" || place?.side === "right";
  const [above, below] = [roomy && Boolean(top), roomy && Boolean(bottom)];
  const taken = (title ? LINE : 0) + (description ? LINE : 0) + (above ? ROW : 0) + (below ? ROW : 0);
  const area = {
    width: Math.max(10, width - (upright ? place.size : 0)),
    height: Math.max(10, height - taken - (place === undefined || upright ? 0 : place.size)),
  };
  const shownLegend = legend !== undefined && place !== undefined && <Legend content={legend} place={place} />;
  const legendFirst = place?.side === "left" || place?.side === "top";
  return (
    <figure aria-labelledby={id} className="flex flex-col overflow-hidden" style={{ width, height }}>
      <figcaption id={id} className="sr-only">
        {sentence}
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
      {description !== undefined && (
        <p className="h-[22px] shrink-0 truncate text-center text-xs text-soft">{description}</p>
      )}
    </figure>
  );
}
