import { useEffect, useRef, useState, type ReactNode } from "react";
import { useShownTheme } from "../../ui/app/theme.ts";
import { Skeleton } from "../../ui/states.tsx";
import { barSpec, type BarChart } from "./bars.ts";
import { chartColours, type ChartColours } from "./palette.ts";

function coloursNow(): ChartColours {
  const style = getComputedStyle(document.documentElement);
  return chartColours((name) => style.getPropertyValue(name));
}

/** A chart of stacked bars with its legend. `children` shows the same as a table. */
export function Bars({
  label,
  chart,
  children,
}: {
  readonly label: string;
  readonly chart: BarChart;
  readonly children: ReactNode;
}): ReactNode {
  const theme = useShownTheme();
  return (
    <figure className="min-w-0">
      <Drawing key={theme} label={label} chart={chart} />
      <Legend key={`${theme}-legend`} chart={chart} />
      <details className="mt-3">
        <summary className="w-fit cursor-pointer rounded py-1 text-sm text-soft hover:text-ink">As a table</summary>
        <div className="mt-2 max-h-96 overflow-auto">{children}</div>
      </details>
    </figure>
  );
}

function Drawing({ label, chart }: { readonly label: string; readonly chart: BarChart }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const [state, setState] = useState<"drawing" | "drawn" | "failed">("drawing");
  const width = useWidth(place);
  useEffect(() => {
    const element = place.current;
    if (element === null || width === 0) return;
    let stop: (() => void) | undefined;
    let left = false;
    const start = async (): Promise<void> => {
      const { draw } = await import("./draw.ts");
      if (left) return;
      stop = await draw(element, barSpec(chart, coloursNow(), width));
      if (left) stop();
      else setState("drawn");
    };
    start().catch(() => setState("failed"));
    return () => {
      left = true;
      stop?.();
    };
  }, [chart, width]);
  return (
    <div className="relative min-h-60">
      <div role="img" aria-label={label} className="min-h-60">
        {/* Vega gives its element its own role. */}
        <div ref={place} className="w-full [&_svg]:block" />
      </div>
      {state === "drawing" && <Skeleton className="absolute inset-0" />}
      {state === "failed" && (
        <p className="absolute inset-0 grid place-items-center text-sm text-soft">
          The chart could not be drawn; the table below has the figures.
        </p>
      )}
    </div>
  );
}

/** The width in CSS pixels, in steps, so that dragging the window does not redraw at each pixel. */
function useWidth(place: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(Math.floor(element.clientWidth / 20) * 20));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}

function Legend({ chart }: { readonly chart: BarChart }): ReactNode {
  const [colours] = useState(coloursNow);
  if (chart.series.length < 2) return undefined;
  return (
    <figcaption>
      <ul aria-label="Colours" className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
        {chart.series.map((name, index) => (
          <li key={name} className="flex min-w-0 items-center gap-1.5">
            <span
              aria-hidden
              className="size-2.5 shrink-0 rounded-sm"
              style={{ background: name === chart.rest ? colours.rest : colours.series[index] }}
            />
            <span className="truncate">{name}</span>
          </li>
        ))}
      </ul>
    </figcaption>
  );
}
