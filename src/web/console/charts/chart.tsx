import { useEffect, useMemo, useRef, useState, type ReactNode } from "react";
import { colourOf, HEIGHT, layoutOf, type BarChart } from "./bars.ts";
import { t } from "../../ui/language/t.ts";

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
  return (
    <figure className="min-w-0">
      <Drawing label={label} chart={chart} />
      <Legend chart={chart} />
      <details className="mt-3">
        <summary className="w-fit cursor-pointer rounded py-1 text-sm text-soft hover:text-ink">
          {t("As a table")}
        </summary>
        <div className="mt-2 max-h-96 overflow-auto">{children}</div>
      </details>
    </figure>
  );
}

function Drawing({ label, chart }: { readonly label: string; readonly chart: BarChart }): ReactNode {
  const place = useRef<HTMLDivElement>(null);
  const width = useWidth(place);
  const layout = useMemo(() => (width === 0 ? undefined : layoutOf(chart, width)), [chart, width]);
  return (
    <div ref={place} role="img" aria-label={label} className="min-w-0 overflow-hidden" style={{ height: HEIGHT }}>
      {layout !== undefined && (
        <svg width={width} height={HEIGHT} className="block text-[11px]">
          {layout.yLabels.map(({ at, text }) => (
            <g key={text}>
              <line x1={layout.left} x2={layout.right} y1={at} y2={at} stroke="var(--line)" />
              <text x={layout.left - 6} y={at} dy="0.32em" textAnchor="end" fill="var(--soft)">
                {text}
              </text>
            </g>
          ))}
          {layout.bars.map(({ bar, ...rect }) => (
            <rect key={`${bar.at} ${bar.series}`} {...rect} rx={1} fill={colourOf(chart, bar.series)}>
              <title>{bar.words}</title>
            </rect>
          ))}
          {layout.xLabels.map(({ at, text }) => (
            <g key={at}>
              <line x1={at} x2={at} y1={layout.bottom} y2={layout.bottom + 5} stroke="var(--line-strong)" />
              <text x={at} y={layout.bottom + 17} textAnchor="middle" fill="var(--soft)">
                {text}
              </text>
            </g>
          ))}
          <line x1={layout.left} x2={layout.right} y1={layout.bottom} y2={layout.bottom} stroke="var(--line-strong)" />
        </svg>
      )}
    </div>
  );
}

/** The width in CSS pixels. */
function useWidth(place: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setWidth(element.clientWidth));
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}

function Legend({ chart }: { readonly chart: BarChart }): ReactNode {
  if (chart.series.length < 2) return undefined;
  return (
    <figcaption>
      <ul aria-label={t("Colours")} className="mt-2 flex flex-wrap gap-x-4 gap-y-1 text-sm text-soft">
        {chart.series.map((name) => (
          <li key={name} className="flex min-w-0 items-center gap-1.5">
            <span aria-hidden className="size-2.5 shrink-0 rounded-sm" style={{ background: colourOf(chart, name) }} />
            <span className="truncate">{name}</span>
          </li>
        ))}
      </ul>
    </figcaption>
  );
}
