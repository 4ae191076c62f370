import { useEffect, useMemo, useState } from "react";
import type { NumberColumn } from "../../data/column.ts";
import { inkOn, type Palette } from "../drawing/colors.ts";
import { Figure, type Area } from "../drawing/figure.tsx";
import { usePlot, type PlotProps } from "../drawing/plot.ts";
import { hideTooltip, showTooltip } from "../drawing/tooltip.ts";
import { Unfit } from "../drawing/unfit.tsx";
import { rowsWords } from "../drawing/words.ts";
import { flagOf } from "../look.ts";
import type { Bits } from "../../data/bits.ts";
import { correlationModel, correlations, pairKey, type CorrelationModel } from "./model.ts";

export function CorrelationPlot(props: PlotProps) {
  const { table, look } = props;
  const plot = usePlot(props);
  const model = useMemo(() => correlationModel(table, look), [table, look, plot]);
  const values = useCorrelations(model, plot.rows);
  if (model.across.length === 0 || model.down.length === 0)
    return <Unfit viewer={props} words="Choose columns of numbers." />;
  return (
    <Figure viewer={props} sentence={sentenceOf(model, values, plot.rows.count)}>
      {(area) => (
        <Matrix props={props} model={model} values={values} palette={plot.palette} area={area} rows={plot.rows.count} />
      )}
    </Figure>
  );
}

type PairValues = ReadonlyMap<string, number>;

/** So many rows times pairs are worked out at once; more in steps, a few milliseconds each frame. */
const AT_ONCE = 200_000;
const FRAME = 12;

function useCorrelations(model: CorrelationModel, rows: Bits): PairValues {
  const small = useMemo(
    () => (rows.count * model.pairs.length <= AT_ONCE ? new Map(correlations(model, rows)) : undefined),
    [model, rows],
  );
  const [found, setFound] = useState<PairValues>(new Map());
  useEffect(() => {
    if (small !== undefined) return undefined;
    const steps = correlations(model, rows);
    const values = new Map<string, number>();
    let request = 0;
    const frame = (): void => {
      const until = performance.now() + FRAME;
      do {
        const step = steps.next();
        if (step.done === true) return;
        values.set(...step.value);
      } while (performance.now() < until);
      setFound(new Map(values));
      request = requestAnimationFrame(frame);
    };
    request = requestAnimationFrame(frame);
    return () => {
      cancelAnimationFrame(request);
    };
  }, [small, model, rows]);
  return small ?? found;
}

function sentenceOf(model: CorrelationModel, values: PairValues, rows: number): string {
  let strongest: { readonly names: string; readonly value: number } | undefined;
  for (const [x, y] of model.pairs) {
    const value = values.get(pairKey(x, y)) ?? Number.NaN;
    if (!Number.isNaN(value) && Math.abs(value) > Math.abs(strongest?.value ?? 0))
      strongest = { names: `${x.name} and ${y.name}`, value };
  }
  const peak = strongest === undefined ? "" : `, strongest ${strongest.value.toFixed(2)} between ${strongest.names}`;
  return `Correlation plot (${model.kind}) of ${model.across.length} by ${model.down.length} columns, ${rowsWords(rows)}${peak}.`;
}

interface MatrixProps {
  readonly props: PlotProps;
  readonly model: CorrelationModel;
  readonly values: PairValues;
  readonly palette: Palette;
  readonly area: Area;
  readonly rows: number;
}

/** A real table: screen readers read it cell by cell. */
function Matrix({ props, model, values, palette, area, rows }: MatrixProps) {
  const { look } = props;
  const head = Math.min(110, Math.max(...model.down.map(({ name }) => name.length)) * 7 + 12);
  const cell = Math.max(26, (area.height - 30) / model.down.length);
  const valueOf = (x: NumberColumn, y: NumberColumn): number =>
    x === y ? 1 : (values.get(pairKey(x, y)) ?? Number.NaN);
  return (
    // Tall or broad tables scroll, so the keyboard must reach them.
    <div className="absolute inset-0 overflow-auto" tabIndex={0} role="region" aria-label="Correlations">
      <table
        className="w-full table-fixed border-separate border-spacing-px text-xs"
        style={{ minWidth: head + model.across.length * 34 }}
      >
        <thead>
          <tr className="h-6">
            <td style={{ width: head }} />
            {model.across.map(({ name }) => (
              <th key={name} scope="col" className="truncate px-1 font-medium text-soft" title={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {model.down.map((y) => (
            <tr key={y.name} style={{ height: cell }}>
              <th scope="row" className="truncate px-1 text-right font-medium text-soft" title={y.name}>
                {y.name}
              </th>
              {model.across.map((x) => (
                <Cell
                  key={x.name}
                  x={x}
                  y={y}
                  value={valueOf(x, y)}
                  palette={palette}
                  shown={flagOf(look, "showPearsonR")}
                  tooltip={flagOf(look, "showTooltip") ? { kind: model.kind, rows } : undefined}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  readonly x: NumberColumn;
  readonly y: NumberColumn;
  readonly value: number;
  readonly palette: Palette;
  readonly shown: boolean;
  readonly tooltip: { readonly kind: string; readonly rows: number } | undefined;
}

function Cell({ x, y, value, palette, shown, tooltip }: CellProps) {
  const known = !Number.isNaN(value);
  // A column always goes with itself: no colour for what says nothing.
  const background = known && x !== y ? palette.diverging((value + 1) / 2) : palette.panel;
  const words = known ? value.toFixed(2).replace("-0.00", "0.00") : "–";
  return (
    <td
      data-tooltip={tooltip === undefined ? undefined : ""}
      className="text-center tabular-nums"
      style={{ background, color: inkOn(background) }}
      onPointerMove={(event) => {
        if (tooltip === undefined) return;
        showTooltip({ x: event.clientX, y: event.clientY }, [
          ["", `${y.name} and ${x.name}`],
          [tooltip.kind, known ? value.toFixed(6) : "not known"],
          ["rows", tooltip.rows.toLocaleString("en")],
        ]);
      }}
      onPointerLeave={hideTooltip}
    >
      {shown ? words : <span className="sr-only">{words}</span>}
    </td>
  );
}
